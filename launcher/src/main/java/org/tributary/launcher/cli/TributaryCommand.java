package org.tributary.launcher.cli;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command itself; everything it does is in its subcommands. */
@Command(name = "tributary", description = "Runs programs on a global address space over one or many nodes.",
    mixinStandardHelpOptions = true, versionProvider = Version.class, synopsisSubcommandLabel = "COMMAND",
    subcommands = {RunCommand.class, BenchCommand.class, ServerCommand.class, StatusCommand.class,
        DashboardCommand.class, TraceCommand.class, DoctorCommand.class, ConfigCommand.class, CleanCommand.class,
        ClassPathCommand.class, JvmOptionsCommand.class, CompletionCommand.class, CommandLine.HelpCommand.class})
public final class TributaryCommand {
    private TributaryCommand() {
    }

    public static int execute(String... args) {
        return commandLine().execute(args);
    }

    static CommandLine commandLine() {
        CommandLine commandLine = new CommandLine(new TributaryCommand());
        commandLine.setParameterExceptionHandler(UsageErrors::handle);
        commandLine.setExecutionExceptionHandler(UsageErrors::handle);
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setUsageHelpAutoWidth(true);
        CommandLine run = commandLine.getSubcommands().get("run");
        run.setStopAtPositional(true);
        commandLine.getSubcommands().get("bench").setUnmatchedArgumentsAllowed(true);
        return commandLine;
    }

    /** For tests: the same command with its output in {@code out} and {@code err}. */
    static int execute(PrintWriter out, PrintWriter err, String... args) {
        return commandLine().setOut(out).setErr(err).execute(args);
    }
}

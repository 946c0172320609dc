package org.tributary.launcher.cli;

import java.io.PrintWriter;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command itself; everything it does is in its subcommands. */
@Command(name = "tributary", description = "Runs programs on a global address space over one or many nodes.",
    mixinStandardHelpOptions = true, versionProvider = Version.class, synopsisSubcommandLabel = "COMMAND",
    subcommands = {RunCommand.class, BenchCommand.class, ServerCommand.class, StatusCommand.class,
        DashboardCommand.class, TraceCommand.class, DoctorCommand.class, ConfigCommand.class, CleanCommand.class,
        ClassPathCommand.class, JvmOptionsCommand.class, CompletionCommand.class, CommandLine.HelpCommand.class})
public final class TributaryCommand {
    /** The command with one that starts jobs, alone: picocli takes a while for each, and users of these wait. */
    private static final Map<String, Class<?>> WITH_ONE = Map.of("run", WithRun.class, "bench", WithBench.class);

    private TributaryCommand() {
    }

    @Command(name = "tributary", subcommands = RunCommand.class)
    private static final class WithRun {
    }

    @Command(name = "tributary", subcommands = BenchCommand.class)
    private static final class WithBench {
    }

    public static int execute(String... args) {
        return commandLine(args).execute(args);
    }

    /** With what these arguments need: all commands, or the one that they begin with. */
    static CommandLine commandLine(String... args) {
        CommandLine commandLine = new CommandLine(args.length == 0 ? TributaryCommand.class
            : WITH_ONE.getOrDefault(args[0], TributaryCommand.class));
        commandLine.setParameterExceptionHandler(UsageErrors::handle);
        commandLine.setExecutionExceptionHandler(UsageErrors::handle);
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setUsageHelpAutoWidth(true);
        commandLine.setExpandAtFiles(false); // words of a program are as the user wrote them
        commandLine.getSubcommands().forEach((name, command) -> {
            command.setStopAtPositional(name.equals("run"));
            command.setUnmatchedArgumentsAllowed(name.equals("bench"));
        });
        return commandLine;
    }

    /** For tests: the same command with its output in {@code out} and {@code err}. */
    static int execute(PrintWriter out, PrintWriter err, String... args) {
        return commandLine(args).setOut(out).setErr(err).execute(args);
    }
}

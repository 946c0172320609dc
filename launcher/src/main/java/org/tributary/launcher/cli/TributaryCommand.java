package org.tributary.launcher.cli;

import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command itself; everything it does is in its subcommands. */
@Command(name = "tributary", description = "Runs programs on a global address space over one or many nodes.",
    mixinStandardHelpOptions = true, versionProvider = Version.class, synopsisSubcommandLabel = "COMMAND")
public final class TributaryCommand {
    private static final List<Class<?>> ALL = List.of(RunCommand.class, BenchCommand.class, ServerCommand.class,
        StatusCommand.class, DashboardCommand.class, TraceCommand.class, DoctorCommand.class, ConfigCommand.class,
        CleanCommand.class, ClassPathCommand.class, JvmOptionsCommand.class, CompletionCommand.class,
        CommandLine.HelpCommand.class);
    /** Those that start jobs, whose users wait. Each command that picocli learns takes it a while. */
    private static final List<Class<?>> ALONE = List.of(RunCommand.class, BenchCommand.class);

    private TributaryCommand() {
    }

    public static int execute(String... args) {
        return commandLine(args).execute(args);
    }

    /** With what these arguments need: all commands, or the one that they begin with. */
    static CommandLine commandLine(String... args) {
        List<Class<?>> commands = ALONE.stream().filter(command -> args.length > 0
            && args[0].equals(command.getAnnotation(Command.class).name())).toList();
        CommandLine commandLine = new CommandLine(new TributaryCommand());
        for (Class<?> command : commands.isEmpty() ? ALL : commands) {
            add(command, commandLine);
        }
        commandLine.setParameterExceptionHandler(UsageErrors::handle);
        commandLine.setExecutionExceptionHandler(UsageErrors::handle);
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setUsageHelpAutoWidth(true);
        return commandLine;
    }

    private static void add(Class<?> command, CommandLine to) {
        CommandLine added = new CommandLine(command);
        added.setStopAtPositional(command == RunCommand.class);
        added.setUnmatchedArgumentsAllowed(command == BenchCommand.class);
        to.addSubcommand(added);
    }

    /** For tests: the same command with its output in {@code out} and {@code err}. */
    static int execute(PrintWriter out, PrintWriter err, String... args) {
        return commandLine(args).setOut(out).setErr(err).execute(args);
    }
}

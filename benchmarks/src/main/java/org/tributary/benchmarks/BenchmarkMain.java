package org.tributary.benchmarks;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.tributary.config.Nearest;
import picocli.CommandLine;

/**
 * Runs a benchmark's command: the same exit codes and the same wording of errors for all of them. The command classes
 * are annotated for picocli and parse without side effects, so a launcher can refuse a wrong command line before it
 * starts a job.
 */
public final class BenchmarkMain {
    private static final int FAILED = 1;

    private BenchmarkMain() {
    }

    /** The exit code: 0 after success, 1 after a failure, 2 after a command line that cannot be used. */
    public static int execute(Callable<Integer> command, String... arguments) {
        return commandLine(command).execute(arguments);
    }

    static CommandLine commandLine(Callable<Integer> command) {
        return new CommandLine(command)
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setParameterExceptionHandler(BenchmarkMain::explain)
            .setExecutionExceptionHandler((failure, commandLine, result) -> {
                failure.printStackTrace(commandLine.getErr());
                return FAILED;
            });
    }

    private static int explain(CommandLine.ParameterException problem, String[] arguments) {
        CommandLine commandLine = problem.getCommandLine();
        PrintWriter err = commandLine.getErr();
        String hint = "";
        if (problem instanceof CommandLine.UnmatchedArgumentException unmatched) {
            hint = Nearest.hint(unmatched.getUnmatched().getFirst(),
                commandLine.getCommandSpec().optionsMap().keySet());
        }
        err.println(problem.getMessage() + hint);
        err.println("Try '" + commandLine.getCommandName() + " --help'.");
        return commandLine.getCommandSpec().exitCodeOnInvalidInput();
    }
}

package org.tributary.miniapps;

import java.util.concurrent.Callable;
import org.tributary.config.Nearest;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The command lines of programs and benchmarks: the same exit codes and the same wording of errors for all of them. The
 * classes are annotated for picocli and parse without side effects, so a launcher can refuse a wrong command line
 * before it starts a job.
 */
public final class CommandLines {
    private static final int FAILED = 1;

    private CommandLines() {
    }

    /**
     * One that exits with 0 after success, 1 after a failure, and 2 when it cannot be used.
     *
     * @param starter the words that start it under its name, as in {@code tributary run}
     */
    public static CommandLine of(String starter, Callable<Integer> command) {
        CommandLine line = new CommandLine(command);
        line.getCommandSpec().parent(CommandSpec.create().name(starter));
        return line
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setExpandAtFiles(false)
            .setParameterExceptionHandler((problem, arguments) -> explain(problem))
            .setExecutionExceptionHandler((failure, commandLine, result) -> {
                failure.printStackTrace(commandLine.getErr());
                return FAILED;
            });
    }

    /** Says what is wrong with a command line, and returns the exit code. */
    static int explain(ParameterException problem) {
        CommandLine line = problem.getCommandLine();
        String hint = "";
        if (problem instanceof UnmatchedArgumentException unmatched && !unmatched.getUnmatched().isEmpty()) {
            hint = Nearest.hint(unmatched.getUnmatched().getFirst(), line.getCommandSpec().optionsMap().keySet());
        }
        line.getErr().println(problem.getMessage() + hint);
        line.getErr().println("see '" + line.getCommandSpec().qualifiedName() + " --help'");
        line.getErr().flush();
        return line.getCommandSpec().exitCodeOnInvalidInput();
    }
}

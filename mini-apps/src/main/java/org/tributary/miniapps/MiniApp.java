package org.tributary.miniapps;

import java.util.concurrent.Callable;
import org.tributary.client.Gas;
import org.tributary.config.JobVariables;
import org.tributary.config.Nearest;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * An application with options: subclasses are picocli commands. Parsing has no side effects; {@link #run} is called on
 * every rank of an attached job.
 */
public abstract class MiniApp implements Callable<Integer> {
    private static final int WRONG_ANSWER = 1;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help and exit.")
    private boolean help;

    /** For subclasses. */
    protected MiniApp() {
    }

    /**
     * Runs the application; collective.
     *
     * @param out what rank 0 prints to
     * @return whether the answer is right, the same on every rank
     * @throws ParameterException when the options do not fit the job, on every rank
     */
    public abstract boolean run(Gas gas, Report out);

    /** Attaches to the job of the environment and runs. */
    @Override
    public final Integer call() {
        try (Gas gas = Gas.attach()) {
            return run(gas, new Report(System.out, gas.rank() == 0)) ? 0 : WRONG_ANSWER;
        }
    }

    /**
     * The body of {@code main}: parses, runs, and ends the process with 0, 1 for a wrong answer, 2 for wrong options.
     */
    protected static void main(MiniApp app, String... arguments) {
        CommandLine commandLine = new CommandLine(app)
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setParameterExceptionHandler(MiniApp::explain);
        if (!isFirstRank()) {
            commandLine.setOut(Report.nowhere()).setErr(Report.nowhere());
        }
        commandLine.setExecutionExceptionHandler((failure, line, result) -> {
            if (failure instanceof ParameterException problem) {
                return explain(problem, arguments);
            }
            throw failure;
        });
        System.exit(commandLine.execute(arguments));
    }

    /** Help and complaints about options come once, not from every rank; outside a job everyone is the first. */
    private static boolean isFirstRank() {
        String rank = System.getenv(JobVariables.RANK);
        return rank == null || rank.equals("0");
    }

    private static int explain(ParameterException problem, String[] arguments) {
        CommandLine line = problem.getCommandLine();
        String hint = "";
        if (problem instanceof UnmatchedArgumentException unmatched && !unmatched.getUnmatched().isEmpty()) {
            hint = Nearest.hint(unmatched.getUnmatched().getFirst(), line.getCommandSpec().optionsMap().keySet());
        }
        line.getErr().println(problem.getMessage() + hint);
        line.getErr().println("Try '" + line.getCommandName() + " --help'.");
        return line.getCommandSpec().exitCodeOnInvalidInput();
    }
}

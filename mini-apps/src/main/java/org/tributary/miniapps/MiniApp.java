package org.tributary.miniapps;

import java.util.Map;
import java.util.concurrent.Callable;
import org.tributary.client.Gas;
import org.tributary.client.error.OutOfSharedMemoryException;
import org.tributary.config.ConfigException;
import org.tributary.config.JobVariables;
import org.tributary.config.LayoutChecked;
import org.tributary.config.Shortage;
import org.tributary.config.Topology;
import org.tributary.globalarrays.file.ArrayFileException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine;

/**
 * An application with options: subclasses are picocli commands. Parsing has no side effects; {@link #run} is called on
 * every rank of an attached job.
 */
public abstract class MiniApp implements Callable<Integer>, LayoutChecked {
    private static final int FAILED = 1;
    private static final String FIRST_RANK = "0";

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help and exit.")
    private boolean help;

    @Spec
    private CommandSpec command;

    /** Accepts any layout; to be overridden by a program whose options, or layouts, may not fit. */
    @Override
    public void checkLayout(Topology topology) {
        // Nothing that could be wrong.
    }

    /**
     * Files that rank 0 reads on its host, by the options that name them; to be overridden by a program that has some.
     * No {@link OutputFile} may be one of them.
     */
    protected Map<String, String> inputs() {
        return Map.of();
    }

    /**
     * Refuses a layout, options and files that do not fit, and runs; otherwise as {@link #run}. False also when a
     * checkpoint cannot be written, or shared memory has no room for the problem.
     */
    public final boolean runChecked(Gas gas, Report out) {
        try {
            checkLayout(gas.topology());
            OutputFiles.check(command, gas, inputs());
            return run(gas, out);
        } catch (ConfigException e) { // on all ranks
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        } catch (ArrayFileException | OutOfSharedMemoryException e) { // on all ranks
            if (gas.rank() == 0) {
                System.err.println(e.getMessage());
            }
            gas.barrier(); // the first to exit with an error ends the job
            return false;
        }
    }

    /**
     * Runs the application; collective.
     *
     * @param out what rank 0 prints to
     * @return whether the answer is right, the same on every rank
     * @throws ConfigException when the options do not fit the job, on every rank
     */
    public abstract boolean run(Gas gas, Report out);

    /** Attaches to the job of the environment and runs. */
    @Override
    public final Integer call() {
        try (Gas gas = Gas.attach()) {
            try {
                return runChecked(gas, new Report(System.out, gas.rank() == 0)) ? 0 : FAILED;
            } catch (ParameterException problem) {
                int code = CommandLines.explain(problem);
                gas.barrier();
                return code;
            } catch (OutOfMemoryError e) { // perhaps on this rank alone, which ends the job
                System.err.println("rank " + gas.rank() + ": " + explain(e));
                return FAILED;
            }
        }
    }

    /** What has run out, and what to do about it. */
    static String explain(OutOfMemoryError failure) {
        String advice = Shortage.describe(failure);
        return Shortage.of(failure) != Shortage.MEMORY ? advice : advice + " (--jvm-option=-Xmx…, now "
            + (Runtime.getRuntime().maxMemory() >> 20) + "m); a smaller problem needs less";
    }

    /**
     * The body of {@code main}: parses, runs, and ends the process: 0 for success, 1 for a wrong answer or an
     * exception, 2 for wrong options.
     */
    protected static void main(MiniApp app, String... arguments) {
        CommandLine commandLine = CommandLines.of("tributary run", app)
            .setParameterExceptionHandler((problem, words) -> refuse(problem))
            .setExecutionExceptionHandler((failure, line, result) -> {
                failure.printStackTrace(); // of whichever rank it happened on
                return FAILED;
            });
        String rank = System.getenv(JobVariables.RANK);
        if (rank != null && !rank.equals(FIRST_RANK)) {
            // Help and complaints come once, not from every rank; outside a job everyone is the first.
            commandLine.setOut(Report.nowhere()).setErr(Report.nowhere());
        }
        System.exit(commandLine.execute(arguments));
    }

    /**
     * Explains what is wrong with the command line. Every rank finds the same and waits for the others: the first to
     * exit with an error ends the job, and the one that explains must not be ended before it has.
     */
    private static int refuse(ParameterException problem) {
        int code = CommandLines.explain(problem);
        if (System.getenv(JobVariables.RANK) != null) {
            try (Gas gas = Gas.attach()) {
                gas.barrier();
            }
        }
        return code;
    }
}

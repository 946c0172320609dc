package org.tributary.miniapps;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.tributary.client.Gas;
import org.tributary.client.testing.TestJob;
import org.tributary.config.Topology;
import picocli.CommandLine;

/** The jobs that every application is tested on: both paths at once, shared memory alone, messages alone. */
public enum JobShape {
    TWO_NODES_OF_TWO(2, 2), ONE_NODE_OF_FOUR(1, 4), THREE_NODES_OF_ONE(3, 1);

    private final int nodes;
    private final int ranksPerNode;

    JobShape(int nodes, int ranksPerNode) {
        this.nodes = nodes;
        this.ranksPerNode = ranksPerNode;
    }

    /** What an application with these arguments did: whether every rank found the answer right; what rank 0 printed. */
    public record Outcome(List<String> arguments, boolean right, String printed) {
    }

    /** Runs a program on every rank of a new job; fails when any rank does. */
    public void run(Consumer<Gas> program) {
        try (TestJob job = TestJob.start(Topology.uniform(nodes, ranksPerNode))) {
            job.run(program::accept);
        }
    }

    /** Runs an application with its arguments; the ranks must agree on the answer. */
    public Outcome run(Supplier<MiniApp> application, String... arguments) {
        Turn turn = new Turn(application, List.of(arguments));
        run(turn::on);
        return turn.outcome(nodes * ranksPerNode);
    }

    /** Runs an application with each of these arguments, one after the other in one job; failures name them. */
    public void runEach(Supplier<MiniApp> application, List<List<String>> all, Consumer<Outcome> check) {
        List<Turn> turns = all.stream().map(arguments -> new Turn(application, arguments)).toList();
        run(gas -> turns.forEach(turn -> turn.named(() -> turn.on(gas))));
        turns.forEach(turn -> turn.named(() -> check.accept(turn.outcome(nodes * ranksPerNode))));
    }

    /** An application with its arguments in a job. */
    private static final class Turn {
        private final Supplier<MiniApp> application;
        private final List<String> arguments;
        private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
        private final AtomicInteger right = new AtomicInteger();

        Turn(Supplier<MiniApp> application, List<String> arguments) {
            this.application = application;
            this.arguments = arguments;
        }

        /** On one rank of the job. */
        void on(Gas gas) {
            MiniApp app = application.get();
            new CommandLine(app).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments.toArray(String[]::new));
            PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
            if (app.runChecked(gas, new Report(out, gas.rank() == 0))) {
                right.incrementAndGet();
            }
        }

        Outcome outcome(int ranks) {
            if (right.get() != 0 && right.get() != ranks) {
                throw new AssertionError(right + " of " + ranks + " ranks find the answer right");
            }
            return new Outcome(arguments, right.get() > 0, printed.toString(StandardCharsets.UTF_8));
        }

        void named(Runnable step) {
            try {
                step.run();
            } catch (RuntimeException | Error e) {
                throw new AssertionError(String.join(" ", arguments) + ": " + e.getMessage(), e);
            }
        }
    }
}

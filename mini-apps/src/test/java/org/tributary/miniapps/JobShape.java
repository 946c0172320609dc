package org.tributary.miniapps;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
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

    /** What an application left behind: whether every rank found the answer right, and what rank 0 printed. */
    public record Outcome(boolean right, String printed) {
    }

    /** Runs a program on every rank of a new job; fails when any rank does. */
    public void run(Consumer<Gas> program) {
        try (TestJob job = TestJob.start(Topology.uniform(nodes, ranksPerNode))) {
            job.run(program::accept);
        }
    }

    /** Runs an application with its arguments; the ranks must agree on the answer. */
    public Outcome run(Supplier<MiniApp> application, String... arguments) {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        AtomicInteger right = new AtomicInteger();
        run(gas -> {
            MiniApp app = application.get();
            new CommandLine(app).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments);
            PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
            if (app.runChecked(gas, new Report(out, gas.rank() == 0))) {
                right.incrementAndGet();
            }
        });
        if (right.get() != 0 && right.get() != nodes * ranksPerNode) {
            throw new AssertionError(right + " of " + nodes * ranksPerNode + " ranks find the answer right");
        }
        return new Outcome(right.get() > 0, printed.toString(StandardCharsets.UTF_8));
    }
}

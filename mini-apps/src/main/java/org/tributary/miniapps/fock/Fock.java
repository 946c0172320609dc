package org.tributary.miniapps.fock;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.tributary.client.Gas;
import org.tributary.config.ConfigException;
import org.tributary.config.Topology;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.miniapps.JsonOption;
import org.tributary.miniapps.MiniApp;
import org.tributary.miniapps.Progress;
import org.tributary.miniapps.Report;
import org.tributary.wire.shape.ReduceOp;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The Fock matrix of a model of a molecule. */
@Command(name = "fock", sortOptions = false,
    description = "Builds the Fock matrix of a self-consistent field as NWChem does: ranks draw quartets of blocks from"
        + " a shared counter, get blocks of the density matrix, compute, and accumulate to the Fock matrix. Integrals"
        + " are those of a model whose result is known exactly. Verifies every element.")
public final class Fock extends MiniApp {
    private static final int LARGEST_SIZE = 2048;
    private static final double US_PER_SECOND = 1e6;

    @Option(names = "--size", paramLabel = "N", defaultValue = "96",
        description = "Basis functions (default: ${DEFAULT-VALUE}).")
    private int size;

    @Option(names = "--block", paramLabel = "B", defaultValue = "12",
        description = "Basis functions of a block, a divisor of N: there are (N / B)^4 tasks (default:"
            + " ${DEFAULT-VALUE}).")
    private int block;

    @Option(names = "--iterations", paramLabel = "COUNT", defaultValue = "5",
        description = "How often the matrix is built and timed (default: ${DEFAULT-VALUE}).")
    private int iterations;

    private double bestSeconds = Double.POSITIVE_INFINITY;

    @Mixin
    private JsonOption json = new JsonOption();

    public static void main(String[] arguments) {
        main(new Fock(), arguments);
    }

    /** Seconds of the fastest iteration so far; the same on every rank. */
    public double bestSeconds() {
        return bestSeconds;
    }

    @Override
    public void checkLayout(Topology topology) {
        if (size < 1 || size > LARGEST_SIZE || block < 1 || size % block != 0 || iterations < 1) {
            throw new ConfigException("--size must be between 1 and " + LARGEST_SIZE + ", --block a divisor of it, and"
                + " --iterations positive: size " + size + ", block " + block + ", iterations " + iterations);
        }
    }

    @Override
    public boolean run(Gas gas, Report out) {
        ModelIntegrals integrals = new ModelIntegrals(size, size / 2);
        try (FockTasks tasks = new FockTasks(gas, integrals, block)) {
            out.line("fock: %d basis functions, blocks of %d, %d ranks on %d nodes, %d tasks", size, block,
                gas.rankCount(), gas.nodeCount(), tasks.count());
            List<Double> times = new ArrayList<>();
            Progress progress = out.progress("fock", iterations * tasks.count());
            for (int i = 1; i <= iterations; i++) {
                long before = (i - 1) * tasks.count();
                double seconds = gas.world().allreduce(ReduceOp.MAX, time(tasks, task -> progress.at(before + task)));
                times.add(seconds);
                bestSeconds = Math.min(bestSeconds, seconds);
                out.line("iteration %d: %.4f s", i, seconds);
            }
            long[] shares = gas.world().allgather(tasks.done());
            double drawUs = gas.world().allreduce(ReduceOp.MAX, tasks.drawUs());
            out.line("best: %.4f s, %.0f numbers drawn a second; tasks a rank in all iterations: %d to %d;"
                + " a number takes the slowest rank %.1f us", bestSeconds, tasks.count() / bestSeconds,
                Arrays.stream(shares).min().orElseThrow(), Arrays.stream(shares).max().orElseThrow(), drawUs);
            Map<String, Object> figures = JsonOption.figures("fock", gas);
            figures.put("size", size);
            figures.put("block", block);
            figures.put("tasks", tasks.count());
            figures.put("iterations", iterations);
            figures.put("seconds", bestSeconds);
            figures.put("secondsOfIterations", times);
            figures.put("drawnPerSecond", tasks.count() / bestSeconds);
            figures.put("microsecondsOfDraw", drawUs);
            return json.write(gas, figures, verify(gas, tasks, integrals, out));
        }
    }

    private static double time(FockTasks tasks, LongConsumer begun) {
        tasks.reset();
        long startNs = System.nanoTime();
        tasks.run(begun);
        return (System.nanoTime() - startNs) / (US_PER_SECOND * 1e3);
    }

    private boolean verify(Gas gas, FockTasks tasks, ModelIntegrals integrals, Report out) {
        long wrong = 0;
        if (gas.rank() == 0) {
            double[] found = new double[size * size];
            tasks.fock().get(Patch.whole(size, size), found);
            double[] expected = integrals.fock();
            for (int i = 0; i < found.length; i++) {
                wrong += found[i] == expected[i] ? 0 : 1;
            }
        }
        wrong = gas.world().allreduce(ReduceOp.MAX, wrong);
        out.line("verification, element by element: %d of %d wrong: %s", wrong, (long) size * size,
            wrong == 0 ? "passed" : "FAILED");
        return wrong == 0;
    }
}

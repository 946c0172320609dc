package org.tributary.miniapps.multigrid;

import java.util.Map;
import org.tributary.client.Gas;
import org.tributary.config.ConfigException;
import org.tributary.config.Topology;
import org.tributary.miniapps.JsonOption;
import org.tributary.miniapps.MiniApp;
import org.tributary.miniapps.Progress;
import org.tributary.miniapps.Report;
import org.tributary.miniapps.exchange.ExchangeOptions;
import org.tributary.miniapps.exchange.Neighbourhood;
import org.tributary.miniapps.exchange.ProcessGrid;
import org.tributary.miniapps.exchange.Synchronization;
import org.tributary.wire.shape.ReduceOp;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Poisson's equation by V-cycles of a multigrid method: MG of the NAS Parallel Benchmarks. */
@Command(name = "multigrid", sortOptions = false,
    description = "Solves a discrete Poisson problem on a periodic grid in three dimensions by V-cycles, as MG of the"
        + " NAS Parallel Benchmarks. Ranks exchange ghost points on every level, by any synchronization of windows or"
        + " by put and notify. Verifies the norm of the residual against the published one. The number of ranks is a"
        + " power of two.")
public final class Multigrid extends MiniApp {
    private static final int DIMENSIONS = 3;

    @Mixin
    private ExchangeOptions options = new ExchangeOptions(Synchronization.MAILBOX);

    @Option(names = "--class", paramLabel = "CLASS", defaultValue = "W",
        description = "Size of the problem: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}); 32, 128, 256 and 256"
            + " points along each dimension, 4 iterations, 20 in class B.")
    private ProblemClass problem;

    @Option(names = "--warmup", paramLabel = "COUNT", defaultValue = "1",
        description = "Iterations before those that are timed (default: ${DEFAULT-VALUE}, the benchmark's); the"
            + " solution begins anew after them.")
    private int warmup;

    @Option(names = "--whole", paramLabel = "POINTS", defaultValue = "8",
        description = "Grids of up to so many points along each dimension are gathered by all ranks, and computed by"
            + " each of them, instead of distributed (default: ${DEFAULT-VALUE}; 0: only those with fewer points along"
            + " a dimension than there are ranks).")
    private int wholePoints;

    @Mixin
    private JsonOption json = new JsonOption();

    public static void main(String[] arguments) {
        main(new Multigrid(), arguments);
    }

    @Override
    public void checkLayout(Topology topology) {
        options.check();
        if (warmup < 0) {
            throw new ConfigException("--warmup must not be negative: " + warmup);
        }
        if (wholePoints < 0 || wholePoints >= problem.extent()) {
            throw new ConfigException("--whole must be from 0 to " + (problem.extent() - 1) + " in class " + problem
                + ": " + wholePoints);
        }
        int ranks = topology.rankCount();
        int below = Integer.highestOneBit(ranks);
        if (below != ranks) {
            throw new ConfigException("multigrid runs on 1, 2, 4, 8 and so on ranks, not on " + ranks + "; " + below
                + " or " + 2 * below + " would fit");
        }
        if (ranks > Math.pow(problem.extent(), DIMENSIONS)) {
            throw new ConfigException("class " + problem + " has points for " + (int) Math.pow(problem.extent(),
                DIMENSIONS) + " ranks at most, not for " + ranks);
        }
    }

    @Override
    public boolean run(Gas gas, Report out) {
        Neighbourhood neighbourhood = Neighbourhood.all(ProcessGrid.of(gas.rankCount(), DIMENSIONS), gas.rank());
        out.line("multigrid: class %s, %d x %d x %d points, %d iterations, %s, %d ranks on %d nodes in a grid of %s",
            problem, problem.extent(), problem.extent(), problem.extent(), problem.iterations(), options,
            gas.rankCount(), gas.nodeCount(), neighbourhood.grid());
        try (Hierarchy hierarchy = new Hierarchy(gas, options, problem, wholePoints, neighbourhood)) {
            hierarchy.reset();
            solve(hierarchy, warmup, out.progress("multigrid, warm-up", warmup));
            hierarchy.reset();
            gas.barrier();
            long startNs = System.nanoTime();
            double norm = solve(hierarchy, problem.iterations(), out.progress("multigrid", problem.iterations()));
            double seconds = gas.world().allreduce(ReduceOp.MAX, (System.nanoTime() - startNs) * 1e-9);
            return report(gas, out, seconds, norm);
        }
    }

    /** Returns the norm of the last residual. */
    private static double solve(Hierarchy hierarchy, int iterations, Progress progress) {
        hierarchy.computeResidual();
        for (int i = 0; i < iterations; i++) {
            progress.at(i);
            hierarchy.cycle();
            hierarchy.computeResidual();
        }
        return hierarchy.norm();
    }

    private boolean report(Gas gas, Report out, double seconds, double norm) {
        boolean right = problem.isRight(norm);
        out.line("%.4f s, %.1f Mop/s", seconds, problem.megaOperations(seconds));
        out.line("verification: norm of the residual %.13e, published %.13e, relative error %.1e: %s", norm,
            problem.norm(), problem.error(norm), right ? "passed" : "FAILED");
        Map<String, Object> figures = JsonOption.figures("multigrid", gas);
        figures.put("class", problem);
        figures.put("extent", problem.extent());
        figures.put("iterations", problem.iterations());
        figures.put("wholePoints", wholePoints);
        figures.put("synchronization", options);
        figures.put("seconds", seconds);
        figures.put("megaOperationsPerSecond", problem.megaOperations(seconds));
        figures.put("norm", norm);
        figures.put("publishedNorm", problem.norm());
        return json.write(gas, figures, right);
    }
}

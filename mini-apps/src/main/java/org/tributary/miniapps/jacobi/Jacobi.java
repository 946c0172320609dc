package org.tributary.miniapps.jacobi;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.Map;
import org.tributary.client.Gas;
import org.tributary.config.ConfigException;
import org.tributary.config.Topology;
import org.tributary.globalarrays.GlobalArray;
import org.tributary.miniapps.JsonOption;
import org.tributary.miniapps.MiniApp;
import org.tributary.miniapps.Progress;
import org.tributary.miniapps.Report;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Laplace's equation on the unit square by Jacobi iterations. */
@Command(name = "jacobi", sortOptions = false,
    description = "Solves Laplace's equation on the unit square with given boundary values by Jacobi iterations. Ranks"
        + " exchange the edges of their blocks one-sidedly. Verifies the result against the analytic solution.")
public final class Jacobi extends MiniApp {
    /** Arrays of 8 TiB. */
    private static final int LARGEST_SIZE = 1 << 20;
    /** How often ranks agree on whether to stop. */
    private static final int CHECK_EVERY = 20;
    /**
     * How much of the error may be due to stopping. The solution lies between 0 and 1: with much more, any grid would
     * pass for it, the one of zeros to begin with included.
     */
    private static final double MOST_ERROR = 0.01;
    /** Of a tolerance to advise. */
    private static final int DIGITS = 2;
    /** Of the whole, for its progress. */
    private static final long SHARES = 1000;

    @Option(names = "--size", paramLabel = "N", defaultValue = "64",
        description = "Interior points in each direction (default: ${DEFAULT-VALUE}).")
    private int size;

    @Option(names = "--tolerance", paramLabel = "T", defaultValue = "1e-7",
        description = "Stop when no point changes by more in an iteration, " + 2 * MOST_ERROR + " / (N + 1)^2 at most"
            + " (default: ${DEFAULT-VALUE}).")
    private double tolerance;

    @Option(names = "--max-iterations", paramLabel = "COUNT", defaultValue = "200000",
        description = "Give up, with exit code 1, after this many (default: ${DEFAULT-VALUE}).")
    private int maxIterations;

    @Mixin
    private JsonOption json = new JsonOption();

    public static void main(String[] arguments) {
        main(new Jacobi(), arguments);
    }

    @Override
    public void checkLayout(Topology topology) {
        if (size < 1 || maxIterations < 1 || !(tolerance > 0)) {
            throw new ConfigException("--size, --tolerance and --max-iterations must be positive: " + size + ", "
                + tolerance + ", " + maxIterations);
        }
        if (size > LARGEST_SIZE) {
            throw new ConfigException("--size must be " + LARGEST_SIZE + " at most: " + size);
        }
        checkTolerance(new LaplaceProblem(size));
    }

    private void checkTolerance(LaplaceProblem problem) {
        if (problem.stoppingError(tolerance) <= MOST_ERROR) {
            return;
        }
        BigDecimal fitting = BigDecimal.valueOf(problem.changeOf(MOST_ERROR))
            .round(new MathContext(DIGITS, RoundingMode.DOWN));
        throw new ConfigException(String.format(Locale.ROOT, "with --size %d, --tolerance %s may leave an error of"
            + " %.2g, and more than %s verifies nothing of a solution between 0 and 1; --tolerance %.1e would fit",
            size, tolerance, problem.stoppingError(tolerance), MOST_ERROR, fitting));
    }

    @Override
    public boolean run(Gas gas, Report out) {
        GlobalArray now = GlobalArray.builder(gas, "u", ElementType.DOUBLE, size, size).ghosts(1, 1).create();
        GlobalArray next = now.duplicate("next u");
        now.zero();
        next.zero();
        LaplaceProblem problem = new LaplaceProblem(size);
        problem.setBoundary(now);
        problem.setBoundary(next);
        out.line("jacobi: %d x %d points, tolerance %.1e, %d ranks on %d nodes in a grid of %d x %d", size, size,
            tolerance, gas.rankCount(), gas.nodeCount(), now.distribution().blockCount(0),
            now.distribution().blockCount(1));
        long startNs = System.nanoTime();
        Progress progress = out.progress("jacobi", SHARES);
        double change = Double.POSITIVE_INFINITY;
        double firstChange = Double.NaN;
        int iteration = 0;
        while (iteration < maxIterations && !(change <= tolerance)) {
            now.group().barrier(); // no fence: every rank writes its own block as memory
            now.readGhosts();
            double local = Relaxation.relax(now.access(), next.access());
            iteration++;
            if (iteration % CHECK_EVERY == 0 || iteration == maxIterations) {
                change = gas.world().allreduce(ReduceOp.MAX, local);
                firstChange = Double.isNaN(firstChange) ? change : firstChange;
                // Changes shrink by nearly the same factor in each iteration.
                double converged = Math.log(firstChange / change) / Math.log(firstChange / tolerance);
                progress.at((long) (SHARES * Math.max(converged, (double) iteration / maxIterations)));
            }
            GlobalArray old = now;
            now = next;
            next = old;
        }
        double seconds = (System.nanoTime() - startNs) * 1e-9;
        out.line("%d iterations in %.3f s, %.1f us each; last change %.2e", iteration, seconds,
            seconds / iteration * 1e6, change);
        Map<String, Object> figures = JsonOption.figures("jacobi", gas);
        figures.put("size", size);
        figures.put("tolerance", tolerance);
        figures.put("iterations", iteration);
        figures.put("seconds", seconds);
        figures.put("lastChange", change);
        boolean right = judge(gas, out, problem, now, change, figures);
        next.close();
        now.close();
        return json.write(gas, figures, right);
    }

    private boolean judge(Gas gas, Report out, LaplaceProblem problem, GlobalArray solution, double change,
        Map<String, Object> figures) {
        double error = gas.world().allreduce(ReduceOp.MAX, problem.error(solution.access()));
        double limit = problem.errorBound(Math.max(tolerance, change));
        figures.put("largestError", error);
        figures.put("errorBound", limit);
        boolean converged = change <= tolerance;
        boolean right = converged && error <= limit;
        out.line("verification: largest error %.3e, bound %.3e%s: %s", error, limit,
            converged ? "" : ", not converged", right ? "passed" : "FAILED");
        return right;
    }
}

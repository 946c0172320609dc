package org.tributary.miniapps.multigrid;

import java.util.ArrayList;
import java.util.List;
import org.tributary.client.Gas;
import org.tributary.miniapps.exchange.ExchangeOptions;
import org.tributary.miniapps.exchange.Neighbourhood;
import org.tributary.wire.shape.ReduceOp;

/**
 * The grids, each with half as many points along each dimension as the one before it, and the V-cycle over them. Where
 * a grid is small, or has fewer points along a dimension than there are ranks, all ranks gather the residual of the
 * next finer one and go on by themselves, each with the whole: grids that small cost less than messages.
 */
final class Hierarchy implements AutoCloseable {
    private static final int[] ORIGIN = {0, 0, 0};

    private final Gas gas;
    private final ProblemClass problem;
    private final Grid rightHandSide;
    /** The coarsest first. */
    private final List<Level> levels = new ArrayList<>();
    private final int firstDistributed;
    /** The coarsest distributed grid as a whole, unless it is the coarsest of all. */
    private final Level gathered;
    private final Gatherer gatherer;

    /** Grids of up to {@code wholePoints} along each dimension are not distributed; collective. */
    Hierarchy(Gas gas, ExchangeOptions options, ProblemClass problem, int wholePoints, Neighbourhood neighbourhood) {
        this.gas = gas;
        this.problem = problem;
        int whole = 0;
        for (int k = 0; k < problem.levels(); k++) {
            int points = 2 << k;
            boolean distributed = gas.rankCount() == 1
                || points > wholePoints && Level.fits(points, neighbourhood.grid());
            whole += distributed ? 0 : 1;
            levels.add(distributed ? Level.distributed(gas, options, neighbourhood, points)
                : Level.whole(gas, options, points));
        }
        firstDistributed = whole;
        gathered = whole == 0 ? null : Level.whole(gas, options, 2 << whole);
        gatherer = whole == 0 ? null : new Gatherer(gas, neighbourhood.grid(), levels.get(whole), gathered);
        rightHandSide = new Grid(finest().extents());
    }

    private Level finest() {
        return levels.getLast();
    }

    /** Sets the right-hand side, and the solution to zero; collective. */
    void reset() {
        finest().solution().zero();
        rightHandSide.zero();
        new Charges(problem.extent(), finest().start(), finest().extents()).put(gas, rightHandSide);
    }

    /** Computes the residual of the solution. */
    void computeResidual() {
        residual(finest(), rightHandSide);
    }

    /** The root of the mean square of the residual; collective. */
    double norm() {
        double sum = gas.world().allreduce(ReduceOp.SUM, finest().residual().sumOfSquares());
        return Math.sqrt(sum / Math.pow(problem.extent(), 3));
    }

    /** One V-cycle, from the residual to a better solution. */
    void cycle() {
        for (int k = levels.size() - 1; k > 0; k--) {
            restrict(k);
        }
        levels.getFirst().solution().zero();
        smooth(levels.getFirst());
        for (int k = 1; k < levels.size() - 1; k++) {
            levels.get(k).solution().zero();
            interpolate(k);
            residual(levels.get(k), levels.get(k).residual());
            smooth(levels.get(k));
        }
        interpolate(levels.size() - 1);
        computeResidual();
        smooth(finest());
    }

    /** Makes the residual of the next coarser level of that of a level. */
    private void restrict(int k) {
        Level coarse = levels.get(k - 1);
        Level fine = levels.get(k);
        if (k == firstDistributed) {
            gatherer.gather();
            fine = gathered;
        }
        Stencils.restrict(fine.residual(), coarse.residual());
        coarse.exchange(coarse.residual());
    }

    /** Adds the correction of the next coarser level to the solution of a level. */
    private void interpolate(int k) {
        Stencils.interpolate(levels.get(k - 1).solution(), levels.get(k).solution(),
            k == firstDistributed ? levels.get(k).start() : ORIGIN);
    }

    private static void residual(Level level, Grid of) {
        Stencils.residual(level.solution(), of, level.residual());
        level.exchange(level.residual());
    }

    private void smooth(Level level) {
        Stencils.smooth(problem.smoother(), level.residual(), level.solution());
        level.exchange(level.solution());
    }

    @Override
    public void close() {
        levels.forEach(Level::close);
        if (gathered != null) {
            gathered.close();
        }
    }
}

package org.tributary.miniapps.lu;

import org.tributary.client.Gas;
import org.tributary.wire.shape.ReduceOp;

/** Sums over all points of all ranks that verify the solution. */
final class Integrals {
    private final Gas gas;
    private final Box box;
    private final ExactSolution exact;

    Integrals(Gas gas, Box box, ExactSolution exact) {
        this.gas = gas;
        this.box = box;
        this.exact = exact;
    }

    /** Collective. */
    Answer answer(double[] solution, double[] residual) {
        double[] residuals = new double[Flow.NUMBERS];
        double[] errors = new double[Flow.NUMBERS];
        box.forEachInner((at, x, y, z) -> {
            for (int m = 0; m < Flow.NUMBERS; m++) {
                int i = Flow.NUMBERS * at + m;
                residuals[m] += residual[i] * residual[i];
                double error = exact.value(m, x, y, z) - solution[i];
                errors[m] += error * error;
            }
        });
        return new Answer(norms(residuals), norms(errors), integral(solution));
    }

    private double[] norms(double[] squares) {
        gas.world().allreduce(ReduceOp.SUM, squares);
        for (int m = 0; m < squares.length; m++) {
            squares[m] = Math.sqrt(squares[m] / Math.pow(box.points() - 2, Box.DIMENSIONS));
        }
        return squares;
    }

    /**
     * The integral of the pressure over the surface of a box within the grid, by the trapezoidal rule: a point counts
     * once for each of the one, two or four cells of a face that it is a corner of.
     */
    private double integral(double[] solution) {
        int last = box.points() - 2;
        int[] low = {1, 1, 2};
        int[] high = {last, last - 1, last};
        double[] sum = {0};
        box.forEachInner((at, x, y, z) -> {
            int[] place = {x, y, z};
            for (int d = 0; d < Box.DIMENSIONS; d++) {
                if (place[d] == low[d] || place[d] == high[d]) {
                    int weight = 1;
                    for (int other = 0; other < Box.DIMENSIONS; other++) {
                        weight *= other == d ? 1 : weight(place[other], low[other], high[other]);
                    }
                    sum[0] += weight * Flow.pressure(solution, at);
                }
            }
        });
        double distance = 1.0 / (box.points() - 1);
        return 0.25 * distance * distance * gas.world().allreduce(ReduceOp.SUM, sum[0]);
    }

    private static int weight(int place, int low, int high) {
        return place < low || place > high ? 0 : place == low || place == high ? 1 : 2;
    }
}

package org.tributary.miniapps.lu;

import java.util.Arrays;
import org.tributary.client.Gas;
import org.tributary.miniapps.Progress;
import org.tributary.miniapps.exchange.ProcessGrid;

/** The state of a rank, and the steps in pseudo-time that drive the residual to zero. */
final class Solver implements AutoCloseable {
    private final Gas gas;
    private final ProblemClass problem;
    private final Box box;
    private final Mail mail;
    private final Operator operator;
    private final Sweeps sweeps;
    private final ExactSolution exact;
    private final double[] solution;
    private final double[] residual;
    private final double[] forcing;
    /** One by the density of each point. */
    private final double[] inverse;

    /** Collective. */
    Solver(Gas gas, ProblemClass problem, ProcessGrid processes) {
        this.gas = gas;
        this.problem = problem;
        box = new Box(problem.extent(), processes, gas.rank());
        mail = new Mail(gas, box, processes);
        operator = new Operator(box);
        sweeps = new Sweeps(box, operator, problem.timeStep(), mail);
        exact = new ExactSolution(problem.extent());
        solution = new double[Math.multiplyExact(Flow.NUMBERS, box.size())];
        residual = new double[solution.length];
        forcing = new double[solution.length];
        inverse = new double[box.size()];
        force();
    }

    /** The forcing makes the residual of the exact solution zero. */
    private void force() {
        box.forEach((at, x, y, z) -> {
            for (int m = 0; m < Flow.NUMBERS; m++) {
                solution[Flow.NUMBERS * at + m] = exact.value(m, x, y, z);
            }
        });
        invert();
        operator.apply(solution, inverse, residual, forcing);
    }

    /** Begins anew, with the first guess and its residual; collective. */
    void reset() {
        gas.barrier(); // no sweeps lie between the messages with ghost points before this and those of it
        Arrays.fill(residual, 0);
        box.forEach((at, x, y, z) -> {
            for (int m = 0; m < Flow.NUMBERS; m++) {
                solution[Flow.NUMBERS * at + m] = isBoundary(x) || isBoundary(y) || isBoundary(z)
                    ? exact.value(m, x, y, z) : exact.guess(m, x, y, z);
            }
        });
        computeResidual();
    }

    /** Goes on from a solution that has been restored; collective. */
    void resume(SavedSolution saved) {
        gas.barrier(); // as above
        Arrays.fill(residual, 0);
        saved.copyTo(solution);
        computeResidual();
    }

    private boolean isBoundary(int place) {
        return place == 0 || place == problem.extent() - 1;
    }

    private void invert() {
        for (int at = 0; at < inverse.length; at++) {
            double density = solution[Flow.NUMBERS * at];
            inverse[at] = density == 0 ? 0 : 1 / density; // there is none beyond the boundary
        }
    }

    private void computeResidual() {
        mail.exchangeGhosts(solution);
        invert();
        operator.apply(solution, inverse, forcing, residual);
    }

    /** Action on the solution after so many steps. */
    interface StepAction {
        void after(int steps, double[] solution);
    }

    /** Some steps, from those that are done to that many; collective. */
    void step(int done, int steps, Progress progress, StepAction action) {
        double share = Sweeps.share();
        double timeStep = problem.timeStep();
        for (int step = done; step < steps; step++) {
            progress.at(step - done);
            for (int i = 0; i < residual.length; i++) {
                residual[i] *= timeStep;
            }
            sweeps.lower(solution, inverse, residual);
            sweeps.upper(solution, inverse, residual);
            add(share);
            computeResidual();
            action.after(step + 1, solution);
        }
    }

    private void add(double share) {
        for (int z = box.low(2); z < box.high(2); z++) {
            for (int y = box.low(1); y < box.high(1); y++) {
                int end = Flow.NUMBERS * box.at(box.high(0), y, z);
                for (int i = Flow.NUMBERS * box.at(box.low(0), y, z); i < end; i++) {
                    solution[i] += share * residual[i];
                }
            }
        }
    }

    Box box() {
        return box;
    }

    /** Norms and the integral of the present solution; collective. */
    Answer answer() {
        return new Integrals(gas, box, exact).answer(solution, residual);
    }

    /** Collective. */
    @Override
    public void close() {
        mail.close();
    }
}

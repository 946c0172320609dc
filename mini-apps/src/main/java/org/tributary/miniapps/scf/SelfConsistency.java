package org.tributary.miniapps.scf;

import java.nio.file.Path;
import java.util.Locale;
import java.util.OptionalLong;
import org.tributary.client.Gas;
import org.tributary.globalarrays.GlobalArray;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.globalarrays.file.Checkpoint;
import org.tributary.miniapps.Report;
import org.tributary.miniapps.gaussian.BasisSet;
import org.tributary.miniapps.scf.Phases.Phase;
import org.tributary.wire.shape.ReduceOp;

/** Iterations until density and Fock matrix belong together. Collective. */
final class SelfConsistency implements AutoCloseable {
    private final Gas gas;
    private final Functions functions;
    private final Phases phases = new Phases();
    private final Blocks blocks;
    private final FockTasks tasks;
    /** Null but on rank 0. */
    private final Field field;
    private Field.Step last;
    private int iterations;

    /**
     * Makes what all iterations need.
     *
     * @param block most functions of a block
     * @param limit integrals are left out whose contribution is less
     */
    SelfConsistency(Gas gas, Molecule molecule, BasisSet basis, int electrons, int block, double limit) {
        this.gas = gas;
        functions = new Functions(molecule, basis);
        Pairs pairs = new Pairs(functions);
        blocks = Blocks.of(functions, block);
        field = gas.rank() == 0 ? new Field(molecule, pairs, electrons) : null;
        tasks = new FockTasks(gas, pairs, blocks, limit, phases);
        phases.end(Phase.SETUP);
    }

    /** Orbitals that there are: fewer than functions where these overlap too much. Collective. */
    int combinations() {
        long[] count = {field == null ? 0 : field.combinations()};
        gas.world().broadcast(0, count);
        return (int) count[0];
    }

    /** Begins with the atoms side by side, or as if electrons did not repel each other. */
    void guess(Guess guess, BasisSet basis) {
        if (field != null) {
            tasks.density().put(whole(),
                guess == Guess.ATOMS ? field.densityOfAtoms(basis) : field.densityOfCore());
        }
        tasks.density().barrier();
        phases.end(Phase.SETUP);
    }

    /**
     * Where the density is kept; nothing is read or written yet.
     *
     * @param what names molecule and basis
     */
    Checkpoint checkpoint(Path file, String what) {
        return Checkpoint.of(file, what, tasks.density());
    }

    /** Takes the density of a checkpoint, if it is there; returns the iterations before it. */
    OptionalLong resume(Checkpoint checkpoint) {
        OptionalLong done = checkpoint.restore();
        phases.end(Phase.CHECKPOINT);
        return done;
    }

    /**
     * Makes iterations.
     *
     * @param done       iterations before, 0 after a guess
     * @param checkpoint where to write each density but the last, or null
     * @return whether the error became less than {@code tolerance} within {@code most} iterations
     */
    boolean iterate(int done, int most, double tolerance, Checkpoint checkpoint, Report out) {
        double[] density = new double[field == null ? 0 : functions.count() * functions.count()];
        double[] largest = new double[blocks.count() * blocks.count()];
        readDensity(density, largest);
        double before = Double.NaN;
        for (int iteration = done + 1; iteration <= most; iteration++) {
            // A density of atoms side by side is that of no orbitals, and may commute with its Fock matrix.
            double enough = iteration == 1 ? 0 : tolerance;
            tasks.build(largest, out.progress("scf, iteration " + iteration, tasks.count())::at);
            last = step(density, enough);
            iterations = iteration;
            boolean isDone = last.error() < enough;
            out.line("iteration %d: energy %.9f hartree, %serror %.1e", iteration, last.energy(), Double.isNaN(before)
                ? "" : String.format(Locale.ROOT, "change %.1e, ", last.energy() - before), last.error());
            before = last.energy();
            if (isDone) {
                return true;
            }
            if (field != null) {
                tasks.density().put(whole(), density);
            }
            tasks.density().barrier();
            share(density, largest);
            phases.end(Phase.WAITING);
            if (checkpoint != null && iteration < most) {
                checkpoint.write(iteration);
                phases.end(Phase.CHECKPOINT);
            }
        }
        return false;
    }

    private void readDensity(double[] density, double[] largest) {
        if (field != null) {
            tasks.density().get(whole(), density);
        }
        share(density, largest);
        phases.end(Phase.WAITING);
    }

    private void share(double[] density, double[] largest) {
        if (field != null) {
            System.arraycopy(blocks.largest(density), 0, largest, 0, largest.length);
        }
        gas.world().broadcast(0, largest);
    }

    private Field.Step step(double[] density, double tolerance) {
        double[] numbers = Field.Step.room();
        if (field != null) {
            double[] fock = new double[density.length];
            tasks.fock().get(whole(), fock);
            Dense.symmetrize(fock, functions.count());
            numbers = field.step(fock, density, tolerance).numbers();
            phases.end(Phase.DIAGONALIZATION);
        }
        gas.world().broadcast(0, numbers);
        phases.end(Phase.WAITING);
        return Field.Step.of(numbers);
    }

    private Patch whole() {
        return Patch.whole(functions.count(), functions.count());
    }

    /** Result of the last iteration. */
    Field.Step last() {
        return last;
    }

    /** Of all jobs, if this one goes on from a checkpoint. */
    int iterations() {
        return iterations;
    }

    Functions functions() {
        return functions;
    }

    GlobalArray density() {
        return tasks.density();
    }

    Phases phases() {
        return phases;
    }

    /** Tasks of a Fock matrix, those that are skipped included. */
    long tasks() {
        return tasks.count();
    }

    /** Tasks of each rank in all iterations that were not skipped. Collective. */
    long[] tasksOfRanks() {
        return gas.world().allgather(tasks.tasks());
    }

    /** Quartets of shells that all ranks have computed in all iterations. Collective. */
    long computed() {
        return gas.world().allreduce(ReduceOp.SUM, tasks.computed());
    }

    @Override
    public void close() {
        tasks.close();
    }
}

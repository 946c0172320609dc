package org.tributary.miniapps.scf;

import java.util.function.LongConsumer;
import org.tributary.client.Gas;
import org.tributary.client.remote.Handle;
import org.tributary.globalarrays.GlobalArray;
import org.tributary.globalarrays.LocalBuffer;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.miniapps.TaskCounter;
import org.tributary.miniapps.scf.Phases.Phase;
import org.tributary.wire.shape.ElementType;

/**
 * The two-electron part of the Fock matrix as tasks, one for each quartet of blocks of basis functions that differs
 * from the others by symmetry: a rank draws the number of the next from a shared counter, gets six blocks of the
 * density, computes, and accumulates to six blocks. Tasks all of whose integrals are too small are skipped without
 * communication. One thread a rank.
 */
final class FockTasks implements AutoCloseable {
    private final Blocks blocks;
    private final double limit;
    private final double[] bounds;
    private final Quartets quartets;
    private final Phases phases;
    private final GlobalArray density;
    private final GlobalArray fock;
    private final TaskCounter counter;
    private final Handle arrival;
    private long computed;
    private long tasks;

    /** Makes the matrices and the counter; the density is zero. Collective. */
    FockTasks(Gas gas, Pairs pairs, Blocks blocks, double limit, Phases phases) {
        this.blocks = blocks;
        this.limit = limit;
        this.phases = phases;
        bounds = blocks.bounds(pairs);
        quartets = new Quartets(pairs, blocks, limit);
        int size = pairs.functions().count();
        density = GlobalArray.create(gas, "density", ElementType.DOUBLE, size, size);
        fock = density.duplicate("fock");
        counter = new TaskCounter(gas, Triangle.count(bounds.length));
        arrival = gas.handle();
        density.zero();
    }

    GlobalArray density() {
        return density;
    }

    /** Twice the two-electron part, once it and its transpose are added. */
    GlobalArray fock() {
        return fock;
    }

    /** How many numbers are drawn for a matrix. */
    long count() {
        return counter.count();
    }

    /** Quartets of shells that this rank has computed so far. */
    long computed() {
        return computed;
    }

    /** Tasks of this rank so far that were not skipped. */
    long tasks() {
        return tasks;
    }

    /**
     * Computes the matrix. Collective.
     *
     * @param largest absolute value of the density in each pair of blocks, row by row
     * @param begun   told the number of each task that this rank begins
     */
    void build(double[] largest, LongConsumer begun) {
        fock.zero();
        counter.reset();
        phases.end(Phase.WAITING);
        counter.drawAll(begun, task -> compute(task, largest));
        phases.end(Phase.COMMUNICATION);
        fock.barrier();
        phases.end(Phase.WAITING);
    }

    private void compute(long task, double[] largest) {
        int bra = (int) Triangle.row(task);
        int ket = (int) Triangle.column(task);
        int[] quartet = {(int) Triangle.row(bra), (int) Triangle.column(bra), (int) Triangle.row(ket),
            (int) Triangle.column(ket)};
        if (bounds[bra] * bounds[ket] * largest(largest, quartet) >= limit) {
            compute(quartet);
            tasks++;
        }
    }

    /** Of the parts of the density that a quartet needs. */
    private double largest(double[] all, int... quartet) {
        double largest = 0;
        for (int part = 0; part < Quartets.PARTS; part++) {
            largest = Math.max(largest,
                all[quartet[Quartets.rows(part)] * blocks.count() + quartet[Quartets.columns(part)]]);
        }
        return largest;
    }

    private void compute(int... quartet) {
        for (int part = 0; part < Quartets.PARTS; part++) {
            density.nbGet(arrival, patch(part, quartet), LocalBuffer.of(quartets.density(part)));
        }
        arrival.await();
        phases.end(Phase.COMMUNICATION);
        long done = quartets.compute(quartet);
        phases.end(Phase.INTEGRALS);
        for (int part = 0; done > 0 && part < Quartets.PARTS; part++) {
            fock.accumulate(patch(part, quartet), quartets.fock(part),
                part <= Quartets.KL ? Quartets.COULOMB : Quartets.EXCHANGE);
        }
        computed += done;
    }

    private Patch patch(int part, int... quartet) {
        return blocks.patch(quartet[Quartets.rows(part)], quartet[Quartets.columns(part)]);
    }

    /** Collective. */
    @Override
    public void close() {
        counter.close();
        fock.close();
        density.close();
    }
}

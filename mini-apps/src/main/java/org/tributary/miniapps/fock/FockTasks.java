package org.tributary.miniapps.fock;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.LongConsumer;
import org.tributary.client.Gas;
import org.tributary.client.remote.Handle;
import org.tributary.globalarrays.GlobalArray;
import org.tributary.globalarrays.LocalBuffer;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.miniapps.TaskCounter;
import org.tributary.wire.shape.ElementType;

/**
 * The Fock matrix as tasks, one for each quartet of blocks of basis functions, as in NWChem: a rank draws the number
 * of the next from a shared counter (nxtval), gets two blocks of the density, computes the integrals, and accumulates
 * to two blocks of the Fock matrix. Quartets of distant pairs are skipped, so a task takes no time or much. One thread
 * a rank.
 */
final class FockTasks implements AutoCloseable {
    private final ModelIntegrals integrals;
    private final int block;
    private final int perSide;
    private final GlobalArray density;
    private final GlobalArray fock;
    private final TaskCounter counter;
    private final Handle arrival;
    private final double[] densityKl;
    private final double[] densityJl;
    private final double[] coulomb;
    private final double[] exchange;
    private final double[][] left;
    private final double[][] right;
    private long done;

    /** Makes the matrices and the counter. Collective. */
    FockTasks(Gas gas, ModelIntegrals integrals, int block) {
        this.integrals = integrals;
        this.block = block;
        int size = integrals.size();
        perSide = size / block;
        density = GlobalArray.create(gas, "density", ElementType.DOUBLE, size, size);
        fock = density.duplicate("fock");
        counter = new TaskCounter(gas, (long) perSide * perSide * perSide * perSide);
        arrival = gas.handle();
        int elements = block * block;
        densityKl = new double[elements];
        densityJl = new double[elements];
        coulomb = new double[elements];
        exchange = new double[elements];
        left = new double[2][elements];
        right = new double[2][elements];
        fillDensity(gas);
    }

    private void fillDensity(Gas gas) {
        Patch own = density.distribution(gas.rank());
        if (!own.isEmpty()) {
            double[] values = new double[Math.toIntExact(own.elementCount())];
            int columns = Math.toIntExact(own.extent(1));
            for (int i = 0; i < values.length; i++) {
                values[i] = integrals.density((int) own.lo(0) + i / columns, (int) own.lo(1) + i % columns);
            }
            density.put(own, values);
        }
        density.barrier();
    }

    GlobalArray fock() {
        return fock;
    }

    long count() {
        return counter.count();
    }

    /** Tasks of this rank so far that were not skipped. */
    long done() {
        return done;
    }

    /** Microseconds that this rank has waited for a number, on the average. */
    double drawUs() {
        return counter.drawUs();
    }

    /** Puts all tasks back. Collective. */
    void reset() {
        fock.zero();
        counter.reset();
    }

    /** Does tasks until none is left and all are accumulated. Collective. */
    void run(LongConsumer begun) {
        counter.drawAll(begun, this::compute);
        fock.barrier();
    }

    private void compute(long task) {
        int l = (int) (task % perSide);
        int k = (int) (task / perSide % perSide);
        int j = (int) (task / perSide / perSide % perSide);
        int i = (int) (task / perSide / perSide / perSide);
        if (integrals.haveFactors(i, j, block) && integrals.haveFactors(k, l, block)) {
            compute(i, j, k, l);
            done++;
        }
    }

    private Patch patch(int row, int column) {
        return Patch.of((long) row * block, (long) (row + 1) * block, (long) column * block,
            (long) (column + 1) * block);
    }

    private void compute(int i, int j, int k, int l) {
        density.nbGet(arrival, patch(k, l), LocalBuffer.of(MemorySegment.ofArray(densityKl)));
        density.nbGet(arrival, patch(j, l), LocalBuffer.of(MemorySegment.ofArray(densityJl)));
        for (int p = 0; p < 2; p++) {
            factors(left[p], p + 1, i, j);
            factors(right[p], p + 1, k, l);
        }
        arrival.await();
        contract();
        fock.accumulate(patch(i, j), coulomb, 2);
        fock.accumulate(patch(i, k), exchange, -1);
    }

    private void factors(double[] into, int p, int blockI, int blockJ) {
        for (int i = 0; i < block; i++) {
            for (int j = 0; j < block; j++) {
                into[i * block + j] = integrals.factor(p, blockI * block + i, blockJ * block + j);
            }
        }
    }

    /** Integral by integral, as in real programs, where each is computed and used twice. */
    private void contract() {
        Arrays.fill(coulomb, 0);
        Arrays.fill(exchange, 0);
        for (int i = 0; i < block; i++) {
            for (int j = 0; j < block; j++) {
                double first = left[0][i * block + j];
                double second = left[1][i * block + j];
                double sum = 0;
                for (int k = 0; k < block; k++) {
                    double exchanged = 0;
                    for (int l = 0; l < block; l++) {
                        double integral = first * right[0][k * block + l] + second * right[1][k * block + l];
                        sum += densityKl[k * block + l] * integral;
                        exchanged += densityJl[j * block + l] * integral;
                    }
                    exchange[i * block + k] += exchanged;
                }
                coulomb[i * block + j] = sum;
            }
        }
    }

    /** Closes the matrices and the counter. Collective. */
    @Override
    public void close() {
        counter.close();
        fock.close();
        density.close();
    }
}

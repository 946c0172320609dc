package org.tributary.miniapps.matmul;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.tributary.globalarrays.Block;
import org.tributary.globalarrays.GlobalArray;
import org.tributary.wire.shape.ElementType;

/** Matrices whose elements follow from their indices, so any rank can compute any of them: uniform in [-0.5, 0.5). */
enum TestMatrix {
    A(0x9E3779B97F4A7C15L), B(0xD1B54A32D192ED03L);

    private final long seed;

    TestMatrix(long seed) {
        this.seed = seed;
    }

    /** An element in single precision, which every element type holds exactly; by the finalizer of SplitMix64. */
    float at(long row, long column) {
        long z = seed ^ row << 32 ^ column;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        z ^= z >>> 31;
        return (z >>> 40) * 0x1.0p-24f - 0.5f;
    }

    /** Fills an array, every rank its own block. Collective. */
    void fill(GlobalArray array) {
        Block own = array.access();
        MemorySegment memory = own.segment();
        for (long row = own.patch().lo(0); row < own.patch().hi(0); row++) {
            for (long column = own.patch().lo(1); column < own.patch().hi(1); column++) {
                if (array.type() == ElementType.FLOAT) {
                    memory.set(ValueLayout.JAVA_FLOAT, own.offset(row, column), at(row, column));
                } else {
                    memory.set(ValueLayout.JAVA_DOUBLE, own.offset(row, column), at(row, column));
                }
            }
        }
        array.barrier();
    }
}

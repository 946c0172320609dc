package org.tributary.benchmarks.cooperation;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.tributary.benchmarks.job.JvmJob;
import org.tributary.benchmarks.measure.Sizes;
import org.tributary.client.shape.Scale;
import org.tributary.client.shape.Strided;
import org.tributary.config.EnumText;

/**
 * An operation that a rank repeats on one target, complete at the target each time.
 *
 * @param bytes moved, or the size of the word
 */
record RealOperation(Kind kind, int bytes) {
    enum Kind { PUT, GET, PUT_STRIDED, GET_STRIDED, LOCK, ACCUMULATE, FETCH_AND_ADD }

    /** Bytes that strided transfers touch at a rank, for their largest size. */
    static final long MEMORY = 4 << 20;
    private static final int ROWS = 8;
    private static final int BATCH = 16;

    /** Operations between two looks at the clock. */
    int batch() {
        return BATCH;
    }

    /** Does {@link #batch()} of them. */
    interface Repeated {
        void once();
    }

    /** Prepares the operation for one rank on one target. */
    Repeated on(JvmJob.Rank rank, int target) {
        MemorySegment local = Arena.ofAuto().allocate(Math.max(2L * bytes, Long.BYTES), Long.BYTES);
        long row = Math.max(1, bytes / ROWS);
        Strided shape = Strided.rows(row, Math.min(ROWS, bytes), 2 * row, 2 * row);
        Scale one = Scale.ofLong(1);
        Runnable single = switch (kind) {
            case PUT -> () -> {
                rank.memory().put(target, 0, local, 0, bytes);
                rank.gas().fence(target);
            };
            case GET -> () -> rank.memory().get(target, 0, local, 0, bytes);
            case PUT_STRIDED -> () -> {
                rank.memory().putStrided(target, 0, local, 0, shape);
                rank.gas().fence(target);
            };
            case GET_STRIDED -> () -> rank.memory().getStrided(target, 0, local, 0, shape);
            case LOCK -> () -> {
                rank.mutexes().lock(target, 0);
                rank.mutexes().unlock(target, 0);
            };
            case ACCUMULATE -> () -> {
                rank.memory().accumulate(target, 0, one, local, 0, bytes);
                rank.gas().fence(target);
            };
            case FETCH_AND_ADD -> () -> rank.memory().fetchAndAdd(target, 0, 1);
        };
        return () -> {
            for (int i = 0; i < BATCH; i++) {
                single.run();
            }
        };
    }

    /** Which figure's line this is. */
    String part() {
        return "real-" + EnumText.hyphenated(kind);
    }

    @Override
    public String toString() {
        return part() + " " + Sizes.format(bytes);
    }
}

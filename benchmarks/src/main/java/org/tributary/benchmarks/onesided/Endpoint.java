package org.tributary.benchmarks.onesided;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;

/**
 * Memory that an operation works on: the target's from offset 0, and two local buffers as large.
 *
 * @param source of puts, filled with a pattern of the case
 * @param sink   of gets
 */
record Endpoint(Gas gas, GlobalMemory memory, int target, MemorySegment source, MemorySegment sink) {
    private static final double ONE = 1.0;
    /** Spreads small seeds over all bits (Knuth, The Art of Computer Programming 3, 6.4). */
    private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

    /** Fills the source with something that no earlier case left in the target's memory. */
    void fillSource(int seed) {
        for (long at = 0; at < source.byteSize(); at += Long.BYTES) {
            source.set(ValueLayout.JAVA_LONG, at, (seed + 1) * GOLDEN_RATIO + at);
        }
    }

    /** Fills the source with ones and the target with zeros. */
    void prepareSum(long bytes) {
        for (long at = 0; at < bytes; at += Double.BYTES) {
            source.set(ValueLayout.JAVA_DOUBLE, at, ONE);
        }
        sink.asSlice(0, bytes).fill((byte) 0);
        memory.put(target, 0, sink, 0, bytes);
        gas.fence(target);
    }

    void fillTarget(long bytes) {
        memory.put(target, 0, source, 0, bytes);
        gas.fence(target);
    }

    /** Reads a piece of the target into the sink and compares it with the source. */
    void verifyTarget(long offset, long bytes) throws IOException {
        memory.get(target, offset, sink, offset, bytes);
        verifySink(offset, bytes);
    }

    /** Compares a piece of the sink with the source. */
    void verifySink(long offset, long bytes) throws IOException {
        long mismatch = MemorySegment.mismatch(source, offset, offset + bytes, sink, offset, offset + bytes);
        if (mismatch >= 0) {
            throw new IOException("bytes " + offset + " to " + (offset + bytes) + " of rank " + target
                + " differ from what was put there, first after " + mismatch + " bytes");
        }
    }

    /** Compares every double of the target with the number of times that one was added. */
    void verifySum(long bytes, long additions) throws IOException {
        memory.get(target, 0, sink, 0, bytes);
        for (long at = 0; at < bytes; at += Double.BYTES) {
            double sum = sink.get(ValueLayout.JAVA_DOUBLE, at);
            if (sum != additions * ONE) {
                throw new IOException("the sum at byte " + at + " of rank " + target + " is " + sum + " after "
                    + additions + " additions of 1");
            }
        }
    }
}

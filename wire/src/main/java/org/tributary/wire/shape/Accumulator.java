package org.tributary.wire.shape;

import java.lang.foreign.MemorySegment;
import org.tributary.wire.shm.AccumulateLocks;

/**
 * {@code dst += scale * src}, element by element, atomic against every other accumulate of the node: each run of at
 * most {@link AccumulateLocks#STRIPE_BYTES} happens under the lock of its stripe. Complex numbers are added by
 * components; one that lies across two stripes is added under both locks.
 *
 * <p>Floating-point scales travel as their bits ({@code re}, {@code im}); the imaginary part matters only to complex
 * types. The caller has checked bounds and alignment, so nothing is thrown under a lock. Immutable and thread-safe.
 */
public final class Accumulator {
    private final AccumulateLocks locks;

    /** Accumulates under the locks of one node. */
    public Accumulator(AccumulateLocks locks) {
        this.locks = locks;
    }

    /**
     * Accumulates packed elements into the next {@code lengthInBytes} of a region.
     *
     * @param lengthInBytes whole elements; so are the blocks of the region
     * @param segmentId     segment of the region, which with {@code fileOffset}, the place of the region's memory in
     *                      the segment's file, chooses the locks
     */
    public void accumulate(ElementType type, long re, long im, MemorySegment source, long sourceOffset,
        long lengthInBytes, StridedRegion target, long segmentId, long fileOffset) {
        ScaledAdd sums = ScaledAdd.ofThread();
        long from = sourceOffset;
        long left = lengthInBytes;
        while (left > 0) {
            long at = fileOffset + target.position();
            long toStripeEnd = AccumulateLocks.STRIPE_BYTES - at % AccumulateLocks.STRIPE_BYTES;
            long bytes = Math.min(Math.min(left, target.contiguous()), toStripeEnd);
            bytes -= bytes % type.sizeInBytes();
            if (bytes == 0) {
                bytes = type.sizeInBytes();
                addAcrossStripes(type, re, im, source, from, target, segmentId, at);
            } else {
                int lock = AccumulateLocks.lockOf(segmentId, at);
                locks.acquire(lock);
                sums.add(type, re, im, source, from, target.memory(), target.position(), (int) bytes);
                locks.release(lock);
            }
            target.advance(bytes);
            from += bytes;
            left -= bytes;
        }
    }

    /** One complex element that begins in one stripe and ends in the next: under both locks, lower one first. */
    private void addAcrossStripes(ElementType type, long re, long im, MemorySegment source, long from,
        StridedRegion target, long segmentId, long at) {
        int one = AccumulateLocks.lockOf(segmentId, at);
        int two = AccumulateLocks.lockOf(segmentId, at + type.componentBytes());
        locks.acquire(Math.min(one, two));
        locks.acquire(Math.max(one, two));
        ScaledAdd.ofThread().add(type, re, im, source, from, target.memory(), target.position(),
            type.sizeInBytes());
        locks.release(one);
        locks.release(two);
    }
}

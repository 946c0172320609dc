package org.tributary.wire.shape;

import java.lang.foreign.MemorySegment;
import org.tributary.wire.shm.AccumulateLocks;

/**
 * What ranks and servers do to elements where they lie: {@code dst += scale * src}, other combinations, and those that
 * return what was there before. Element by element atomic against every other operation here of the node: each run of
 * at most {@link AccumulateLocks#STRIPE_BYTES} happens under the lock of its stripe. Complex numbers are one element;
 * one that lies across two stripes is combined under both locks.
 *
 * <p>Floating-point scales travel as their bits ({@code re}, {@code im}); the imaginary part matters only to complex
 * types. The caller has checked bounds, alignment and that the operation {@linkplain ReduceOp#isDefinedFor is defined},
 * so nothing is thrown under a lock. Immutable and thread-safe.
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
        combine(ReduceOp.SUM, type, re, im, source, sourceOffset, lengthInBytes, target, segmentId, fileOffset);
    }

    /**
     * Combines the next {@code lengthInBytes} of a region with packed elements.
     *
     * @param re            scale of a sum, as {@link ElementType#one()} for none; other operations have no scale
     * @param lengthInBytes whole elements; so are the blocks of the region
     * @param segmentId     as in {@link #accumulate}, as is {@code fileOffset}
     */
    public void combine(ReduceOp op, ElementType type, long re, long im, MemorySegment source, long sourceOffset,
        long lengthInBytes, StridedRegion target, long segmentId, long fileOffset) {
        long done = 0;
        while (done < lengthInBytes) {
            long bytes = Math.min(lengthInBytes - done, target.contiguous());
            combineRun(op, type, re, im, source, sourceOffset + done, bytes, null, 0, target.memory(),
                target.position(), segmentId, fileOffset);
            target.advance(bytes);
            done += bytes;
        }
    }

    /**
     * Combines contiguous elements and returns what was there before; both in one for each element.
     *
     * @param lengthInBytes whole elements, in all three places
     * @param result        gets the elements as they were, from {@code resultOffset} on; apart from the source
     * @param segmentId     as in {@link #accumulate}; {@code fileOffset} is where {@code target} begins in the file
     */
    public void fetchAndCombine(ReduceOp op, ElementType type, MemorySegment source, long sourceOffset,
        long lengthInBytes, MemorySegment result, long resultOffset, MemorySegment target, long targetOffset,
        long segmentId, long fileOffset) {
        combineRun(op, type, type.one(), 0, source, sourceOffset, lengthInBytes, result, resultOffset, target,
            targetOffset, segmentId, fileOffset);
    }

    /**
     * Replaces one element if it has the expected bits, and returns what was there before.
     *
     * @param operands two elements from {@code operandsOffset} on: the expected one, the new one
     * @param result   gets the element as it was; apart from the operands
     */
    public void compareAndSwap(ElementType type, MemorySegment operands, long operandsOffset, MemorySegment result,
        long resultOffset, MemorySegment target, long targetOffset, long segmentId, long fileOffset) {
        int size = type.sizeInBytes();
        long at = fileOffset + targetOffset;
        int one = AccumulateLocks.lockOf(segmentId, at);
        int two = AccumulateLocks.lockOf(segmentId, at + size - 1);
        acquire(one, two);
        MemorySegment.copy(target, targetOffset, result, resultOffset, size);
        if (MemorySegment.mismatch(result, resultOffset, resultOffset + size, operands, operandsOffset,
            operandsOffset + size) < 0) {
            MemorySegment.copy(operands, operandsOffset + size, target, targetOffset, size);
        }
        release(one, two);
    }

    /** Contiguous elements, stripe by stripe; a result that is null is not wanted. */
    private void combineRun(ReduceOp op, ElementType type, long re, long im, MemorySegment source, long from,
        long length, MemorySegment result, long resultFrom, MemorySegment target, long to, long segmentId,
        long fileOffset) {
        int size = type.sizeInBytes();
        long done = 0;
        while (done < length) {
            long at = fileOffset + to + done;
            long toStripeEnd = AccumulateLocks.STRIPE_BYTES - at % AccumulateLocks.STRIPE_BYTES;
            long bytes = Math.min(length - done, toStripeEnd);
            bytes -= bytes % size;
            bytes = bytes == 0 ? size : bytes; // one that begins in one stripe and ends in the next
            int one = AccumulateLocks.lockOf(segmentId, at);
            int two = AccumulateLocks.lockOf(segmentId, at + bytes - 1);
            acquire(one, two);
            if (result != null) {
                MemorySegment.copy(target, to + done, result, resultFrom + done, bytes);
            }
            if (op == ReduceOp.SUM) {
                ScaledAdd.ofThread().add(type, re, im, source, from + done, target, to + done, (int) bytes);
            } else {
                Reducer.ofThread().combine(op, type, target, to + done, source, from + done, bytes);
            }
            release(one, two);
            done += bytes;
        }
    }

    /** The lower one first, so that nobody can deadlock. */
    private void acquire(int one, int two) {
        locks.acquire(Math.min(one, two));
        if (one != two) {
            locks.acquire(Math.max(one, two));
        }
    }

    private void release(int one, int two) {
        locks.release(one);
        if (one != two) {
            locks.release(two);
        }
    }
}

package org.tributary.wire.shape;

import java.lang.foreign.MemorySegment;
import org.tributary.wire.shm.AccumulateLocks;

/**
 * Operations of ranks and servers on elements where they lie: {@code dst += scale * src}, other combinations, and those
 * that return the old elements. Element by element atomic against every other operation here of the node: each run of
 * at most {@link AccumulateLocks#STRIPE_BYTES} happens under the lock of its stripe. Complex numbers are one element;
 * one that lies across two stripes is combined under both locks.
 *
 * <p>Floating-point scales travel as their bits ({@code re}, {@code im}); the imaginary part matters only to complex
 * types. The caller has checked bounds, alignment and that the operation {@linkplain ReduceOp#isDefinedFor is defined}.
 * Memory of the caller, which may have to be paged in or may not be there, is read before a lock is taken and written
 * after it was released; whatever is thrown, no lock stays held.
 *
 * <p>There are two ways to wait for a lock whose holder is stopped: as long as it takes, and not at all ({@code try}).
 * Immutable and thread-safe.
 */
public final class Accumulator {
    private final AccumulateLocks locks;

    /** Accumulates under the locks of one node. */
    public Accumulator(AccumulateLocks locks) {
        this.locks = locks;
    }

    /**
     * Combines the next {@code lengthInBytes} of a region with packed elements.
     *
     * @param re            scale of a sum, as {@link ElementType#one()} for none; other operations have no scale
     * @param lengthInBytes whole elements; so are the blocks of the region
     * @param segmentId     segment of the region, which with {@code fileOffset}, the place of the region's memory in
     *                      the segment's file, chooses the locks
     */
    public void combine(ReduceOp op, ElementType type, long re, long im, MemorySegment source, long sourceOffset,
        long lengthInBytes, StridedRegion target, long segmentId, long fileOffset) {
        combine(true, op, type, re, im, source, sourceOffset, lengthInBytes, target, segmentId, fileOffset);
    }

    /**
     * As {@link #combine}, up to the first lock that is not free.
     *
     * @return bytes that were combined, whole elements, by which the region has moved on
     */
    public long tryCombine(ReduceOp op, ElementType type, long re, long im, MemorySegment source, long sourceOffset,
        long lengthInBytes, StridedRegion target, long segmentId, long fileOffset) {
        return combine(false, op, type, re, im, source, sourceOffset, lengthInBytes, target, segmentId, fileOffset);
    }

    private long combine(boolean waits, ReduceOp op, ElementType type, long re, long im, MemorySegment source,
        long sourceOffset, long lengthInBytes, StridedRegion target, long segmentId, long fileOffset) {
        long done = 0;
        while (done < lengthInBytes) {
            long wanted = Math.min(lengthInBytes - done, target.contiguous());
            long bytes = combineRun(waits, op, type, re, im, source, sourceOffset + done, wanted, null, 0,
                target.memory(), target.position(), segmentId, fileOffset);
            target.advance(bytes);
            done += bytes;
            if (bytes < wanted) {
                break;
            }
        }
        return done;
    }

    /**
     * Combines contiguous elements and returns what was there before; both in one for each element.
     *
     * @param lengthInBytes whole elements, in all three places
     * @param result        gets the elements as they were, from {@code resultOffset} on; apart from the source
     * @param segmentId     as in {@link #combine}; {@code fileOffset} is where {@code target} begins in the file
     */
    public void fetchAndCombine(ReduceOp op, ElementType type, MemorySegment source, long sourceOffset,
        long lengthInBytes, MemorySegment result, long resultOffset, MemorySegment target, long targetOffset,
        long segmentId, long fileOffset) {
        combineRun(true, op, type, type.one(), 0, source, sourceOffset, lengthInBytes, result, resultOffset, target,
            targetOffset, segmentId, fileOffset);
    }

    /**
     * As {@link #fetchAndCombine}, up to the first lock that is not free.
     *
     * @return bytes that were combined, whole elements
     */
    public long tryFetchAndCombine(ReduceOp op, ElementType type, MemorySegment source, long sourceOffset,
        long lengthInBytes, MemorySegment result, long resultOffset, MemorySegment target, long targetOffset,
        long segmentId, long fileOffset) {
        return combineRun(false, op, type, type.one(), 0, source, sourceOffset, lengthInBytes, result, resultOffset,
            target, targetOffset, segmentId, fileOffset);
    }

    /**
     * Replaces one element if it has the expected bits, and returns what was there before.
     *
     * @param operands two elements from {@code operandsOffset} on: the expected one, the new one
     * @param result   gets the element as it was; apart from the operands
     */
    public void compareAndSwap(ElementType type, MemorySegment operands, long operandsOffset, MemorySegment result,
        long resultOffset, MemorySegment target, long targetOffset, long segmentId, long fileOffset) {
        compareAndSwap(true, type, operands, operandsOffset, result, resultOffset, target, targetOffset, segmentId,
            fileOffset);
    }

    /** As {@link #compareAndSwap}; false when nothing has happened because a lock is not free. */
    public boolean tryCompareAndSwap(ElementType type, MemorySegment operands, long operandsOffset,
        MemorySegment result, long resultOffset, MemorySegment target, long targetOffset, long segmentId,
        long fileOffset) {
        return compareAndSwap(false, type, operands, operandsOffset, result, resultOffset, target, targetOffset,
            segmentId, fileOffset);
    }

    private boolean compareAndSwap(boolean waits, ElementType type, MemorySegment operands, long operandsOffset,
        MemorySegment result, long resultOffset, MemorySegment target, long targetOffset, long segmentId,
        long fileOffset) {
        int size = type.sizeInBytes();
        OperandCopies copies = OperandCopies.ofThread();
        copies.source(operands, operandsOffset, 2 * size);
        long at = fileOffset + targetOffset;
        int one = AccumulateLocks.lockOf(segmentId, at);
        int two = AccumulateLocks.lockOf(segmentId, at + size - 1);
        if (!acquire(waits, one, two)) {
            return false;
        }
        try {
            copies.before(target, targetOffset, size);
            if (copies.isAsExpected(size)) {
                MemorySegment.copy(copies.source(), size, target, targetOffset, size);
            }
        } finally {
            locks.release(one, two);
        }
        copies.copyBefore(result, resultOffset, size);
        return true;
    }

    /** Contiguous elements, stripe by stripe; a result that is null is not wanted. Returns how many bytes. */
    private long combineRun(boolean waits, ReduceOp op, ElementType type, long re, long im, MemorySegment source,
        long from, long length, MemorySegment result, long resultFrom, MemorySegment target, long to, long segmentId,
        long fileOffset) {
        if (op == ReduceOp.SUM && result == null && length == type.componentBytes()) {
            return addOne(waits, type, re, source, from, target, to, segmentId, fileOffset + to);
        }
        Reducer reducer = Reducer.ofThread();
        long done = 0;
        while (done < length) {
            long at = fileOffset + to + done;
            int bytes = pieceAt(at, length - done, type.sizeInBytes());
            stage(reducer, op, type, re, im, source, from + done, bytes);
            int one = AccumulateLocks.lockOf(segmentId, at);
            int two = AccumulateLocks.lockOf(segmentId, at + bytes - 1);
            if (!acquire(waits, one, two)) {
                return done;
            }
            try {
                if (result != null) {
                    OperandCopies.ofThread().before(target, to + done, bytes);
                }
                reducer.combineStaged(op, type, target, to + done, bytes);
            } finally {
                locks.release(one, two);
            }
            if (result != null) {
                OperandCopies.ofThread().copyBefore(result, resultFrom + done, bytes);
            }
            done += bytes;
        }
        return done;
    }

    private long addOne(boolean waits, ElementType type, long scale, MemorySegment source, long from,
        MemorySegment target, long to, long segmentId, long at) {
        int bytes = type.componentBytes();
        long operand = SingleSum.operand(type, scale, source, from);
        int one = AccumulateLocks.lockOf(segmentId, at);
        int two = AccumulateLocks.lockOf(segmentId, at + bytes - 1);
        if (!acquire(waits, one, two)) {
            return 0;
        }
        try {
            SingleSum.add(type, target, to, operand);
        } finally {
            locks.release(one, two);
        }
        return bytes;
    }

    /** Bytes that are combined at once from a place of the file on. */
    private static int pieceAt(long at, long length, int elementBytes) {
        long toStripeEnd = AccumulateLocks.STRIPE_BYTES - at % AccumulateLocks.STRIPE_BYTES;
        int bytes = (int) Math.min(Math.min(length, toStripeEnd), OperandCopies.BYTES);
        bytes -= bytes % elementBytes;
        return bytes == 0 ? elementBytes : bytes; // one that begins in one stripe and ends in the next
    }

    private static void stage(Reducer reducer, ReduceOp op, ElementType type, long re, long im, MemorySegment source,
        long from, int bytes) {
        reducer.stage(type, source, from, bytes);
        if (op == ReduceOp.SUM && (re != type.one() || im != 0)) { // most factors are 1, which changes nothing
            reducer.scaleStaged(type, re, im, bytes);
        }
    }

    private boolean acquire(boolean waits, int one, int two) {
        if (waits) {
            locks.acquire(one, two);
            return true;
        }
        return locks.tryAcquire(one, two);
    }

    /**
     * Takes the locks of a range, at most {@link AccumulateLocks#STRIPE_BYTES} long, if they are free, for one
     * {@link #combineHeld}; {@link #release} must follow.
     *
     * @return false when nothing has been taken
     */
    public boolean tryAcquire(long segmentId, long at, long lengthInBytes) {
        return locks.tryAcquire(AccumulateLocks.lockOf(segmentId, at),
            AccumulateLocks.lockOf(segmentId, at + lengthInBytes - 1));
    }

    /** Releases what {@link #tryAcquire} has taken for the range. */
    public void release(long segmentId, long at, long lengthInBytes) {
        locks.release(AccumulateLocks.lockOf(segmentId, at),
            AccumulateLocks.lockOf(segmentId, at + lengthInBytes - 1));
    }

    /** Combines contiguous elements whose locks the caller has taken. */
    public void combineHeld(ReduceOp op, ElementType type, long re, long im, MemorySegment source, long from,
        long lengthInBytes, MemorySegment target, long to) {
        Reducer reducer = Reducer.ofThread();
        long done = 0;
        while (done < lengthInBytes) {
            int bytes = (int) Math.min(lengthInBytes - done, OperandCopies.BYTES);
            stage(reducer, op, type, re, im, source, from + done, bytes);
            reducer.combineStaged(op, type, target, to + done, bytes);
            done += bytes;
        }
    }
}

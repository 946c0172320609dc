package org.tributary.client;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.tributary.client.error.GasException;
import org.tributary.client.error.InvalidAddressException;
import org.tributary.client.remote.Handle;
import org.tributary.client.remote.RemoteAccess;
import org.tributary.client.segment.SegmentAccess;
import org.tributary.client.shape.Ranges;
import org.tributary.client.shape.Scale;
import org.tributary.client.shape.Strided;
import org.tributary.wire.codec.AtomicOp;
import org.tributary.wire.codec.SignalOp;

/**
 * Memory of which every member of a group has a part that all of them can read and write. An address is a rank (its
 * number among all ranks) and an offset in bytes in that rank's part. Parts are page-aligned and initially zero.
 *
 * <p>Blocking puts and accumulates return when their source may be reused, gets when the data is there;
 * {@link Gas#fence} waits until puts and accumulates have been executed. Operations of one rank on one target take
 * effect in the order in which they were issued. Accumulates are atomic by element against all other accumulates;
 * fetch-and-add, swap and compare-and-swap are atomic against each other. Words for atomics and flags are aligned to
 * their size, elements of accumulates to their component.
 *
 * <p>Of one call, source and target overlap only in contiguous puts and gets; what others would do is undefined.
 *
 * <p>Non-blocking forms begin with {@code nb}. Small ones may wait in a buffer until the handle is waited for or
 * tested, a fence, or any blocking operation on the same node; buffers must stay unchanged until then only for gets.
 * With several threads, buffers must be accessible to all of them.
 *
 * <p>Errors: {@link InvalidAddressException} for any address that may not be touched, in the caller and before anything
 * is sent; {@link IndexOutOfBoundsException} for ranges outside the caller's own buffer. Thread-safe.
 */
public final class GlobalMemory implements AutoCloseable {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ThreadLocal<MemorySegment> WORD =
        ThreadLocal.withInitial(() -> MemorySegment.ofArray(new long[1]));

    private final RemoteAccess access;
    private final Group group;
    private final SegmentAccess segment;

    GlobalMemory(RemoteAccess access, Group group, SegmentAccess segment) {
        this.access = access;
        this.group = group;
        this.segment = segment;
    }

    /** What operations on the memory go through. */
    SegmentAccess segment() {
        return segment;
    }

    /** Number of the segment, as errors name it. */
    public long id() {
        return segment.id();
    }

    /** The group whose members have parts. */
    public Group group() {
        return group;
    }

    /** Bytes of a rank's part. */
    public long bytes(int rank) {
        return segment.bytes(rank);
    }

    /** Whether a rank's part can be accessed directly, with {@link #shared}. */
    public boolean isShared(int rank) {
        return segment.part(rank) != null;
    }

    /** This rank's own part, for direct access. */
    public MemorySegment local() {
        return shared(access.rank());
    }

    /**
     * The part of a rank of the same node, for direct access. Others see plain stores after the next barrier, flag,
     * notification or mutex that orders them.
     */
    public MemorySegment shared(int rank) {
        return segment.shared(rank);
    }

    /**
     * Closes the memory; collective over the group, but no barrier: it waits for no other member. So it suits
     * try-with-resources, where a member that leaves by an exception must not wait for members that never come. It
     * fences what this process has sent to any rank. The others may use the memory, this member's part included, until
     * they close it. The servers take it back during the next collective of the group that all members call, such as a
     * barrier or an allocation, and at the latest when the job ends. When a member has not closed it by then, the job
     * ends with a message that says so.
     * Another close does nothing.
     *
     * @throws GasException when an operation that this process has sent has failed; the memory is closed all the same
     */
    @Override
    public void close() {
        if (!segment.isClosed()) {
            try {
                access.fenceAll();
            } finally {
                segment.refuse();
                group.close(segment);
            }
        }
    }

    /** Puts all of {@code source}; returns when it may be used again. */
    public void put(int rank, long offset, MemorySegment source) {
        put(rank, offset, source, 0, source.byteSize());
    }

    /** Puts {@code length} bytes; returns when their source may be used again. */
    public void put(int rank, long offset, MemorySegment source, long sourceOffset, long length) {
        segment.update(null, rank, offset, source, sourceOffset, length, null, null);
    }

    /** Puts {@code length} bytes; only with a deferred handle the source must stay as it is until that is done. */
    public void nbPut(Handle handle, int rank, long offset, MemorySegment source, long sourceOffset, long length) {
        segment.update(access.own(handle), rank, offset, source, sourceOffset, length, null, null);
    }

    /** Fills {@code target}; returns when the data is there. */
    public void get(int rank, long offset, MemorySegment target) {
        get(rank, offset, target, 0, target.byteSize());
    }

    /** Gets {@code length} bytes; returns when they are there. */
    public void get(int rank, long offset, MemorySegment target, long targetOffset, long length) {
        segment.fetch(null, rank, offset, target, targetOffset, length, null);
    }

    /** Begins to get {@code length} bytes, which are there once the handle has been waited for. */
    public void nbGet(Handle handle, int rank, long offset, MemorySegment target, long targetOffset, long length) {
        segment.fetch(access.own(handle), rank, offset, target, targetOffset, length, null);
    }

    /** Adds {@code scale * source} to memory; {@code length} in bytes, whole elements. */
    public void accumulate(int rank, long offset, Scale scale, MemorySegment source, long sourceOffset, long length) {
        segment.update(null, rank, offset, source, sourceOffset, length, null, Objects.requireNonNull(scale));
    }

    /** As {@link #accumulate}; the source is as with {@link #nbPut}. */
    public void nbAccumulate(Handle handle, int rank, long offset, Scale scale, MemorySegment source,
        long sourceOffset, long length) {
        segment.update(access.own(handle), rank, offset, source, sourceOffset, length, null,
            Objects.requireNonNull(scale));
    }

    /** Puts a strided region, first block at the offsets; returns when its source may be used again. */
    public void putStrided(int rank, long offset, MemorySegment source, long sourceOffset, Strided shape) {
        segment.update(null, rank, offset, source, sourceOffset, 0, shape, null);
    }

    /** As {@link #putStrided}, to be waited for by the handle; the source may be used again at once. */
    public void nbPutStrided(Handle handle, int rank, long offset, MemorySegment source, long sourceOffset,
        Strided shape) {
        segment.update(access.own(handle), rank, offset, source, sourceOffset, 0, shape, null);
    }

    /** Gets a strided region, first block at the offsets; returns when the data is there. */
    public void getStrided(int rank, long offset, MemorySegment target, long targetOffset, Strided shape) {
        segment.fetch(null, rank, offset, target, targetOffset, 0, shape);
    }

    /** As {@link #getStrided}; the data is there once the handle has been waited for. */
    public void nbGetStrided(Handle handle, int rank, long offset, MemorySegment target, long targetOffset,
        Strided shape) {
        segment.fetch(access.own(handle), rank, offset, target, targetOffset, 0, shape);
    }

    /** Adds {@code scale * source} to a strided region of whole elements, at offsets as {@link #putStrided}. */
    public void accumulateStrided(int rank, long offset, Scale scale, MemorySegment source, long sourceOffset,
        Strided shape) {
        segment.update(null, rank, offset, source, sourceOffset, 0, shape, Objects.requireNonNull(scale));
    }

    /** As {@link #accumulateStrided}, to be waited for by the handle; the source may be used again at once. */
    public void nbAccumulateStrided(Handle handle, int rank, long offset, Scale scale, MemorySegment source,
        long sourceOffset, Strided shape) {
        segment.update(access.own(handle), rank, offset, source, sourceOffset, 0, shape,
            Objects.requireNonNull(scale));
    }

    /** Puts ranges, whose offsets are in bytes; returns when their source may be used again. */
    public void putVector(int rank, MemorySegment source, Ranges ranges) {
        segment.update(null, rank, 0, source, 0, 0, ranges, null);
    }

    /** The same as {@link #putVector}, which never waits for an answer. */
    public void nbPutVector(Handle handle, int rank, MemorySegment source, Ranges ranges) {
        segment.update(access.own(handle), rank, 0, source, 0, 0, ranges, null);
    }

    /** Gets ranges, whose offsets are in bytes; returns when the data is there. */
    public void getVector(int rank, MemorySegment target, Ranges ranges) {
        segment.fetch(null, rank, 0, target, 0, 0, ranges);
    }

    /** As {@link #getVector}; the data is there once the handle has been waited for. */
    public void nbGetVector(Handle handle, int rank, MemorySegment target, Ranges ranges) {
        segment.fetch(access.own(handle), rank, 0, target, 0, 0, ranges);
    }

    /** Adds {@code scale * source} to ranges of whole elements; returns when the source may be used again. */
    public void accumulateVector(int rank, Scale scale, MemorySegment source, Ranges ranges) {
        segment.update(null, rank, 0, source, 0, 0, ranges, Objects.requireNonNull(scale));
    }

    /** The same as {@link #accumulateVector}, which never waits for an answer. */
    public void nbAccumulateVector(Handle handle, int rank, Scale scale, MemorySegment source, Ranges ranges) {
        segment.update(access.own(handle), rank, 0, source, 0, 0, ranges, Objects.requireNonNull(scale));
    }

    /** Puts 4 bytes, in the byte order of the machine, at any offset. Does not wait for an answer. */
    public void putInt(int rank, long offset, int value) {
        MemorySegment word = WORD.get();
        word.set(INT, 0, value);
        put(rank, offset, word, 0, Integer.BYTES);
    }

    /** Puts 8 bytes, in the byte order of the machine, at any offset. Does not wait for an answer. */
    public void putLong(int rank, long offset, long value) {
        MemorySegment word = WORD.get();
        word.set(LONG, 0, value);
        put(rank, offset, word, 0, Long.BYTES);
    }

    /** Puts 4 bytes, in the byte order of the machine, at any offset. Does not wait for an answer. */
    public void putFloat(int rank, long offset, float value) {
        putInt(rank, offset, Float.floatToRawIntBits(value));
    }

    /** Puts 8 bytes, in the byte order of the machine, at any offset. Does not wait for an answer. */
    public void putDouble(int rank, long offset, double value) {
        putLong(rank, offset, Double.doubleToRawLongBits(value));
    }

    /** Gets 4 bytes, in the byte order of the machine, from any offset. */
    public int getInt(int rank, long offset) {
        MemorySegment word = WORD.get();
        get(rank, offset, word, 0, Integer.BYTES);
        return word.get(INT, 0);
    }

    /** Gets 8 bytes, in the byte order of the machine, from any offset. */
    public long getLong(int rank, long offset) {
        MemorySegment word = WORD.get();
        get(rank, offset, word, 0, Long.BYTES);
        return word.get(LONG, 0);
    }

    /** Gets 4 bytes, in the byte order of the machine, from any offset. */
    public float getFloat(int rank, long offset) {
        return Float.intBitsToFloat(getInt(rank, offset));
    }

    /** Gets 8 bytes, in the byte order of the machine, from any offset. */
    public double getDouble(int rank, long offset) {
        return Double.longBitsToDouble(getLong(rank, offset));
    }

    /** Atomically adds to an 8-byte word; returns what was there. */
    public long fetchAndAdd(int rank, long offset, long delta) {
        return segment.atomic(rank, offset, AtomicOp.FETCH_AND_ADD, Long.BYTES, delta, 0);
    }

    /** Atomically adds to a 4-byte word; returns what was there. */
    public int fetchAndAddInt(int rank, long offset, int delta) {
        return (int) segment.atomic(rank, offset, AtomicOp.FETCH_AND_ADD, Integer.BYTES, delta, 0);
    }

    /** Atomically replaces an 8-byte word; returns what was there. */
    public long swap(int rank, long offset, long value) {
        return segment.atomic(rank, offset, AtomicOp.SWAP, Long.BYTES, value, 0);
    }

    /** Atomically replaces a 4-byte word; returns what was there. */
    public int swapInt(int rank, long offset, int value) {
        return (int) segment.atomic(rank, offset, AtomicOp.SWAP, Integer.BYTES, value, 0);
    }

    /** Atomically replaces an 8-byte word if it is {@code expected}; returns what was there. */
    public long compareAndSwap(int rank, long offset, long expected, long value) {
        return segment.atomic(rank, offset, AtomicOp.COMPARE_AND_SWAP, Long.BYTES, value, expected);
    }

    /** Atomically replaces a 4-byte word if it is {@code expected}; returns what was there. */
    public int compareAndSwapInt(int rank, long offset, int expected, int value) {
        return (int) segment.atomic(rank, offset, AtomicOp.COMPARE_AND_SWAP, Integer.BYTES, value, expected);
    }

    /** Puts, then sets an 8-byte flag in the same part: a rank that sees the flag sees the data. */
    public void putWithFlag(int rank, long offset, MemorySegment source, long sourceOffset, long length,
        long flagOffset, long flagValue) {
        segment.putWithFlag(rank, offset, source, sourceOffset, length, null, flagOffset, flagValue);
    }

    /** Puts a strided region, then sets an 8-byte flag in the same part: a rank that sees the flag sees the data. */
    public void putStridedWithFlag(int rank, long offset, MemorySegment source, long sourceOffset, Strided shape,
        long flagOffset, long flagValue) {
        segment.putWithFlag(rank, offset, source, sourceOffset, 0, shape, flagOffset, flagValue);
    }

    /** Sets an 8-byte flag after everything that this rank has sent to that one so far. */
    public void setFlag(int rank, long flagOffset, long value) {
        segment.signal(rank, flagOffset, SignalOp.SET, value);
    }

    /** Adds to an 8-byte flag after everything that this rank has sent to that one so far. */
    public void addToFlag(int rank, long flagOffset, long delta) {
        segment.signal(rank, flagOffset, SignalOp.ADD, delta);
    }

    /**
     * Waits until an 8-byte flag in this rank's own part has a value.
     *
     * @param from rank that is to set it, so that waiting ends with an error when that rank has left, or -1
     */
    public void awaitFlag(long flagOffset, long value, int from) {
        segment.awaitFlag(flagOffset, value, true, from);
    }

    /** Waits until an 8-byte flag in this rank's own part has a value or a greater one. */
    public void awaitFlagAtLeast(long flagOffset, long value, int from) {
        segment.awaitFlag(flagOffset, value, false, from);
    }
}

package org.tributary.client;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.tributary.client.error.GasException;
import org.tributary.client.error.InvalidAddressException;
import org.tributary.client.node.LocalParts;
import org.tributary.client.node.OnNode;
import org.tributary.client.remote.Handle;
import org.tributary.client.remote.RemoteAccess;
import org.tributary.client.remote.RemoteMemory;
import org.tributary.client.segment.Bounds;
import org.tributary.client.segment.Members;
import org.tributary.client.segment.PartSizes;
import org.tributary.client.shape.Buffers;
import org.tributary.client.shape.Ranges;
import org.tributary.client.shape.Scale;
import org.tributary.client.shape.Strided;
import org.tributary.wire.codec.AtomicOp;
import org.tributary.wire.codec.ReduceCode;
import org.tributary.wire.codec.SignalOp;
import org.tributary.wire.shm.Trace;
import org.tributary.wire.shm.TraceOperation;

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
    private final Members members;
    private final long id;
    private final Bounds bounds;
    private final LocalParts localParts;
    private final RemoteMemory remote;
    private final OnNode onNode;
    /** Null unless operations are recorded; those of the runtime's own memory never are. */
    private final Trace trace;
    private volatile boolean closed;

    GlobalMemory(RemoteAccess access, Group group, Members members, long id, PartSizes sizes, LocalParts localParts) {
        this.access = access;
        this.group = group;
        this.members = members;
        this.id = id;
        this.bounds = new Bounds(id, members, sizes, access.topology().rankCount());
        this.localParts = localParts;
        this.remote = new RemoteMemory(access, id, group != null);
        this.trace = group == null ? null : access.node().trace();
        this.onNode = new OnNode(access.node(), id, localParts, this::translate);
    }

    /** Number of the segment, as errors name it. */
    public long id() {
        return id;
    }

    /** Operations are refused from now on. */
    void refuse() {
        closed = true;
    }

    void unmap() {
        closed = true;
        remote.forget();
        localParts.unmap();
    }

    /** The group whose members have parts. */
    public Group group() {
        return group;
    }

    /** Bytes of a rank's part. */
    public long bytes(int rank) {
        return bounds.of(rank);
    }

    /** Whether a rank's part can be accessed directly, with {@link #shared}. */
    public boolean isShared(int rank) {
        return localPart(rank) != null;
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
        checkNotClosed();
        MemorySegment part = localPart(rank);
        if (part == null) {
            throw new InvalidAddressException("the rank is not on this node", rank, id, 0, 0, bytes(rank));
        }
        return part;
    }

    Members members() {
        return members;
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
        if (group == null) {
            throw new IllegalStateException("this memory belongs to the runtime");
        }
        if (!closed) {
            try {
                access.fenceAll();
            } finally {
                closed = true;
                group.close(this);
            }
        }
    }

    MemorySegment localPart(int rank) {
        return localParts.part(rank);
    }

    void checkNotClosed() {
        if (closed) {
            access.checkNotLeaving();
            throw InvalidAddressException.closed(access.rank(), id);
        }
    }

    /** Bounds of the parts, which operations are checked against; throws when the memory is closed. */
    Bounds open() {
        checkNotClosed();
        return bounds;
    }

    /** The exception for an access that has come too late for the mapping; other exceptions stay as they are. */
    IllegalStateException translate(IllegalStateException thrown) {
        checkNotClosed();
        return thrown;
    }

    /** Puts all of {@code source}; returns when it may be used again. */
    public void put(int rank, long offset, MemorySegment source) {
        put(rank, offset, source, 0, source.byteSize());
    }

    /** Puts {@code length} bytes; returns when their source may be used again. */
    public void put(int rank, long offset, MemorySegment source, long sourceOffset, long length) {
        update(null, rank, offset, source, sourceOffset, length, null, null, null);
    }

    /** Puts {@code length} bytes; only with a deferred handle the source must stay as it is until that is done. */
    public void nbPut(Handle handle, int rank, long offset, MemorySegment source, long sourceOffset, long length) {
        update(access.own(handle), rank, offset, source, sourceOffset, length, null, null, null);
    }

    /**
     * Puts a shape, ranges, or else {@code length} bytes, which is 0 with those; accumulates unless {@code scale} is
     * null; waits when {@code handle} is null, and never with ranges, whose source may be used again at once.
     */
    void update(Handle handle, int rank, long offset, MemorySegment source, long sourceOffset, long length,
        Strided shape, Ranges ranges, Scale scale) {
        MemorySegment part = localPart(rank);
        if (part != null && scale == null && shape == null && ranges == null) {
            open().check(rank, offset, length);
            long beganNs = Trace.nowIfLarge(trace, length);
            onNode.put(part, offset, source, sourceOffset, length);
            record(TraceOperation.PUT, beganNs, rank, length);
            return;
        }
        open().check(rank, offset, source, sourceOffset, length, shape, ranges, scale);
        if (part == null) {
            if (shape == null || shape.bytes() > 0) {
                remote.put(handle, rank, offset, source, sourceOffset, length, shape, ranges, scale);
            }
            return;
        }
        long bytes = trace == null ? 0 : RemoteMemory.bytes(length, shape, ranges);
        long beganNs = Trace.nowIfLarge(trace, bytes);
        if (shape != null) {
            onNode.putStrided(rank, offset, source, sourceOffset, shape, scale);
        } else if (ranges != null) {
            onNode.putVector(rank, source, ranges, scale);
        } else {
            onNode.accumulate(rank, offset, scale, source, sourceOffset, length);
        }
        record(scale == null ? TraceOperation.PUT : TraceOperation.ACCUMULATE, beganNs, rank, bytes);
    }

    /**
     * Puts to a rank of another node by the network adapter, which counts at the target; checked as {@link #update}.
     *
     * @return by how much the fence count of the window grows; 0 when a message has to carry it
     */
    int putCounted(Handle handle, int rank, long offset, MemorySegment source, long sourceOffset, long length,
        Strided shape, Ranges ranges, long window) {
        if (!remote.adapterMoves(length, shape, ranges)) {
            return 0;
        }
        open().check(rank, offset, source, sourceOffset, length, shape, ranges, null);
        return remote.putCounted(handle, rank, offset, source, sourceOffset, length, shape, ranges, window);
    }

    /** An operation on the node has ended that began then, or is not recorded if that is 0. */
    private void record(TraceOperation what, long beganNs, int rank, long bytes) {
        if (beganNs != 0) {
            trace.operation(what, beganNs, rank, bytes, id, 0);
        }
    }

    /** Gets a shape, ranges, or else {@code length} bytes, which is 0 with those; waits when {@code handle} is null. */
    void fetch(Handle handle, int rank, long offset, MemorySegment target, long targetOffset, long length,
        Strided shape, Ranges ranges) {
        MemorySegment part = localPart(rank);
        if (part != null && shape == null && ranges == null) {
            open().check(rank, offset, length);
            long beganNs = Trace.nowIfLarge(trace, length);
            onNode.get(part, offset, target, targetOffset, length);
            record(TraceOperation.GET, beganNs, rank, length);
            return;
        }
        open().check(rank, offset, target, targetOffset, length, shape, ranges, null);
        Buffers.checkTarget(target, 0, 0);
        if (part == null) {
            if (shape == null || shape.bytes() > 0) {
                remote.get(handle, rank, offset, target, targetOffset, length, shape, ranges);
            }
            return;
        }
        long bytes = trace == null ? 0 : RemoteMemory.bytes(length, shape, ranges);
        long beganNs = Trace.nowIfLarge(trace, bytes);
        if (shape != null) {
            onNode.getStrided(rank, offset, target, targetOffset, shape);
        } else {
            onNode.getVector(rank, target, ranges);
        }
        record(TraceOperation.GET, beganNs, rank, bytes);
    }

    /** Fills {@code target}; returns when the data is there. */
    public void get(int rank, long offset, MemorySegment target) {
        get(rank, offset, target, 0, target.byteSize());
    }

    /** Gets {@code length} bytes; returns when they are there. */
    public void get(int rank, long offset, MemorySegment target, long targetOffset, long length) {
        fetch(null, rank, offset, target, targetOffset, length, null, null);
    }

    /** Begins to get {@code length} bytes, which are there once the handle has been waited for. */
    public void nbGet(Handle handle, int rank, long offset, MemorySegment target, long targetOffset, long length) {
        fetch(access.own(handle), rank, offset, target, targetOffset, length, null, null);
    }

    /** Adds {@code scale * source} to memory; {@code length} in bytes, whole elements. */
    public void accumulate(int rank, long offset, Scale scale, MemorySegment source, long sourceOffset, long length) {
        update(null, rank, offset, source, sourceOffset, length, null, null, Objects.requireNonNull(scale));
    }

    /** As {@link #accumulate}; the source is as with {@link #nbPut}. */
    public void nbAccumulate(Handle handle, int rank, long offset, Scale scale, MemorySegment source,
        long sourceOffset, long length) {
        update(access.own(handle), rank, offset, source, sourceOffset, length, null, null,
            Objects.requireNonNull(scale));
    }

    /**
     * Combines elements and gets what was there before, atomically by element against all accumulates. With
     * {@link ReduceCode#COMPARE_AND_SWAP} the source holds an expected element and a new one.
     */
    void nbGetAccumulate(Handle handle, int rank, long offset, Scale scale, ReduceCode code, MemorySegment source,
        long from, long length, MemorySegment result, long to) {
        open().checkContiguous(rank, offset, length, scale);
        Buffers.checkSource(source, from, code == ReduceCode.COMPARE_AND_SWAP ? 2 * length : length);
        Buffers.checkTarget(result, to, length);
        if (localPart(rank) != null) {
            onNode.getAccumulate(rank, offset, scale, code, source, from, length, result, to);
        } else {
            remote.getAccumulate(handle, rank, offset, scale, code, source, from, length, result, to);
        }
    }

    /** Puts a strided region, first block at the offsets; returns when its source may be used again. */
    public void putStrided(int rank, long offset, MemorySegment source, long sourceOffset, Strided shape) {
        update(null, rank, offset, source, sourceOffset, 0, shape, null, null);
    }

    /** As {@link #putStrided}, to be waited for by the handle; the source may be used again at once. */
    public void nbPutStrided(Handle handle, int rank, long offset, MemorySegment source, long sourceOffset,
        Strided shape) {
        update(access.own(handle), rank, offset, source, sourceOffset, 0, shape, null, null);
    }

    /** Gets a strided region, first block at the offsets; returns when the data is there. */
    public void getStrided(int rank, long offset, MemorySegment target, long targetOffset, Strided shape) {
        fetch(null, rank, offset, target, targetOffset, 0, shape, null);
    }

    /** As {@link #getStrided}; the data is there once the handle has been waited for. */
    public void nbGetStrided(Handle handle, int rank, long offset, MemorySegment target, long targetOffset,
        Strided shape) {
        fetch(access.own(handle), rank, offset, target, targetOffset, 0, shape, null);
    }

    /** Adds {@code scale * source} to a strided region of whole elements, at offsets as {@link #putStrided}. */
    public void accumulateStrided(int rank, long offset, Scale scale, MemorySegment source, long sourceOffset,
        Strided shape) {
        update(null, rank, offset, source, sourceOffset, 0, shape, null, Objects.requireNonNull(scale));
    }

    /** As {@link #accumulateStrided}, to be waited for by the handle; the source may be used again at once. */
    public void nbAccumulateStrided(Handle handle, int rank, long offset, Scale scale, MemorySegment source,
        long sourceOffset, Strided shape) {
        update(access.own(handle), rank, offset, source, sourceOffset, 0, shape, null,
            Objects.requireNonNull(scale));
    }

    /** Puts ranges, whose offsets are in bytes; returns when their source may be used again. */
    public void putVector(int rank, MemorySegment source, Ranges ranges) {
        update(null, rank, 0, source, 0, 0, null, ranges, null);
    }

    /** The same as {@link #putVector}, which never waits for an answer. */
    public void nbPutVector(Handle handle, int rank, MemorySegment source, Ranges ranges) {
        update(access.own(handle), rank, 0, source, 0, 0, null, ranges, null);
    }

    /** Gets ranges, whose offsets are in bytes; returns when the data is there. */
    public void getVector(int rank, MemorySegment target, Ranges ranges) {
        fetch(null, rank, 0, target, 0, 0, null, ranges);
    }

    /** As {@link #getVector}; the data is there once the handle has been waited for. */
    public void nbGetVector(Handle handle, int rank, MemorySegment target, Ranges ranges) {
        fetch(access.own(handle), rank, 0, target, 0, 0, null, ranges);
    }

    /** Adds {@code scale * source} to ranges of whole elements; returns when the source may be used again. */
    public void accumulateVector(int rank, Scale scale, MemorySegment source, Ranges ranges) {
        update(null, rank, 0, source, 0, 0, null, ranges, Objects.requireNonNull(scale));
    }

    /** The same as {@link #accumulateVector}, which never waits for an answer. */
    public void nbAccumulateVector(Handle handle, int rank, Scale scale, MemorySegment source, Ranges ranges) {
        update(access.own(handle), rank, 0, source, 0, 0, null, ranges, Objects.requireNonNull(scale));
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
        return atomic(rank, offset, AtomicOp.FETCH_AND_ADD, Long.BYTES, delta, 0);
    }

    /** Atomically adds to a 4-byte word; returns what was there. */
    public int fetchAndAddInt(int rank, long offset, int delta) {
        return (int) atomic(rank, offset, AtomicOp.FETCH_AND_ADD, Integer.BYTES, delta, 0);
    }

    /** Atomically replaces an 8-byte word; returns what was there. */
    public long swap(int rank, long offset, long value) {
        return atomic(rank, offset, AtomicOp.SWAP, Long.BYTES, value, 0);
    }

    /** Atomically replaces a 4-byte word; returns what was there. */
    public int swapInt(int rank, long offset, int value) {
        return (int) atomic(rank, offset, AtomicOp.SWAP, Integer.BYTES, value, 0);
    }

    /** Atomically replaces an 8-byte word if it is {@code expected}; returns what was there. */
    public long compareAndSwap(int rank, long offset, long expected, long value) {
        return atomic(rank, offset, AtomicOp.COMPARE_AND_SWAP, Long.BYTES, value, expected);
    }

    /** Atomically replaces a 4-byte word if it is {@code expected}; returns what was there. */
    public int compareAndSwapInt(int rank, long offset, int expected, int value) {
        return (int) atomic(rank, offset, AtomicOp.COMPARE_AND_SWAP, Integer.BYTES, value, expected);
    }

    private long atomic(int rank, long offset, AtomicOp op, int width, long operand, long expected) {
        open().checkWord(rank, offset, width);
        MemorySegment part = localPart(rank);
        return part != null ? onNode.atomic(part, offset, op, width, operand, expected)
            : remote.atomic(rank, offset, op, width, operand, expected);
    }

    /** Puts, then sets an 8-byte flag in the same part: a rank that sees the flag sees the data. */
    public void putWithFlag(int rank, long offset, MemorySegment source, long sourceOffset, long length,
        long flagOffset, long flagValue) {
        open().check(rank, offset, length);
        open().checkWord(rank, flagOffset, Long.BYTES);
        Buffers.checkSource(source, sourceOffset, length);
        MemorySegment part = localPart(rank);
        if (part != null) {
            onNode.put(part, offset, source, sourceOffset, length);
            onNode.signal(rank, part, flagOffset, SignalOp.SET, flagValue);
        } else {
            remote.putWithFlag(rank, offset, source, sourceOffset, length, null, flagOffset, flagValue);
        }
    }

    /** Puts a strided region, then sets an 8-byte flag in the same part: a rank that sees the flag sees the data. */
    public void putStridedWithFlag(int rank, long offset, MemorySegment source, long sourceOffset, Strided shape,
        long flagOffset, long flagValue) {
        open().checkStrided(rank, offset, source, sourceOffset, shape, null);
        open().checkWord(rank, flagOffset, Long.BYTES);
        MemorySegment part = localPart(rank);
        if (part != null) {
            onNode.putStrided(rank, offset, source, sourceOffset, shape, null);
            onNode.signal(rank, part, flagOffset, SignalOp.SET, flagValue);
        } else {
            remote.putWithFlag(rank, offset, source, sourceOffset, 0, shape, flagOffset, flagValue);
        }
    }

    /** Sets an 8-byte flag after everything that this rank has sent to that one so far. */
    public void setFlag(int rank, long flagOffset, long value) {
        signal(rank, flagOffset, SignalOp.SET, value);
    }

    /** Adds to an 8-byte flag after everything that this rank has sent to that one so far. */
    public void addToFlag(int rank, long flagOffset, long delta) {
        signal(rank, flagOffset, SignalOp.ADD, delta);
    }

    private void signal(int rank, long flagOffset, SignalOp op, long value) {
        open().checkWord(rank, flagOffset, Long.BYTES);
        MemorySegment part = localPart(rank);
        if (part != null) {
            onNode.signal(rank, part, flagOffset, op, value);
        } else {
            remote.signal(rank, flagOffset, op, value);
        }
    }

    /**
     * Waits until an 8-byte flag in this rank's own part has a value.
     *
     * @param from rank that is to set it, so that waiting ends with an error when that rank has left, or -1
     */
    public void awaitFlag(long flagOffset, long value, int from) {
        awaitFlag(flagOffset, value, true, from);
    }

    /** Waits until an 8-byte flag in this rank's own part has a value or a greater one. */
    public void awaitFlagAtLeast(long flagOffset, long value, int from) {
        awaitFlag(flagOffset, value, false, from);
    }

    private void awaitFlag(long flagOffset, long value, boolean exactly, int from) {
        open().checkWord(access.rank(), flagOffset, Long.BYTES);
        if (from >= access.topology().rankCount()) {
            throw new GasException("no rank " + from + " to wait for, there are " + access.topology().rankCount());
        }
        access.flushBeforeWaiting();
        onNode.awaitFlag(localPart(access.rank()), flagOffset, value, exactly, from, access::stateOf);
    }
}

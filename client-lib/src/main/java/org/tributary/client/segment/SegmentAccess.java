package org.tributary.client.segment;

import java.lang.foreign.MemorySegment;
import org.tributary.client.error.GasException;
import org.tributary.client.error.InvalidAddressException;
import org.tributary.client.node.LocalParts;
import org.tributary.client.node.OnNode;
import org.tributary.client.remote.Handle;
import org.tributary.client.remote.RemoteAccess;
import org.tributary.client.remote.RemoteMemory;
import org.tributary.client.shape.Buffers;
import org.tributary.client.shape.Ranges;
import org.tributary.client.shape.Scale;
import org.tributary.client.shape.Shape;
import org.tributary.client.shape.Strided;
import org.tributary.wire.codec.AtomicOp;
import org.tributary.wire.codec.ReduceCode;
import org.tributary.wire.codec.SignalOp;
import org.tributary.wire.shm.Trace;
import org.tributary.wire.shm.TraceOperation;

/**
 * The operations on one allocation: checks them before anything is sent or touched, and sends them the way that leads
 * to the target, through memory of the own node or as requests to servers. A {@code handle} of null means blocking.
 * Thread-safe.
 */
public final class SegmentAccess {
    private final RemoteAccess access;
    private final Members members;
    private final long id;
    private final Bounds bounds;
    private final LocalParts localParts;
    private final RemoteMemory remote;
    private final OnNode onNode;
    /** Null unless operations are recorded; those of the runtime's own memory never are. */
    private final Trace trace;
    private volatile boolean closed;

    /** {@code ofPrograms} is false for memory of the runtime's own, which users' fences need not wait for. */
    public SegmentAccess(RemoteAccess access, Members members, long id, PartSizes sizes, LocalParts localParts,
        boolean ofPrograms) {
        this.access = access;
        this.members = members;
        this.id = id;
        this.bounds = new Bounds(id, members, sizes, access.topology().rankCount());
        this.localParts = localParts;
        this.remote = new RemoteMemory(access, id, ofPrograms);
        this.trace = ofPrograms ? access.node().trace() : null;
        this.onNode = new OnNode(access.node(), id, localParts, this::translate);
    }

    /** Number of the segment, as errors name it. */
    public long id() {
        return id;
    }

    /** The ranks that have parts. */
    public Members members() {
        return members;
    }

    /** Bytes of a rank's part. */
    public long bytes(int rank) {
        return bounds.of(rank);
    }

    /** The part of a rank of the own node, or null when it has none here; any number may be asked for. */
    public MemorySegment part(int rank) {
        return localParts.part(rank);
    }

    /**
     * The same for direct access.
     *
     * @throws InvalidAddressException when there is none
     */
    public MemorySegment shared(int rank) {
        checkNotClosed();
        MemorySegment part = part(rank);
        if (part == null) {
            throw new InvalidAddressException("the rank is not on this node", rank, id, 0, 0, bytes(rank));
        }
        return part;
    }

    /** Operations are refused from now on. */
    public void refuse() {
        closed = true;
    }

    public void unmap() {
        closed = true;
        remote.forget();
        localParts.unmap();
    }

    public boolean isClosed() {
        return closed;
    }

    public void checkNotClosed() {
        if (closed) {
            access.checkNotLeaving();
            throw InvalidAddressException.closed(access.rank(), id);
        }
    }

    /** Bounds of the parts, which operations are checked against; throws when the memory is closed. */
    private Bounds open() {
        checkNotClosed();
        return bounds;
    }

    /** The exception for an access that has come too late for the mapping; other exceptions stay as they are. */
    public IllegalStateException translate(IllegalStateException thrown) {
        checkNotClosed();
        return thrown;
    }

    /** Whether the operation can be executed; with a {@code scale}, on whole elements. */
    public void check(int rank, long offset, MemorySegment buffer, long bufferOffset, long length, Shape shape,
        Scale scale) {
        open().check(rank, offset, buffer, bufferOffset, length, shape, scale);
    }

    /**
     * Puts a shape, or else {@code length} bytes; accumulates unless {@code scale} is null. Waits when {@code handle}
     * is null, and never with ranges, whose source may be used again at once.
     *
     * @param length 0 with a shape
     */
    public void update(Handle handle, int rank, long offset, MemorySegment source, long sourceOffset, long length,
        Shape shape, Scale scale) {
        MemorySegment part = part(rank);
        if (part != null && scale == null && shape == null) {
            open().check(rank, offset, length);
            long beganNs = Trace.nowIfLarge(trace, length);
            onNode.put(part, offset, source, sourceOffset, length);
            record(TraceOperation.PUT, beganNs, rank, length);
            return;
        }
        open().check(rank, offset, source, sourceOffset, length, shape, scale);
        if (part == null) {
            if (shape == null || shape.bytes() > 0) {
                remote.put(handle, rank, offset, source, sourceOffset, length, shape, scale);
            }
            return;
        }
        long bytes = trace == null ? 0 : RemoteMemory.bytes(length, shape);
        long beganNs = Trace.nowIfLarge(trace, bytes);
        if (shape instanceof Strided strided) {
            onNode.putStrided(rank, offset, source, sourceOffset, strided, scale);
        } else if (shape instanceof Ranges ranges) {
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
    public int putCounted(Handle handle, int rank, long offset, MemorySegment source, long sourceOffset, long length,
        Shape shape, long window) {
        if (!remote.adapterMoves(length, shape)) {
            return 0;
        }
        open().check(rank, offset, source, sourceOffset, length, shape, null);
        return remote.putCounted(handle, rank, offset, source, sourceOffset, length, shape, window);
    }

    /** An operation on the node has ended that began then, or is not recorded if that is 0. */
    private void record(TraceOperation what, long beganNs, int rank, long bytes) {
        if (beganNs != 0) {
            trace.operation(what, beganNs, rank, bytes, id, 0);
        }
    }

    /**
     * Gets a shape, or else {@code length} bytes; waits when {@code handle} is null.
     *
     * @param length 0 with a shape
     */
    public void fetch(Handle handle, int rank, long offset, MemorySegment target, long targetOffset, long length,
        Shape shape) {
        MemorySegment part = part(rank);
        if (part != null && shape == null) {
            open().check(rank, offset, length);
            long beganNs = Trace.nowIfLarge(trace, length);
            onNode.get(part, offset, target, targetOffset, length);
            record(TraceOperation.GET, beganNs, rank, length);
            return;
        }
        open().check(rank, offset, target, targetOffset, length, shape, null);
        Buffers.checkTarget(target, 0, 0);
        if (part == null) {
            if (shape == null || shape.bytes() > 0) {
                remote.get(handle, rank, offset, target, targetOffset, length, shape);
            }
            return;
        }
        long bytes = trace == null ? 0 : RemoteMemory.bytes(length, shape);
        long beganNs = Trace.nowIfLarge(trace, bytes);
        if (shape instanceof Strided strided) {
            onNode.getStrided(rank, offset, target, targetOffset, strided);
        } else {
            onNode.getVector(rank, target, (Ranges) shape);
        }
        record(TraceOperation.GET, beganNs, rank, bytes);
    }

    /**
     * Combines elements and gets what was there before, atomically by element against all accumulates. With
     * {@link ReduceCode#COMPARE_AND_SWAP} the source holds an expected element and a new one. Does not wait.
     */
    public void getAccumulate(Handle handle, int rank, long offset, Scale scale, ReduceCode code, MemorySegment source,
        long from, long length, MemorySegment result, long to) {
        open().checkContiguous(rank, offset, length, scale);
        Buffers.checkSource(source, from, code == ReduceCode.COMPARE_AND_SWAP ? 2 * length : length);
        Buffers.checkTarget(result, to, length);
        if (part(rank) != null) {
            onNode.getAccumulate(rank, offset, scale, code, source, from, length, result, to);
        } else {
            remote.getAccumulate(handle, rank, offset, scale, code, source, from, length, result, to);
        }
    }

    /** A read-modify-write of a word of {@code width} bytes; returns what was there. */
    public long atomic(int rank, long offset, AtomicOp op, int width, long operand, long expected) {
        open().checkWord(rank, offset, width);
        MemorySegment part = part(rank);
        return part != null ? onNode.atomic(part, offset, op, width, operand, expected)
            : remote.atomic(rank, offset, op, width, operand, expected);
    }

    /**
     * Puts a strided region, or else {@code length} bytes, then sets an 8-byte flag in the same part: a rank that sees
     * it sees the data.
     */
    public void putWithFlag(int rank, long offset, MemorySegment source, long sourceOffset, long length, Strided shape,
        long flagOffset, long flagValue) {
        open().check(rank, offset, source, sourceOffset, length, shape, null);
        open().checkWord(rank, flagOffset, Long.BYTES);
        MemorySegment part = part(rank);
        if (part == null) {
            remote.putWithFlag(rank, offset, source, sourceOffset, length, shape, flagOffset, flagValue);
            return;
        }
        if (shape != null) {
            onNode.putStrided(rank, offset, source, sourceOffset, shape, null);
        } else {
            onNode.put(part, offset, source, sourceOffset, length);
        }
        onNode.signal(rank, part, flagOffset, SignalOp.SET, flagValue);
    }

    /** Changes an 8-byte flag after everything that this rank has sent to that one so far. */
    public void signal(int rank, long flagOffset, SignalOp op, long value) {
        open().checkWord(rank, flagOffset, Long.BYTES);
        MemorySegment part = part(rank);
        if (part != null) {
            onNode.signal(rank, part, flagOffset, op, value);
        } else {
            remote.signal(rank, flagOffset, op, value);
        }
    }

    /**
     * Waits until an 8-byte flag in this rank's own part has a value.
     *
     * @param exactly this value, or at least this one
     * @param from    rank that is to set it, or -1
     */
    public void awaitFlag(long flagOffset, long value, boolean exactly, int from) {
        open().checkWord(access.rank(), flagOffset, Long.BYTES);
        if (from >= access.topology().rankCount()) {
            throw new GasException("no rank " + from + " to wait for, there are " + access.topology().rankCount());
        }
        access.flushBeforeWaiting();
        onNode.awaitFlag(part(access.rank()), flagOffset, value, exactly, from, access::stateOf);
    }
}

package org.tributary.client.remote;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;
import org.tributary.client.adapter.Blocks;
import org.tributary.client.adapter.RankAdapter;
import org.tributary.client.connection.Callback;
import org.tributary.client.connection.PendingReply;
import org.tributary.client.connection.ServerLink;
import org.tributary.client.error.AdapterException;
import org.tributary.client.link.Links;
import org.tributary.client.shape.Ranges;
import org.tributary.client.shape.RegionPair;
import org.tributary.client.shape.Scale;
import org.tributary.client.shape.Shape;
import org.tributary.client.shape.Strided;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AtomicOp;
import org.tributary.wire.codec.ReduceCode;
import org.tributary.wire.codec.SignalOp;
import org.tributary.wire.shape.StridedRegion;
import org.tributary.wire.shm.LatencyKind;
import org.tributary.wire.shm.Trace;
import org.tributary.wire.shm.TraceOperation;

/**
 * How the parts of one allocation that are on other nodes are reached: requests to those nodes' servers. Callers have
 * checked addresses and buffers, so that nothing stops a request halfway. A {@code handle} of null means blocking.
 * Thread-safe.
 */
public final class RemoteMemory {
    /** Shaped gets are cut into answers of at most this, so that a server need not hold more for one. */
    public static final long MAX_SHAPED_GET = 1 << 20;
    /** Non-blocking puts and accumulates up to this are merged. */
    public static final int MAX_MERGED_BYTES = 2048;
    /** A server takes lists of at most 64 KiB in one message. */
    private static final int MAX_GET_RANGES = 4096;

    private final RemoteAccess access;
    private final Links links;
    private final long id;
    private final boolean fenced;
    /** Null when messages carry all data. */
    private final RankAdapter adapter;
    /** Null unless operations are recorded; those of the runtime's own memory never are. */
    private final Trace trace;

    /** {@code fenced} is false for memory of the runtime's own, which users' fences need not wait for. */
    public RemoteMemory(RemoteAccess access, long id, boolean fenced) {
        this.fenced = fenced;
        this.access = access;
        this.links = access.links();
        this.id = id;
        this.trace = fenced ? access.node().trace() : null;
        this.adapter = fenced ? access.adapter() : null;
    }

    /** The memory is not used any more. */
    public void forget() {
        if (adapter != null) {
            adapter.forget(id);
        }
    }

    /** The link to a rank's server, with the lock of the links held. Callers use no lambdas: each would be garbage. */
    private ServerLink lockLinkTo(int rank, long contiguousBytes) {
        links.lock().lock();
        try {
            return links.connectTo(access.topology().nodeOf(rank), contiguousBytes);
        } catch (RuntimeException | Error e) {
            links.lock().unlock();
            throw e;
        }
    }

    /** Call with the lock held, before the {@code finally} that gives it back: nothing else may come there. */
    private void ended(Trace recording, TraceOperation what, long beganNs, int rank, long bytes) {
        if (recording != null) {
            recording.endOneWay(what, beganNs, rank, bytes, id);
        }
    }

    private static int flags(Handle handle) {
        return handle == null ? Frames.FLAG_ACK : 0;
    }

    /**
     * Puts a shape, or else {@code length} bytes; accumulates unless {@code scale} is null. The source of ranges
     * may be used again at once.
     *
     * @param length 0 with a shape
     */
    public void put(Handle handle, int rank, long offset, MemorySegment source, long from, long length, Shape shape,
        Scale scale) {
        TraceOperation what = scale == null ? TraceOperation.PUT : TraceOperation.ACCUMULATE;
        long bytes = trace == null ? 0 : bytes(length, shape);
        long beganNs = trace == null ? 0 : trace.beginOneWay(what, bytes);
        if (scale == null && adapterMoves(length, shape)
            && adapterPuts(oneMore(handle), rank, source, Blocks.of(offset, from, length, shape))) {
            recordAdapterOperation(what, beganNs, rank, bytes);
            return;
        }
        ServerLink link = lockLinkTo(rank, length);
        try {
            if (shape instanceof Strided strided) {
                putStrided(link, rank, offset, source, from, strided, scale, flags(handle));
                flushUnless(handle != null && strided.bytes() <= MAX_MERGED_BYTES, link);
            } else if (shape instanceof Ranges ranges) {
                putRanges(link, rank, source, ranges, scale);
                link.flush();
            } else if (handle != null && length <= MAX_MERGED_BYTES) {
                addRange(link, rank, offset, source, from, (int) length, scale);
            } else if (handle != null && handle.isDeferred()) {
                link.defer();
                // Large ones are answered while the caller computes, so that its fence finds the acknowledgement.
                sendBlock(link, rank, offset, source, from, length, scale,
                    link.isDeferred(length) ? Frames.FLAG_ACK : 0);
                link.sendLater(handle.oneMore());
            } else {
                sendBlock(link, rank, offset, source, from, length, scale, flags(handle));
                link.flush();
            }
            ended(trace, what, beganNs, rank, bytes);
        } catch (IOException | RuntimeException e) {
            throw link.brokeHalfway(e);
        } finally {
            links.lock().unlock();
        }
    }

    /**
     * Puts a shape, or else {@code length} bytes by the network adapter. Each of its operations adds one to the fence
     * count of a window at the target, when the bytes are there.
     *
     * @return how many these are; 0 when a message has to carry it
     */
    public int putCounted(Handle handle, int rank, long offset, MemorySegment source, long from, long length,
        Shape shape, long window) {
        long bytes = trace == null ? 0 : bytes(length, shape);
        long beganNs = trace == null ? 0 : trace.beginOneWay(TraceOperation.PUT, bytes);
        int counted = adapter.putCounted(handle.oneMore(), access.topology().nodeOf(rank), rank, id,
            Blocks.of(offset, from, length, shape), source, window);
        if (counted > 0) {
            recordAdapterOperation(TraceOperation.PUT, beganNs, rank, bytes);
        }
        return counted;
    }

    /** Whether the network adapter moves blocks of that size. */
    public boolean adapterMoves(long length, Shape shape) {
        return adapter != null && adapter.moves(shape == null ? length : shape.meanBlockBytes());
    }

    private static Supplier<Callback> oneMore(Handle handle) {
        return handle == null ? null : handle.oneMore();
    }

    private boolean adapterPuts(Supplier<Callback> whenDone, int rank, MemorySegment source, Blocks blocks) {
        try {
            return adapter.put(whenDone, access.topology().nodeOf(rank), rank, id, blocks, source);
        } catch (AdapterException e) {
            throw access.explained(e);
        }
    }

    private boolean adapterGets(Supplier<Callback> whenDone, int rank, MemorySegment target, Blocks blocks) {
        try {
            return adapter.get(whenDone, access.topology().nodeOf(rank), rank, id, blocks, target);
        } catch (AdapterException e) {
            throw access.explained(e);
        }
    }

    /** Records an operation of the adapter, with the lock as for any other. */
    private void recordAdapterOperation(TraceOperation what, long beganNs, int rank, long bytes) {
        if (trace != null) {
            links.lock().lock();
            try {
                ended(trace, what, beganNs, rank, bytes);
            } finally {
                links.lock().unlock();
            }
        }
    }

    /** Of a shape, or the length itself when that is null. */
    public static long bytes(long length, Shape shape) {
        return shape != null ? shape.bytes() : length;
    }

    private static void flushUnless(boolean waits, ServerLink link) {
        if (!waits) {
            link.flush();
        }
    }

    private void putStrided(ServerLink link, int rank, long offset, MemorySegment source, long from, Strided shape,
        Scale scale, int flags) throws IOException {
        StridedRegion region = RegionPair.ofThread().local();
        try {
            putLevels(link, rank, offset, source, from, shape, shape.levels(), scale, flags, region);
        } finally {
            region.release();
        }
    }

    /** Sends the first levels of a shape as one message, or, when they are too much for one, row by row. */
    private void putLevels(ServerLink link, int rank, long offset, MemorySegment source, long from, Strided shape,
        int levels, Scale scale, int flags, StridedRegion region) throws IOException {
        if (shape.bytes(levels) <= link.maxPayload()) {
            links.checkBetweenMessages();
            shape.addLocal(region.begin(source, from, shape.blockBytes()), levels);
            link.writer().putStrided(id, rank, offset, flags, scale, shape, levels, region);
            link.issuedOneWay(flags != 0, fenced);
        } else if (levels == 0) {
            sendBlock(link, rank, offset, source, from, shape.blockBytes(), scale, flags);
        } else {
            long count = shape.count(levels - 1);
            for (long i = 0; i < count; i++) {
                putLevels(link, rank, offset + i * shape.remoteStride(levels - 1), source,
                    from + i * shape.localStride(levels - 1), shape, levels - 1, scale, flags, region);
            }
        }
    }

    private void sendBlock(ServerLink link, int rank, long offset, MemorySegment source, long from, long length,
        Scale scale, int flags) throws IOException {
        int element = scale == null ? 1 : scale.type().sizeInBytes();
        long step = link.maxPayload() - link.maxPayload() % element;
        for (long done = 0; done < length; done += step) {
            if (done > 0) {
                links.checkBetweenMessages();
            }
            long piece = Math.min(step, length - done);
            int flagsOfPiece = done + piece == length ? flags : 0;
            link.writer().put(id, rank, offset + done, flagsOfPiece, scale, source, from + done, piece);
            link.issuedOneWay(flagsOfPiece != 0, fenced);
        }
    }

    private void putRanges(ServerLink link, int rank, MemorySegment source, Ranges ranges, Scale scale)
        throws IOException {
        for (int range = 0; range < ranges.count(); range++) {
            addRange(link, rank, ranges.remoteOffset(range), source, ranges.localOffset(range), ranges.length(range),
                scale);
        }
    }

    private void addRange(ServerLink link, int rank, long offset, MemorySegment source, long from, int length,
        Scale scale) throws IOException {
        if (length > link.writer().maxEntryBytes()) {
            sendBlock(link, rank, offset, source, from, length, scale, 0);
        } else if (link.writer().addPut(id, rank, offset, scale, source, from, length)) {
            link.issuedOneWay(false, fenced);
        }
    }

    /**
     * Gets a shape, or else {@code length} bytes.
     *
     * @param length 0 with a shape
     */
    public void get(Handle handle, int rank, long offset, MemorySegment target, long to, long length, Shape shape) {
        Handle waited = handle != null ? handle : access.handleOfThread();
        long waitBeganNs = handle != null ? 0 : System.nanoTime();
        long bytes = trace == null ? 0 : bytes(length, shape);
        long traceBeganNs = handle == null ? waitBeganNs : beginGet(TraceOperation.GET, bytes);
        if (adapterMoves(length, shape)
            && adapterGets(oneMore(handle), rank, target, Blocks.of(offset, to, length, shape))) {
            if (handle == null) {
                endBlocking(waitBeganNs, rank, bytes);
            } else {
                recordAdapterOperation(TraceOperation.GET, traceBeganNs, rank, bytes);
            }
            return;
        }
        ServerLink link = lockLinkTo(rank, length);
        try {
            if (shape instanceof Strided strided) {
                getLevels(link, waited, rank, offset, target, to, strided, strided.levels());
            } else if (shape instanceof Ranges ranges) {
                getRanges(link, waited, rank, target, ranges);
            } else {
                getBlock(link, waited, rank, offset, target, to, length);
            }
            flushUnless(waited.isAggregate(), link);
            endGet(handle, TraceOperation.GET, traceBeganNs, rank, bytes);
        } catch (IOException | RuntimeException e) {
            throw link.brokeHalfway(e);
        } finally {
            links.lock().unlock();
        }
        if (handle == null) {
            access.await(waited, link);
            endBlocking(waitBeganNs, rank, bytes);
        }
    }

    private void endBlocking(long waitBeganNs, int rank, long bytes) {
        long ns = access.node().latencies().ended(LatencyKind.GET, waitBeganNs);
        if (trace != null) {
            trace.answered(TraceOperation.GET, waitBeganNs, ns, rank, bytes, id, 0);
        }
    }

    private long beginGet(TraceOperation what, long bytes) {
        return trace == null ? 0 : trace.beginOneWay(what, bytes);
    }

    /** As {@link #ended}, but one that waits for its answer has not ended yet. */
    private void endGet(Handle handle, TraceOperation what, long beganNs, int rank, long bytes) {
        ended(handle == null ? null : trace, what, beganNs, rank, bytes);
    }

    private void getLevels(ServerLink link, Handle handle, int rank, long offset, MemorySegment target, long to,
        Strided shape, int levels) throws IOException {
        if (levels == 0) {
            links.checkBetweenMessages();
            getBlock(link, handle, rank, offset, target, to, shape.blockBytes());
        } else if (shape.bytes(levels) <= maxShapedGet(link)) {
            links.checkBetweenMessages();
            PendingReply reply = link.expect(handle.expectOne());
            shape.addLocal(reply.destination().begin(target, to, shape.blockBytes()), levels);
            link.writer().getStrided(reply, id, rank, offset, shape, levels);
        } else {
            long count = shape.count(levels - 1);
            for (long i = 0; i < count; i++) {
                getLevels(link, handle, rank, offset + i * shape.remoteStride(levels - 1), target,
                    to + i * shape.localStride(levels - 1), shape, levels - 1);
            }
        }
    }

    private static long maxShapedGet(ServerLink link) {
        return Math.min(MAX_SHAPED_GET, link.maxPayload());
    }

    private void getBlock(ServerLink link, Handle handle, int rank, long offset, MemorySegment target, long to,
        long length) throws IOException {
        for (long done = 0; done < length; done += link.maxPayload()) {
            if (done > 0) {
                links.checkBetweenMessages();
            }
            long piece = Math.min(link.maxPayload(), length - done);
            PendingReply reply = link.expect(handle.expectOne());
            reply.destination().begin(target, to + done, piece);
            link.writer().get(reply, id, rank, offset + done, piece);
        }
    }

    private void getRanges(ServerLink link, Handle handle, int rank, MemorySegment target, Ranges ranges)
        throws IOException {
        for (int from = 0; from < ranges.count(); ) {
            if (from > 0) {
                links.checkBetweenMessages();
            }
            from = getRanges(link, handle, rank, target, ranges, from);
        }
    }

    /** Asks for as many ranges as one message and one answer hold; returns the first that is left. */
    private int getRanges(ServerLink link, Handle handle, int rank, MemorySegment target, Ranges ranges, int from)
        throws IOException {
        long largest = maxShapedGet(link);
        if (ranges.length(from) > largest) {
            getBlock(link, handle, rank, ranges.remoteOffset(from), target, ranges.localOffset(from),
                ranges.length(from));
            return from + 1;
        }
        int most = Math.min(ranges.count(), from + Math.min(link.writer().maxGetEntries(), MAX_GET_RANGES));
        long bytes = 0;
        int to = from;
        while (to < most && bytes + ranges.length(to) <= largest) {
            bytes += ranges.length(to++);
        }
        PendingReply reply = link.expect(handle.expectOne());
        reply.ranges().begin(target, ranges.localOffsets(), ranges.lengths(), from, to);
        link.writer().getVector(reply, id, rank, to - from);
        for (int range = from; range < to; range++) {
            link.writer().addGet(ranges.remoteOffset(range), ranges.length(range));
        }
        return to;
    }

    /** Combines elements and gets what was there before, in pieces that a server holds. */
    public void getAccumulate(Handle handle, int rank, long offset, Scale scale, ReduceCode code, MemorySegment source,
        long from, long length, MemorySegment result, long to) {
        long beganNs = beginGet(TraceOperation.GET_ACCUMULATE, length);
        ServerLink link = lockLinkTo(rank, 0);
        try {
            boolean isSwap = code == ReduceCode.COMPARE_AND_SWAP;
            long step = isSwap ? length : Frames.MAX_HELD_PAYLOAD;
            for (long done = 0; done < length; done += step) {
                int piece = (int) Math.min(step, length - done);
                PendingReply reply = link.expect(handle.expectOne());
                reply.destination().begin(result, to + done, piece);
                link.writer().getAccumulate(reply, id, rank, offset + done, scale.type(), code, source, from + done,
                    isSwap ? 2 * piece : piece);
            }
            flushUnless(handle.isAggregate(), link);
            endGet(handle, TraceOperation.GET_ACCUMULATE, beganNs, rank, length);
        } catch (IOException | RuntimeException e) {
            throw link.brokeHalfway(e);
        } finally {
            links.lock().unlock();
        }
    }

    /** Sends a read-modify-write of a word of {@code width} bytes and waits for what was there. */
    public long atomic(int rank, long offset, AtomicOp op, int width, long operand, long expected) {
        long waitBeganNs = System.nanoTime();
        PendingReply reply;
        ServerLink link = lockLinkTo(rank, 0);
        try {
            reply = link.expect(null);
            link.writer().atomic(reply, id, rank, offset, op, width, operand, expected);
            link.flush();
        } catch (IOException | RuntimeException e) {
            throw link.brokeHalfway(e);
        } finally {
            links.lock().unlock();
        }
        long was = access.await(link, reply);
        long ns = access.node().latencies().ended(LatencyKind.ATOMIC, waitBeganNs);
        if (trace != null) {
            trace.answered(TraceOperation.ATOMIC, waitBeganNs, ns, rank, width, id, 0);
        }
        return was;
    }

    /** Changes an 8-byte flag after everything sent to the rank so far; does not wait. */
    public void signal(int rank, long flagOffset, SignalOp op, long value) {
        signal(rank, flagOffset, op, value, trace, trace == null ? 0 : trace.beginOneWay(TraceOperation.SIGNAL, 0));
    }

    /** Recorded unless {@code recording} is null. */
    private void signal(int rank, long flagOffset, SignalOp op, long value, Trace recording, long beganNs) {
        ServerLink link = lockLinkTo(rank, 0);
        try {
            link.writer().signal(id, rank, flagOffset, op, value);
            link.issuedOneWay(false, fenced);
            link.flush();
            ended(recording, TraceOperation.SIGNAL, beganNs, rank, 0);
        } catch (IOException | RuntimeException e) {
            throw link.brokeHalfway(e);
        } finally {
            links.lock().unlock();
        }
    }

    /** Puts a shape or else {@code length} bytes, then sets a flag, which no data overtake. */
    public void putWithFlag(int rank, long offset, MemorySegment source, long from, long length, Strided shape,
        long flagOffset, long flagValue) {
        long bytes = trace == null ? 0 : bytes(length, shape);
        long beganNs = trace == null ? 0 : trace.beginOneWay(TraceOperation.SIGNAL, bytes);
        boolean isMoved = adapterMoves(length, shape)
            && adapterPuts(null, rank, source, Blocks.of(offset, from, length, shape));
        ServerLink link = lockLinkTo(rank, isMoved ? 0 : length);
        try {
            if (!isMoved && shape != null) {
                putStrided(link, rank, offset, source, from, shape, null, 0);
            } else if (!isMoved) {
                sendBlock(link, rank, offset, source, from, length, null, 0);
            }
            signal(rank, flagOffset, SignalOp.SET, flagValue, null, 0);
            ended(trace, TraceOperation.SIGNAL, beganNs, rank, bytes);
        } catch (IOException | RuntimeException e) {
            throw link.brokeHalfway(e);
        } finally {
            links.lock().unlock();
        }
    }
}

package org.tributary.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.tributary.client.link.Completion;
import org.tributary.client.link.Links;
import org.tributary.client.link.PendingReply;
import org.tributary.client.link.ServerLink;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AtomicOp;
import org.tributary.wire.codec.SignalOp;
import org.tributary.wire.shape.ReduceOp;
import org.tributary.wire.shape.StridedRegion;

/**
 * How the parts of one allocation that are on other nodes are reached: requests to those nodes' servers. Callers have
 * checked addresses and buffers, so that nothing stops a request halfway. A {@code handle} of null means blocking.
 * Thread-safe.
 */
final class RemoteMemory {
    /** Shaped gets are cut into answers of at most this, so that a server need not hold more for one. */
    private static final long MAX_SHAPED_GET = 1 << 20;
    /** Non-blocking puts and accumulates up to this are merged. */
    private static final int MAX_MERGED_BYTES = 2048;
    /** A server takes lists of at most 64 KiB in one message. */
    private static final int MAX_GET_RANGES = 4096;
    private static final Completion IGNORE = failure -> { };

    private final Gas gas;
    private final Links links;
    private final long id;
    private final boolean fenced;

    /** {@code fenced} is false for memory of the runtime's own, which users' fences need not wait for. */
    RemoteMemory(Gas gas, long id, boolean fenced) {
        this.fenced = fenced;
        this.gas = gas;
        this.links = gas.links();
        this.id = id;
    }

    private interface Encoding {
        void encode(ServerLink link) throws IOException;
    }

    /** Encodes one-way requests; sends them unless they are small parts of something that is waited for later. */
    private void send(int rank, boolean flush, Encoding encoding) {
        links.lock().lock();
        try {
            ServerLink link = links.to(gas.topology().nodeOf(rank));
            encode(link, encoding);
            if (flush) {
                link.flush();
            }
        } finally {
            links.lock().unlock();
        }
    }

    private static void encode(ServerLink link, Encoding encoding) {
        try {
            encoding.encode(link);
        } catch (IOException e) {
            throw link.broke(e);
        } catch (RuntimeException e) {
            link.brokeHalfway(e);
            throw e;
        }
    }

    void put(Handle handle, int rank, long offset, MemorySegment source, long from, long length) {
        if (handle != null && length <= MAX_MERGED_BYTES) {
            addPut(rank, offset, source, from, (int) length);
            return;
        }
        links.lock().lock();
        try {
            ServerLink link = links.to(gas.topology().nodeOf(rank));
            try {
                putPieces(link, handle == null, rank, offset, source, from, length); // without garbage, so no lambda
            } catch (IOException e) {
                throw link.broke(e);
            } catch (RuntimeException e) {
                link.brokeHalfway(e);
                throw e;
            }
            link.flush();
        } finally {
            links.lock().unlock();
        }
    }

    private void putPieces(ServerLink link, boolean ack, int rank, long offset, MemorySegment source, long from,
        long length) throws IOException {
        long step = link.maxPayload();
        long done = 0;
        do {
            long piece = Math.min(step, length - done);
            int flags = ack && done + piece == length ? Frames.FLAG_ACK : 0;
            link.writer().put(id, rank, offset + done, flags, source, from + done, piece);
            link.issuedOneWay(flags != 0, fenced);
            done += piece;
        } while (done < length);
    }

    private void addPut(int rank, long offset, MemorySegment source, long from, int length) {
        links.lock().lock();
        try {
            ServerLink link = links.to(gas.topology().nodeOf(rank));
            try {
                if (link.writer().addPut(id, rank, offset, source, from, length)) {
                    link.issuedOneWay(false, fenced);
                }
            } catch (IOException e) {
                throw link.broke(e);
            }
        } finally {
            links.lock().unlock();
        }
    }

    void accumulate(Handle handle, int rank, long offset, Scale scale, MemorySegment source, long from, long length) {
        if (handle != null && length <= MAX_MERGED_BYTES) {
            send(rank, false, link -> {
                if (link.writer().addAccumulate(id, rank, offset, scale.type(), ReduceOp.SUM, scale.re(), scale.im(), source, from,
                    (int) length)) {
                    link.issuedOneWay(false, fenced);
                }
            });
            return;
        }
        send(rank, true, link -> {
            long step = link.maxPayload() - link.maxPayload() % scale.type().sizeInBytes();
            long done = 0;
            do {
                long piece = Math.min(step, length - done);
                int flags = done + piece == length && handle == null ? Frames.FLAG_ACK : 0;
                link.writer().accumulate(id, rank, offset + done, flags, scale.type(), ReduceOp.SUM, scale.re(), scale.im(), source,
                    from + done, piece);
                link.issuedOneWay(flags != 0, fenced);
                done += piece;
            } while (done < length);
        });
    }

    void putStrided(Handle handle, int rank, long offset, MemorySegment source, long from, Strided shape,
        Scale scale) {
        StridedRegion region = Scratch.ofThread().local();
        int flags = handle == null ? Frames.FLAG_ACK : 0;
        send(rank, handle == null || shape.bytes() > MAX_MERGED_BYTES,
            link -> putLevels(link, rank, offset, source, from, shape, shape.levels(), scale, flags, region));
        region.release();
    }

    /** Sends the first levels of a shape as one message, or, when they are too much for one, row by row. */
    private void putLevels(ServerLink link, int rank, long offset, MemorySegment source, long from, Strided shape,
        int levels, Scale scale, int flags, StridedRegion region) throws IOException {
        if (shape.bytes(levels) <= link.maxPayload()) {
            shape.addLocal(region.begin(source, from, shape.blockBytes()), levels);
            if (scale == null) {
                link.writer().putStrided(id, rank, offset, flags, shape.blockBytes(), shape.remoteLevels(levels),
                    region);
            } else {
                link.writer().accumulateStrided(id, rank, offset, flags, scale.type(), ReduceOp.SUM, scale.re(), scale.im(),
                    shape.blockBytes(), shape.remoteLevels(levels), region);
            }
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
            long piece = Math.min(step, length - done);
            if (scale == null) {
                link.writer().put(id, rank, offset + done, flags, source, from + done, piece);
            } else {
                link.writer().accumulate(id, rank, offset + done, flags, scale.type(), ReduceOp.SUM, scale.re(), scale.im(), source,
                    from + done, piece);
            }
            link.issuedOneWay(flags != 0, fenced);
        }
    }

    void putVector(Handle handle, int rank, MemorySegment source, Ranges ranges, Scale scale) {
        send(rank, true, link -> {
            for (int range = 0; range < ranges.count(); range++) {
                addRange(link, rank, ranges.remoteOffset(range), source, ranges.localOffset(range),
                    ranges.length(range), scale);
            }
        });
    }

    private void addRange(ServerLink link, int rank, long offset, MemorySegment source, long from, int length,
        Scale scale) throws IOException {
        if (length > link.writer().maxEntryBytes()) {
            sendBlock(link, rank, offset, source, from, length, scale, 0);
        } else if (scale == null ? link.writer().addPut(id, rank, offset, source, from, length)
            : link.writer().addAccumulate(id, rank, offset, scale.type(), ReduceOp.SUM, scale.re(), scale.im(), source, from,
                length)) {
            link.issuedOneWay(false, fenced);
        }
    }

    void get(Handle handle, int rank, long offset, MemorySegment target, long to, long length) {
        PendingReply last = null;
        ServerLink link;
        links.lock().lock();
        try {
            link = links.to(gas.topology().nodeOf(rank));
            long done = 0;
            do {
                long piece = Math.min(link.maxPayload(), length - done);
                boolean isLast = done + piece == length;
                // Answers of one connection come in order: waiting for the last piece waits for all.
                PendingReply reply = link.expect(handle != null ? handle.expectOne() : isLast ? null : IGNORE);
                reply.destination().begin(target, to + done, piece);
                link.writer().get(reply, id, rank, offset + done, piece);
                last = reply;
                done += piece;
            } while (done < length);
            if (handle == null || !handle.isAggregate()) {
                link.flush();
            }
        } catch (IOException e) {
            throw links.to(gas.topology().nodeOf(rank)).broke(e);
        } finally {
            links.lock().unlock();
        }
        if (handle == null) {
            gas.await(link, last);
        }
    }

    void getStrided(Handle handle, int rank, long offset, MemorySegment target, long to, Strided shape) {
        Handle waited = handle != null ? handle : gas.handle();
        send(rank, !waited.isAggregate(),
            link -> getLevels(link, waited, rank, offset, target, to, shape, shape.levels()));
        if (handle == null) {
            waited.await();
        }
    }

    private void getLevels(ServerLink link, Handle handle, int rank, long offset, MemorySegment target, long to,
        Strided shape, int levels) throws IOException {
        if (shape.bytes(levels) <= maxShapedGet(link) || levels == 0) {
            if (levels == 0) {
                getBlock(link, handle, rank, offset, target, to, shape.blockBytes());
                return;
            }
            PendingReply reply = link.expect(handle.expectOne());
            shape.addLocal(reply.destination().begin(target, to, shape.blockBytes()), levels);
            link.writer().getStrided(reply, id, rank, offset, shape.blockBytes(), shape.remoteLevels(levels));
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
            long piece = Math.min(link.maxPayload(), length - done);
            PendingReply reply = link.expect(handle.expectOne());
            reply.destination().begin(target, to + done, piece);
            link.writer().get(reply, id, rank, offset + done, piece);
        }
    }

    void getVector(Handle handle, int rank, MemorySegment target, Ranges ranges) {
        Handle waited = handle != null ? handle : gas.handle();
        send(rank, !waited.isAggregate(), link -> {
            int from = 0;
            while (from < ranges.count()) {
                from = getRanges(link, waited, rank, target, ranges, from);
            }
        });
        if (handle == null) {
            waited.await();
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
        reply.destination(new RangeScatter(target, ranges, from, to));
        link.writer().getVector(reply, id, rank, to - from);
        for (int range = from; range < to; range++) {
            link.writer().addGet(ranges.remoteOffset(range), ranges.length(range));
        }
        return to;
    }

    long atomic(int rank, long offset, AtomicOp op, int width, long operand, long expected) {
        ServerLink link;
        PendingReply reply;
        links.lock().lock();
        try {
            link = links.to(gas.topology().nodeOf(rank));
            reply = link.expect(null);
            try {
                link.writer().atomic(reply, id, rank, offset, op, width, operand, expected);
            } catch (IOException e) {
                throw link.broke(e);
            }
            link.flush();
        } finally {
            links.lock().unlock();
        }
        return gas.await(link, reply);
    }

    void signal(int rank, long flagOffset, SignalOp op, long value) {
        send(rank, true, link -> signal(link, rank, flagOffset, op, value));
    }

    private void signal(ServerLink link, int rank, long flagOffset, SignalOp op, long value) throws IOException {
        link.writer().signal(id, rank, flagOffset, 0, op, value);
        link.issuedOneWay(false, fenced);
    }

    void putWithFlag(int rank, long offset, MemorySegment source, long from, long length, long flagOffset,
        long flagValue) {
        send(rank, true, link -> {
            sendBlock(link, rank, offset, source, from, length, null, 0);
            signal(link, rank, flagOffset, SignalOp.SET, flagValue);
        });
    }

    void putStridedWithFlag(int rank, long offset, MemorySegment source, long from, Strided shape, long flagOffset,
        long flagValue) {
        StridedRegion region = Scratch.ofThread().local();
        send(rank, true, link -> {
            putLevels(link, rank, offset, source, from, shape, shape.levels(), null, 0, region);
            signal(link, rank, flagOffset, SignalOp.SET, flagValue);
        });
        region.release();
    }
}

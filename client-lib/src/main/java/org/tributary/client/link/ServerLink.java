package org.tributary.client.link;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.nio.channels.SocketChannel;
import java.util.function.Supplier;
import org.tributary.client.error.GasException;
import org.tributary.config.Settings;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.ErrorCode;
import org.tributary.wire.codec.ErrorDecoder;
import org.tributary.wire.socket.TcpInfo;
import org.tributary.wire.socket.TcpWatch;

/**
 * One connection to one server: what has been asked, what has been acknowledged, what is still on its way. Guarded by
 * the lock of {@link Links}.
 */
public final class ServerLink implements ReplyReader.Receiver {
    private static final int ACKS_BEFORE_READING = 64;

    private final Links links;
    private final int node;
    private final SocketChannel channel;
    private final RingChannel ring;
    private final SendBuffer buffer;
    private final RequestWriter writer;
    private final ReplyReader reader;
    private final MemorySegment memory;
    private final ReplyTable replies = new ReplyTable();
    private final Acknowledged acknowledged = new Acknowledged();
    private final int maxPayload;
    private final int maxRouted;
    private final long leaveNs;
    private final long silenceNs;
    private final TcpWatch watch;
    private int longest;
    private long issued;
    private long fencedUpTo;
    private long executed;
    private long ackWantedFor;
    private int acksUnread;
    private GasException oneWayFailure;
    private GasException broken;
    private boolean retired;
    private ServerLink route;

    /**
     * A connection that has been admitted.
     *
     * @param ring       where requests go instead of to the channel, or null
     * @param maxPayload largest payload that the server takes
     * @param maxRouted  largest payload that it passes on
     * @param memory     for its buffers, {@link #memoryBytes} of it
     */
    ServerLink(Links links, int node, SocketChannel channel, RingChannel ring, int maxPayload, int maxRouted,
        Settings settings, MemorySegment memory, Thread deferredSender) throws IOException {
        this.links = links;
        this.node = node;
        this.channel = channel;
        this.ring = ring;
        this.leaveNs = settings.attachTimeoutNs();
        this.silenceNs = settings.connectionSilenceTimeoutNs();
        this.watch = TcpWatch.of(channel, silenceNs);
        this.maxPayload = maxPayload;
        this.maxRouted = Math.min(maxPayload, maxRouted);
        this.longest = maxPayload;
        int gathered = Math.min(settings.clientSendBuffer(), this.maxRouted); // it may become one message
        this.memory = memory;
        SegmentAllocator allocator = SegmentAllocator.slicingAllocator(memory);
        this.buffer = new SendBuffer(ring == null ? channel : ring, gathered, allocator, this::socketFull,
            settings.clientAsyncSendMin(), deferredSender);
        this.writer = new RequestWriter(buffer);
        this.reader = new ReplyReader(channel, settings.clientReceiveBuffer(), allocator, this);
    }

    /** Whether everything that was issued when it was asked for has been executed. */
    private final class Acknowledged implements Awaited {
        private long until;

        @Override
        public boolean isDone() {
            return executed >= until;
        }
    }

    /** How much memory the buffers of a connection take at most. */
    static long memoryBytes(Settings settings) {
        return settings.clientSendBuffer() + settings.clientReceiveBuffer() + 2L * SendBuffer.ALIGNMENT;
    }

    /** The memory of its buffers, for another connection once this one is {@linkplain #retire retired}. */
    MemorySegment memory() {
        return memory;
    }

    /** Node of the server. */
    public int node() {
        return node;
    }

    SocketChannel channel() {
        return channel;
    }

    /** Encodes requests; call {@link #issuedOneWay} for each that is answered by an acknowledgement only. */
    public RequestWriter writer() {
        return writer;
    }

    /** Messages sent so far. */
    public long requests() {
        return writer.messages();
    }

    /** Messages received so far. */
    public long answers() {
        return reader.messages();
    }

    /** What follows is for that node: what its server has to be passed is shorter. */
    void aim(int target) {
        longest = target == node ? maxPayload : maxRouted;
    }

    /** Largest payload of one message. */
    public int maxPayload() {
        return longest;
    }

    /** A request whose answer nobody waits for yet, or goes to {@code completion}. */
    public PendingReply expect(Completion completion) {
        return replies.take(completion);
    }

    int pendingReplies() {
        return replies.inUse();
    }

    /** The answer has been dealt with. */
    public void giveBack(PendingReply reply) {
        replies.giveBack(reply);
    }

    /**
     * A one-way request has been encoded.
     *
     * @param withAck whether it asks for an acknowledgement itself
     * @param fenced  whether the program's fences wait for it
     */
    public void issuedOneWay(boolean withAck, boolean fenced) {
        issued++;
        if (fenced) {
            fencedUpTo = issued;
        }
        if (withAck) {
            ackWantedFor = issued;
            acksUnread++;
        }
    }

    /** The request issued last asks for an acknowledgement itself. */
    public void ackWanted() {
        ackWantedFor = issued;
        acksUnread++;
    }

    /**
     * From now until {@link #sendLater} large payload in native memory that every thread may access may be left where
     * it lies, to be sent later.
     */
    public void defer() {
        buffer.beginDeferring();
    }

    /** Whether payload of so many bytes may be left for later by itself, not only behind other such payload. */
    public boolean isDeferred(long bytes) {
        return buffer.isDeferred(bytes);
    }

    /**
     * Sends what is encoded, unless it includes payload that can be sent later.
     *
     * @param completion asked for what to tell when that payload is with the kernel
     */
    public void sendLater(Supplier<Completion> completion) {
        if (buffer.endDeferring()) {
            buffer.whenSent(completion.get());
        }
        flushSoon();
    }

    /** Hands everything encoded to the kernel, or has that done when payload that was left for later is in the way. */
    public void flushSoon() {
        if (!hasDeferred()) {
            flush();
            return;
        }
        writer.endVector();
        buffer.release();
        links.sendLater();
    }

    /** Whether {@link #sendSome} has something to send. */
    boolean hasDeferred() {
        return broken == null && buffer.hasDeferred();
    }

    /** Sends a piece of what was left for later; false when the socket takes nothing. */
    boolean sendSome(int maxPayload) {
        try {
            return buffer.write(maxPayload) > 0;
        } catch (IOException e) {
            throw broke(e);
        } catch (RuntimeException e) {
            throw brokeHalfway(e);
        }
    }

    /** Whether nothing is under way: all that was issued has been executed and answered. Looks what has come. */
    boolean isQuiet() {
        if (isDone()) {
            return true;
        }
        poll();
        return isDone();
    }

    private boolean isDone() {
        return executed == issued && replies.inUse() == 0 && !buffer.hasDeferred();
    }

    /** Nothing more will be sent, and nothing is under way. */
    void retire() {
        try {
            leave(Frames.NO_RANK);
        } catch (IOException e) {
            throw broke(e);
        }
        retired = true;
        close();
        if (route.oneWayFailure == null) {
            route.oneWayFailure = oneWayFailure;
        }
        oneWayFailure = null;
    }

    /** It is a way beside a route, on which requests for the same ranks have gone before and will go later. */
    void beside(ServerLink other) {
        route = other;
    }

    /** Says goodbye: as a rank that leaves, or, if negative, for this connection alone. */
    void leave(int rank) throws IOException {
        if (!retired) {
            writer.goodbye(rank);
            flush();
            drain();
        }
    }

    /** What is in a socket is read before its end; what is in a ring has no end but this. */
    private void drain() throws IOException {
        long untilNs = System.nanoTime() + leaveNs;
        while (ring != null && !ring.isEmpty() && System.nanoTime() < untilNs) {
            socketFull();
        }
    }

    /** Hands everything encoded to the kernel. */
    public void flush() {
        if (broken != null) {
            throw broken;
        }
        try {
            writer.endVector();
            buffer.flush();
            if (acksUnread >= ACKS_BEFORE_READING) {
                read();
            }
        } catch (IOException e) {
            throw broke(e);
        }
    }

    /** Reads what has come; false when nothing had. */
    public boolean poll() {
        if (broken != null) {
            throw broken;
        }
        if (retired) {
            return false;
        }
        try {
            return read();
        } catch (IOException e) {
            throw broke(e);
        }
    }

    /** Looks whether the server's host still answers; throws when it counts as gone. */
    void breakIfSilent(TcpInfo info, long nowNs) {
        if (watch != null && broken == null && !retired && watch.isSilent(info, nowNs)) {
            throw broke(new IOException("its host has not answered for " + silenceNs / 1e9
                + " s (connection.silence-timeout)"));
        }
    }

    private boolean read() throws IOException {
        boolean moved = reader.poll();
        if (moved) {
            links.arrived();
        }
        return moved;
    }

    /** The request could not be encoded because the connection broke. */
    public GasException broke(IOException cause) {
        if (broken == null) {
            buffer.discard();
            close(); // nothing may follow half a request
            broken = links.broken(this, cause);
        }
        return broken;
    }

    /** A request may have been left half encoded, so that nothing can follow it; returns what to throw. */
    public RuntimeException brokeHalfway(Exception cause) {
        if (cause instanceof RuntimeException error) {
            broke(new IOException("a request could not be completed: " + error, error));
            return error;
        }
        return broke((IOException) cause);
    }

    private void socketFull() throws IOException {
        if (!read()) {
            links.socketFull();
        }
    }

    /** What to wait for until every fenced request issued so far has been executed. */
    public Awaited fence() {
        return awaitExecuted(fencedUpTo);
    }

    /** What to wait for until every request issued so far has been executed, the runtime's own too. */
    public Awaited fenceEverything() {
        return awaitExecuted(issued);
    }

    private Awaited awaitExecuted(long count) {
        if (executed < count && ackWantedFor < count) {
            try {
                writer.fence();
            } catch (IOException e) {
                throw broke(e);
            }
            ackWantedFor = issued;
        }
        flush();
        acknowledged.until = Math.max(acknowledged.until, count);
        return acknowledged;
    }

    /** Throws what has gone wrong with one-way requests here, or on the route beside which this is, once. */
    public void throwOneWayFailure() {
        if (oneWayFailure != null) {
            GasException failure = oneWayFailure;
            oneWayFailure = null;
            throw failure;
        }
        if (route != null) {
            route.throwOneWayFailure();
        }
    }

    @Override
    public void ack(long count) {
        executed = count;
        acksUnread = 0;
    }

    @Override
    public void value(long requestId, long value) {
        complete(waiting(requestId), value, null);
    }

    @Override
    public void error(ErrorDecoder error) {
        long requestId = error.requestId();
        if (error.code() == ErrorCode.NODE_LOST) {
            links.lost(error.detail());
        }
        GasException failure = RemoteErrors.toException(error, links.nodeOf(error.rank(), node));
        if (requestId >= 0) {
            complete(waiting(requestId), 0, failure);
        } else if (oneWayFailure == null) {
            oneWayFailure = failure;
        }
    }

    @Override
    public void takeRoute() {
        links.takeRoute(node);
    }

    @Override
    public PendingReply dataBegins(long requestId, long length) {
        PendingReply reply = waiting(requestId);
        if (reply.expectedBytes() != length) {
            throw new GasException("node " + node + " answered with " + length + " bytes, not "
                + reply.expectedBytes());
        }
        return reply;
    }

    @Override
    public void dataComplete(PendingReply reply) {
        complete(reply, 0, null);
    }

    private PendingReply waiting(long requestId) {
        PendingReply reply = replies.find(requestId);
        if (reply == null) {
            throw new GasException("node " + node + " answered request " + requestId + ", which was not made");
        }
        return reply;
    }

    private void complete(PendingReply reply, long value, GasException failure) {
        if (reply.complete(value, failure)) {
            replies.giveBack(reply);
        }
    }

    void close() {
        try {
            channel.close();
        } catch (IOException ignored) {
            // Nothing is expected from it any more.
        }
    }
}

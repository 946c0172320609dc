package org.tributary.client.link;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.Arrays;
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
    /** What a connection tells the rank that it belongs to. */
    interface Owner {
        /** Connections with requests that are not with the kernel, deferred payload included. */
        LinkSet unflushed();

        /** Connections with payload that can be sent later. */
        LinkSet deferred();

        /** Connections from which answers are due. */
        LinkSet awaiting();

        /** Connections with requests that are not known to be executed, or with a failure to throw. */
        LinkSet unsettled();

        /** Something has been read. */
        void arrived();

        /** There is something to send while the caller computes. */
        void sendLater();

        /** The socket takes nothing more and nothing has come on it; returns after a while. */
        void socketFull();

        /** The node of a rank, or {@code otherwise} when there is no such rank. */
        int nodeOf(int rank, int otherwise);

        /** Requests for a node are to take their route from now on. */
        void takeRoute(int node);

        /** A server says that another one is gone. */
        void lost(String server);

        /** The connection broke; returns what to throw. */
        GasException broken(ServerLink link, IOException cause);
    }

    private static final int ACKS_BEFORE_READING = 64;

    private final Owner owner;
    private final int node;
    private final Transport transport;
    private final int[] places = new int[LinkSet.SETS];
    private final SendBuffer buffer;
    private final RequestWriter writer;
    private final ReplyReader reader;
    private final MemorySegment memory;
    private final ReplyTable replies = new ReplyTable();
    private final Acknowledged acknowledged = new Acknowledged();
    private final int maxPayload;
    private final int maxRouted;
    private final long leaveNs;
    private TcpWatch watch;
    private long silenceNs;
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
     * @param maxPayload largest payload that the server takes
     * @param maxRouted  largest payload that it passes on
     * @param memory     for its buffers, {@link #memoryBytes} of it
     */
    ServerLink(Owner owner, int node, Transport transport, int maxPayload, int maxRouted, Settings settings,
        MemorySegment memory, Thread deferredSender) {
        this.owner = owner;
        this.node = node;
        this.transport = transport;
        Arrays.fill(places, LinkSet.ABSENT);
        this.leaveNs = settings.attachTimeoutNs();
        this.maxPayload = maxPayload;
        this.maxRouted = Math.min(maxPayload, maxRouted);
        this.longest = maxPayload;
        int gathered = Math.min(settings.clientSendBuffer(), this.maxRouted); // it may become one message
        this.memory = memory;
        SegmentAllocator allocator = SegmentAllocator.slicingAllocator(memory);
        this.buffer = new SendBuffer(transport, gathered, allocator, this::socketFull,
            settings.clientAsyncSendMin(), deferredSender);
        this.writer = new RequestWriter(buffer, () -> owner.unflushed().add(this));
        this.reader = new ReplyReader(transport, settings.clientReceiveBuffer(), allocator, this);
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

    /** Where it is in the sets of its owner. */
    int[] places() {
        return places;
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
        owner.awaiting().add(this);
        return replies.take(completion);
    }

    /** The answer has been dealt with. */
    public void giveBack(PendingReply reply) {
        replies.giveBack(reply);
        if (replies.inUse() == 0) {
            owner.awaiting().remove(this);
        }
    }

    /**
     * A one-way request has been encoded.
     *
     * @param withAck whether it asks for an acknowledgement itself
     * @param fenced  whether the program's fences wait for it
     */
    public void issuedOneWay(boolean withAck, boolean fenced) {
        issued++;
        owner.unsettled().add(this);
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
        owner.deferred().add(this);
        owner.sendLater();
    }

    /** Whether {@link #sendSome} has something to send. */
    boolean hasDeferred() {
        return broken == null && buffer.hasDeferred();
    }

    /** Sends a piece of what was left for later; false when the socket takes nothing. */
    boolean sendSome(int maxPayload) {
        try {
            long written = buffer.write(maxPayload);
            sent();
            return written > 0;
        } catch (IOException e) {
            throw broke(e);
        } catch (RuntimeException e) {
            throw brokeHalfway(e);
        }
    }

    private void sent() {
        if (!buffer.hasDeferred()) {
            owner.deferred().remove(this);
        }
        if (buffer.isEmpty()) {
            owner.unflushed().remove(this);
        }
    }

    /** Whether nothing is under way: all that was issued has been executed and answered. Looks what has come. */
    boolean pollIsQuiet() {
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
        if (oneWayFailure != null) {
            route.failed(oneWayFailure);
            oneWayFailure = null;
        }
        settle();
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
            transport.endStream();
            drain();
        }
    }

    private void drain() throws IOException {
        long untilNs = System.nanoTime() + leaveNs;
        while (!transport.isDrained() && System.nanoTime() < untilNs) {
            socketFull();
        }
    }

    /** Touches memory of callers no more: what was left for later is sent, and requests have failed. */
    void letGo(GasException why) {
        replies.dropAll(why);
        try {
            if (hasDeferred()) {
                flush();
            }
        } catch (GasException e) {
            buffer.discard(); // the connection is broken, as the next who uses it hears
        }
    }

    /** Whether no data is still to come for nobody. */
    boolean isSkimmed() {
        return broken != null || retired || !replies.isDataDropped();
    }

    /** Hands everything encoded to the kernel. */
    public void flush() {
        if (broken != null) {
            throw broken;
        }
        try {
            writer.endVector();
            buffer.flush();
            sent();
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

    /** From now on {@link #breakIfSilent} looks at the host at the other end, if it is reached over a network. */
    void watchHost(long timeoutNs) throws IOException {
        silenceNs = timeoutNs;
        watch = TcpWatch.of(transport.socket(), timeoutNs);
    }

    /** Looks whether the server's host still answers; throws when it counts as gone. */
    void breakIfSilent(TcpInfo info, long nowNs) {
        if (watch != null && broken == null && !retired && watch.isSilent(info, nowNs)) {
            throw broke(new IOException("its host has not answered for " + silenceNs / 1e9
                + " s (connection.silence-timeout)"));
        }
    }

    /** The server may not have heard of what it was given. */
    void remind() {
        if (broken != null || retired) {
            return;
        }
        try {
            transport.remind();
        } catch (IOException e) {
            throw broke(e);
        }
    }

    private boolean read() throws IOException {
        boolean moved = reader.poll();
        if (moved) {
            owner.arrived();
        }
        return moved;
    }

    /** The request could not be encoded because the connection broke. */
    public GasException broke(IOException cause) {
        if (broken == null) {
            buffer.discard();
            sent();
            close(); // nothing may follow half a request
            broken = owner.broken(this, cause);
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
            owner.socketFull();
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
            settle();
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
        settle();
    }

    /** Leaves the unsettled ones when everything has been executed and nothing has failed. */
    private void settle() {
        if (executed == issued && oneWayFailure == null) {
            owner.unsettled().remove(this);
        }
    }

    private void failed(GasException failure) {
        if (oneWayFailure == null) {
            oneWayFailure = failure;
            owner.unsettled().add(this);
        }
    }

    @Override
    public void value(long requestId, long value) {
        complete(waiting(requestId), value, null);
    }

    @Override
    public void error(ErrorDecoder error) {
        long requestId = error.requestId();
        if (error.code() == ErrorCode.NODE_LOST) {
            owner.lost(error.detail());
        }
        GasException failure = RemoteErrors.toException(error, owner.nodeOf(error.rank(), node));
        if (requestId >= 0) {
            complete(waiting(requestId), 0, failure);
        } else {
            failed(failure);
        }
    }

    @Override
    public void takeRoute() {
        owner.takeRoute(node);
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
            giveBack(reply);
        }
    }

    void close() {
        try {
            transport.close();
        } catch (IOException ignored) {
            // Nothing is expected from it any more.
        }
    }
}

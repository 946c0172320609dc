package org.tributary.client.connection;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.function.Supplier;
import org.tributary.client.error.GasException;
import org.tributary.config.Settings;
import org.tributary.wire.Frames;
import org.tributary.wire.socket.TcpInfo;

/**
 * One connection to one server: {@link SendBuffer} and {@link RequestWriter} send, {@link ReplyReader} reads,
 * {@link AckLedger} and {@link Replies} know what is still on its way, {@link LinkLife} whether the connection is open.
 * Guarded by the lock of the links.
 */
public final class ServerLink {
    /** News of a connection for its rank. */
    public interface Owner extends Replies.Listener {
        /** Something has been read, or sent, that another thread may wait for. */
        void arrived();

        /** There is something to send while the caller computes. */
        void sendLater();

        /** The socket to a node takes nothing more and nothing has come on it; returns after a while. */
        void socketFull(int node);

        /** It took something again, or nobody waits for that any more. */
        void socketTakesAgain();

        /** Opens a channel of the network adapter to the server of a connection; null when it cannot. */
        RequestChannel openChannel(ServerLink link, ChannelFacts facts);

        /** After how many hand-overs a connection asks for such a channel. */
        int flushesBeforeAsking();

        /** The connection broke; returns what to throw. */
        GasException broken(ServerLink link, IOException cause);
    }

    private final Owner owner;
    private final int node;
    private final SendBuffer buffer;
    private final RequestWriter writer;
    private final ReplyReader reader;
    private final MemorySegment memory;
    private final AckLedger ledger;
    private final Replies replies;
    private final LinkLife life;
    private final long endNs;
    /** Null when no requests go by the network adapter. */
    private final ChannelTransport channels;
    /** Null as {@link #channels}. */
    private final FastPath fastPath;
    private final SendBuffer.Blocked blocked = new Full();
    private final int maxPayload;
    private final int maxRouted;
    private int longest;
    /** How long the server may take nothing; 0 for ever. */
    private long stallNs;
    private ServerLink route;

    /**
     * A connection that has been admitted.
     *
     * @param maxPayload largest payload that the server takes
     * @param maxRouted  largest payload that it passes on
     * @param memory     for its buffers, {@link #memoryBytes} of it
     */
    public ServerLink(Owner owner, LinkSets<ServerLink> sets, int node, Transport transport, int maxPayload,
        int maxRouted, Settings settings, MemorySegment memory, Thread deferredSender) {
        this.owner = owner;
        this.node = node;
        this.ledger = new AckLedger(sets.unsettled().membershipOf(this));
        this.replies = new Replies(node, ledger, sets.awaiting().membershipOf(this), owner);
        this.endNs = settings.attachTimeoutNs();
        this.life = new LinkLife(transport, endNs);
        this.maxPayload = maxPayload;
        this.maxRouted = Math.min(maxPayload, maxRouted);
        this.longest = maxPayload;
        int gathered = Math.min(settings.clientBuffer(), this.maxRouted); // it may become one message
        this.memory = memory;
        SegmentAllocator allocator = SegmentAllocator.slicingAllocator(memory);
        this.buffer = new SendBuffer(transport, gathered, allocator, sets.unflushed().membershipOf(this),
            sets.deferred().membershipOf(this), blocked, settings.clientAsyncSendMin(), deferredSender);
        this.writer = new RequestWriter(buffer);
        this.channels = transport instanceof ChannelTransport both ? both : null;
        this.fastPath = channels == null ? null
            : new FastPath(channels, writer, buffer, new Opening(), System::nanoTime);
        this.replies.tellOfChannels(fastPath);
        this.reader = new ReplyReader(transport, settings.clientBuffer(), allocator, replies);
    }

    /** How much memory the buffers of a connection take at most. */
    public static long memoryBytes(Settings settings) {
        return 2L * (settings.clientBuffer() + SendBuffer.ALIGNMENT);
    }

    /** The memory of its buffers, for another connection once this one is {@linkplain #retire retired}. */
    public MemorySegment memory() {
        return memory;
    }

    public int node() {
        return node;
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

    /** Hand-overs that a channel may carry; none where there are no channels. */
    public ChannelTraffic channelTraffic() {
        return fastPath == null ? ChannelTraffic.NONE : fastPath.traffic();
    }

    /** The next requests are for that node: requests that the server forwards are shorter. */
    public void limitPayloadFor(int target) {
        longest = target == node ? maxPayload : maxRouted;
    }

    /** Largest payload of one message. */
    public int maxPayload() {
        return longest;
    }

    /** A request whose answer nobody waits for yet, or goes to {@code callback}. */
    public PendingReply expect(Callback callback) {
        return replies.expect(callback);
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
        ledger.issued(withAck, fenced);
    }

    /**
     * A release has been encoded of a lock that was granted when no call waited for it any more. The program may have
     * freed its segment before: it is told of no failure then.
     */
    public void issuedGiveBack(long segment) {
        ledger.issued(false, true);
        ledger.givesBack(segment);
    }

    /** The request issued last asks for an acknowledgement itself. */
    public void ackWanted() {
        ledger.askedByRequest();
    }

    /**
     * From now until {@link #sendLater} large payload in native memory that every thread may access may be left where
     * it lies, to be sent later.
     */
    public void defer() {
        if (!hasChannel()) { // only a thread that may read makes room in a channel
            buffer.beginDeferring();
        }
    }

    /** Whether payload of so many bytes may be left for later by itself, not only behind other such payload. */
    public boolean isDeferred(long bytes) {
        return buffer.isDeferred(bytes) && !hasChannel();
    }

    private boolean hasChannel() {
        return channels != null && channels.hasChannel();
    }

    /**
     * Sends what is encoded, unless it includes payload that can be sent later.
     *
     * @param callback asked for what to tell when that payload is with the kernel
     */
    public void sendLater(Supplier<Callback> callback) {
        if (buffer.endDeferring()) {
            buffer.whenSent(callback.get());
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
        buffer.postpone();
        owner.sendLater();
    }

    /** Whether {@link #sendSome} has something to send. */
    boolean hasDeferred() {
        return life.broken() == null && buffer.hasDeferred();
    }

    /** Sends a piece of what was left for later; false when the socket takes nothing. */
    public boolean sendSome(int maxPayload) {
        try {
            return buffer.write(maxPayload) > 0;
        } catch (IOException e) {
            throw broke(e);
        } catch (RuntimeException e) {
            throw brokeHalfway(e);
        }
    }

    /** Reads what has come, and says whether nothing is under way: all that was issued is executed and answered. */
    public boolean isQuietAfterPoll() {
        if (isQuiet()) {
            return true;
        }
        poll();
        return isQuiet();
    }

    private boolean isQuiet() {
        return ledger.areAllExecuted() && replies.areNoneDue() && !buffer.hasDeferred();
    }

    /** A one-way operation by the network adapter has failed: the next fence of its target says so. */
    public void adapterFailed(GasException why) {
        ledger.failed(why);
    }

    /** Where a connection over the network is; throws when it is broken. */
    public LinkEnds ends() {
        life.checkNotBroken();
        try {
            return life.ends();
        } catch (IOException e) {
            throw broke(e);
        }
    }

    /**
     * Nothing more will be sent, and nothing is under way. This rank may keep locks at the server. Servers announce
     * departures where requests have gone: one on the route makes this server hear of this rank's.
     */
    public void retire() {
        if (writer.lockHome() >= 0) {
            route.use(writer.lockHome());
        }
        try {
            sayGoodbye(Frames.NO_RANK, () -> { });
        } catch (IOException e) {
            throw broke(e);
        }
        life.retire();
        GasException failure = ledger.takeFailure();
        if (failure != null) {
            route.ledger.failed(failure);
        }
    }

    private void use(int home) {
        PendingReply unused = expect(failed -> { });
        unused.readBeforeEnd();
        try {
            writer.probe(unused, home);
        } catch (IOException e) {
            throw broke(e);
        }
        flush();
    }

    /** This is a direct connection: requests for the same ranks took the route before it, and will after it. */
    public void setRoute(ServerLink other) {
        route = other;
    }

    /**
     * Says goodbye: as a rank that leaves, or, if negative, for this connection alone. {@code taken} runs when the
     * connection, or the ring, has all of it.
     */
    void sayGoodbye(int rank, Runnable taken) throws IOException {
        if (!life.isRetired()) {
            writer.goodbye(rank);
            flush();
            taken.run();
            try {
                life.endStream(blocked);
            } finally {
                blocked.socketTakesAgain();
            }
        }
    }

    /** The same to a server that may be gone, and needs none then; {@code taken} does not run if it takes none. */
    public void trySayGoodbye(int rank, Runnable taken) {
        limitStallsOfEnd();
        try {
            sayGoodbye(rank, taken);
        } catch (IOException | GasException ignored) {
            // It is gone, or was stopped.
        }
    }

    /** Requests go over the connection from now on, unless the server is gone; waits until it has taken the others. */
    public void tryLeaveChannel() {
        if (fastPath == null || !life.isOpen()) {
            return;
        }
        limitStallsOfEnd();
        try {
            flush();
            fastPath.end();
            awaitArrival();
            long untilNs = System.nanoTime() + endNs;
            while (channels.isLeaving() && System.nanoTime() - untilNs < 0) {
                blocked.socketFull();
            }
        } catch (IOException | GasException ignored) {
            // It takes nothing any more.
        } finally {
            blocked.socketTakesAgain();
        }
    }

    /** Touches memory of callers no more: payload that was left for later is sent, and requests have failed. */
    public void letGo(GasException why) {
        replies.dropAll(why);
        try {
            if (hasDeferred()) {
                flush();
            }
        } catch (GasException e) {
            buffer.discard(); // the connection is broken, as its next user hears
        }
    }

    /** Whether no answer that nobody waits for is still to be read. */
    public boolean hasReadDropped() {
        return !life.isOpen() || !replies.areAnyDueForNobody();
    }

    /**
     * From now on, while there is something to send, the connection breaks when its server has neither taken nor sent
     * anything for so long: the rank does not wait any longer for a server that was stopped.
     */
    public void limitStalls(long limitNs) {
        stallNs = limitNs;
    }

    /** A server that has executed everything does what it is told; it has the longer time. */
    private void limitStallsOfEnd() {
        if (stallNs == 0 || isSettled()) {
            stallNs = endNs;
        }
    }

    /** Asks for word of everything that was sent, unless it is executed; nothing follows but a goodbye. */
    public void askExecuted() {
        if (life.isOpen() && !ledger.areAllExecuted()) {
            Awaited unused = fenceEverything();
        }
    }

    /** Whether the server has executed everything that was sent, and nothing is still to be read for nobody. */
    public boolean isSettled() {
        return !life.isOpen() || ledger.areAllExecuted() && hasReadDropped();
    }

    /** Hands everything encoded to the kernel. */
    public void flush() {
        life.checkNotBroken();
        try {
            writer.endVector();
            buffer.flush();
            if (fastPath != null) {
                fastPath.flushed();
                awaitArrival();
            }
            if (ledger.areManyUnread()) {
                read();
            }
        } catch (IOException e) {
            throw broke(e);
        }
    }

    /** What a channel has been given moves only while somebody looks; the rank may compute now, and others wait. */
    private void awaitArrival() throws IOException {
        if (channels.isUnderWay()) {
            try {
                while (channels.isUnderWay()) {
                    if (channels.progress()) {
                        blocked.socketTakesAgain();
                    } else {
                        blocked.socketFull();
                    }
                    life.checkNotBroken();
                }
            } finally {
                blocked.socketTakesAgain();
            }
        }
    }

    /** Whether its requests go by a channel of the network adapter, or may soon. */
    public boolean mayHaveChannel() {
        return fastPath != null && life.isOpen();
    }

    /** Reads what has come; false when nothing had. */
    public boolean poll() {
        life.checkNotBroken();
        if (life.isRetired()) {
            return false;
        }
        boolean moved;
        try {
            moved = read();
        } catch (IOException e) {
            throw broke(e);
        }
        if (moved && fastPath != null && fastPath.hasToAnswer() && !buffer.hasDeferred()) {
            flush(); // this rank may have nothing to send here for long, while others wait for the channel
        }
        return moved;
    }

    /** From now on {@link #breakIfSilent} looks at the host at the other end, if it is reached over a network. */
    public void watchHost(long timeoutNs) throws IOException {
        life.watchHost(timeoutNs);
    }

    /** Looks whether the server's host still answers; throws when it counts as gone. */
    public void breakIfSilent(TcpInfo info, long nowNs) {
        if (life.checkSilence(info, nowNs)) {
            throw broke(life.silence());
        }
    }

    /** The server may not have heard of what it was given. */
    public void remind() {
        try {
            life.remind();
        } catch (IOException e) {
            throw broke(e);
        }
    }

    private boolean read() throws IOException {
        boolean moved;
        try {
            moved = reader.poll();
        } catch (RuntimeException e) {
            // The next thread that polls would take the same bytes for an answer again.
            throw new IOException("an answer could not be taken: " + e, e);
        }
        if (moved) {
            owner.arrived();
        }
        return moved;
    }

    /** The request could not be encoded because the connection broke. */
    public GasException broke(IOException cause) {
        if (life.broken() == null) {
            buffer.discard();
            life.close(); // nothing may follow half a request
            life.breakWith(owner.broken(this, cause));
        }
        return life.broken();
    }

    /** A request may have been left half encoded, unless {@link CallEnded}: nothing can follow it. What to throw. */
    public RuntimeException brokeHalfway(Exception cause) {
        if (cause instanceof CallEnded ended) {
            return ended.reason();
        }
        if (cause instanceof RuntimeException error) {
            broke(new IOException("a request could not be completed: " + error, error));
            return error;
        }
        return broke((IOException) cause);
    }

    private final class Opening implements FastPath.Opening {
        @Override
        public RequestChannel open(ChannelFacts facts) {
            return owner.openChannel(ServerLink.this, facts);
        }

        @Override
        public int flushesBeforeAsking() {
            return owner.flushesBeforeAsking();
        }
    }

    private final class Full implements SendBuffer.Blocked {
        private boolean isFull;
        private long sinceNs;

        @Override
        public void socketFull() throws IOException {
            if (read()) {
                isFull = false;
                return;
            }
            checkStall();
            owner.socketFull(node);
            life.checkNotBroken(); // by a channel that the adapter has found broken
        }

        private void checkStall() throws IOException {
            if (stallNs == 0) {
                return;
            }
            long nowNs = System.nanoTime();
            if (!isFull) {
                isFull = true;
                sinceNs = nowNs;
            } else if (nowNs - sinceNs > stallNs) {
                throw new IOException("its server has taken nothing for " + stallNs / 1e9 + " s");
            }
        }

        @Override
        public void payloadSent() {
            owner.arrived();
        }

        @Override
        public void socketTakesAgain() {
            isFull = false;
            owner.socketTakesAgain();
        }
    }

    /** Becomes done when every fenced request issued so far has been executed. */
    public Awaited fence() {
        return fence(new Fence());
    }

    /** The same with a fence of the calling thread, which waits for no other one meanwhile. */
    public Awaited fence(Fence used) {
        return awaitExecuted(ledger.fenced(), used);
    }

    /** Becomes done when every request issued so far has been executed, the runtime's own too. */
    public Awaited fenceEverything() {
        return awaitExecuted(ledger.issued(), new Fence());
    }

    private Awaited awaitExecuted(long count, Fence fence) {
        if (ledger.isUnasked(count)) {
            try {
                writer.fence();
            } catch (IOException e) {
                throw broke(e);
            }
            ledger.askedByFence();
        }
        flush();
        return fence.at(ledger, count);
    }

    /** Throws the failure of one-way requests here, or on the route that this connection bypasses, once. */
    public void throwOneWayFailure() {
        GasException failure = ledger.takeFailure();
        if (failure != null) {
            throw failure;
        }
        if (route != null) {
            route.throwOneWayFailure();
        }
    }

    public void close() {
        life.close();
    }
}

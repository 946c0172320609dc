package org.tributary.server.relay;

import io.netty.channel.EventLoop;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.cooperation.CooperationOptions;
import org.tributary.cooperation.Forwarder;
import org.tributary.cooperation.Intake;
import org.tributary.cooperation.Output;
import org.tributary.cooperation.Routes;
import org.tributary.cooperation.Settling;
import org.tributary.server.frame.MalformedFrameException;
import org.tributary.server.io.ReplyWriter;
import org.tributary.server.io.ServerIo;
import org.tributary.server.job.JobLife;
import org.tributary.server.memory.NodeMemory;
import org.tributary.server.observe.GuardedTasks;
import org.tributary.server.observe.ServerLog;
import org.tributary.server.observe.ServerMetrics;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AtomicDecoder;
import org.tributary.wire.codec.ErrorCode;
import org.tributary.wire.codec.Role;
import org.tributary.wire.shape.ElementType;

/**
 * A server's part in the cooperation of nodes: does what the {@link Forwarder} decides, with sources and channels.
 * Owned by the event loop.
 */
public final class Cooperation implements Output, PeerChannel.Listener {
    /** Where requests on channels have their id, and atomics their operand. */
    private static final int ID_AT = Frames.REQUESTER_BYTES + Frames.HEADER_BYTES;
    private static final int OPERAND_AT = ID_AT + AtomicDecoder.operandEncodingOffset();
    private static final long NO_TICKET = -1;

    private final JobEnvironment job;
    private final NodeMemory memory;
    private final ServerLog log;
    private final JobLife life;
    private final int maxPayload;
    private final Topology topology;
    private final Routes routes;
    private final Forwarder forwarder;
    private final PeerChannels channels;
    private final SourceTable sources;
    private final DirectRanks directRanks;
    private final GuardedTasks.Task endTurn;
    private final GuardedTasks.Alarm wake;
    private boolean turnOpen;
    private PeerChannel sending;

    public Cooperation(JobEnvironment job, Settings settings, CooperationOptions options, NodeMemory memory,
        ServerIo io, JobLife life, EventLoop loop, Arena arena, PeerChannels channels) {
        this.job = job;
        this.memory = memory;
        this.log = io.log();
        this.life = life;
        this.maxPayload = Math.min(settings.messageMaxPayload(),
            options.maxForwarded() - Frames.MAX_FORWARDED_OVERHEAD);
        this.topology = job.topology();
        this.routes = new Routes(options, topology);
        GuardedTasks tasks = new GuardedTasks(loop, this::failed);
        this.endTurn = tasks.task(this::endTurn);
        this.wake = tasks.alarm(this::wake);
        this.channels = channels;
        this.sources = new SourceTable(topology, arena, options.channelBytes());
        this.directRanks = new DirectRanks(options);
        this.forwarder = new Forwarder(options, this);
        ServerMetrics metrics = io.metrics();
        metrics.counter("tributary.forwarded", "Requests passed on to other servers", forwarder, Forwarder::requests);
        metrics.counter("tributary.forwarded.messages", "Messages in which requests were passed on", forwarder,
            Forwarder::messages);
        metrics.counter("tributary.forwarded.combined", "Requests that became one with another", forwarder,
            Forwarder::combined);
        metrics.gauge("tributary.channels.credit.bytes", "Bytes that may be sent on channels to other servers now",
            forwarder, Forwarder::credit);
        metrics.gauge("tributary.receive.rings.bytes", "Memory of receive rings", sources, SourceTable::sizeInBytes);
        metrics.gauge("tributary.connections.direct", "Direct connections of ranks of other nodes", directRanks,
            DirectRanks::admitted);
        metrics.gauge("tributary.channels", "Channels opened to other servers", channels, PeerChannels::openCount);
    }

    Intake intake() {
        return forwarder.intake();
    }

    @Override
    public Settling settling() {
        return forwarder.settling();
    }

    int ownNode() {
        return job.node();
    }

    int rankCount() {
        return topology.rankCount();
    }

    /** The longest payload of a request that may have to be passed on, and of its answer. */
    @Override
    public int maxPayload() {
        return maxPayload;
    }

    /** Ranks of other nodes that have a connection for this node alone. */
    public DirectRanks directRanks() {
        return directRanks;
    }

    SourceTable sources() {
        return sources;
    }

    /** Requests of a connection have been executed here. */
    public void served() {
        directRanks.served();
        turn();
    }

    long nowNs() {
        return System.nanoTime();
    }

    /** The node of a target; this one for a rank that does not exist, so that the request is refused here. */
    int nodeOf(int rank) {
        return memory.isLocal(rank) || rank < 0 || rank >= topology.rankCount() ? ownNode() : topology.nodeOf(rank);
    }

    int nextHop(int targetNode) {
        return routes.nextHop(ownNode(), targetNode);
    }

    /** Only a rank's own server takes requests for any node. */
    void checkRoute(Source source, int targetNode) {
        if (source.role() != Role.LOCAL_RANK && !routes.mayForward(ownNode(), targetNode)) {
            throw new MalformedFrameException("a request for node " + targetNode
                + ", which is not in the group of node " + ownNode());
        }
    }

    /** Something was handed over: once everything that has arrived is dealt with, it is sent and acknowledged. */
    @Override
    public void turn() {
        if (!turnOpen) {
            endTurn.soon();
            turnOpen = true;
        }
    }

    private void endTurn() {
        turnOpen = false;
        directRanks.endTurn();
        forwarder.endOfTurn(nowNs());
        flush();
    }

    private void wake() {
        forwarder.timer(nowNs());
        flush();
    }

    /** The waiters of the requests at hand would wait for ever. */
    private void failed(Throwable cause) {
        log.failed("requests that were to be passed on", cause);
        life.abort("the communication server of node " + ownNode() + " failed to pass requests on: " + cause, -1);
    }

    /** Sends what has been gathered for sources, and goes on with those that were held back. */
    @Override
    public void flush() {
        sources.flush();
    }

    @Override
    public void connect(int peer) {
        channels.connect(peer, this);
    }

    @Override
    public void begin(int peer, int requests, long lengthInBytes) {
        sending = channels.channelTo(peer);
    }

    @Override
    public void request(int peer, long ticket, int source, long position, int lengthInBytes) {
        ReceiveRing ring = sources.ring(source);
        if (ticket != NO_TICKET) {
            ring.putLong(position + ID_AT, ticket);
        }
        int rank = ring.getInt(position + Frames.HEADER_BYTES);
        sending.carries(rank, channels.isGone(rank));
        ring.send(position, lengthInBytes, sending.writer());
    }

    @Override
    public void fetchAndAdd(int peer, long ticket, int source, long position, int lengthInBytes, long operand) {
        sources.ring(source).putLong(position + OPERAND_AT, operand);
        request(peer, ticket, source, position, lengthInBytes);
    }

    @Override
    public void end(int peer) {
        sending.endMessage();
        sending = null;
    }

    @Override
    public void sum(int intoSource, long intoPosition, int fromSource, long fromPosition, int payloadAt,
        int payloadLength, ElementType type) {
        sources.ring(intoSource).add(intoPosition + payloadAt, sources.ring(fromSource), fromPosition + payloadAt,
            payloadLength, type);
    }

    @Override
    public void acknowledge(int source, long executed) {
        sources.answering(sources.get(source)).ack(executed);
    }

    @Override
    public void credit(int source, long freed) {
        sources.answering(sources.get(source)).credit(freed);
    }

    @Override
    public void unblocked(int source) {
        sources.unblocked(source);
    }

    @Override
    public void released(int source) {
        sources.released(source);
    }

    @Override
    public void failed(int source, long requestId, int lostNode) {
        SourceEntry entry = sources.get(source);
        sources.answering(entry).error(numbered(entry, requestId), ErrorCode.NODE_LOST, -1, 0, 0, 0, lostNode,
            "the communication server of node " + lostNode + " is gone");
    }

    @Override
    public void wakeAt(long timeNs) {
        wake.after(Math.max(0, timeNs - nowNs()));
    }

    @Override
    public void connected(int peer) {
        forwarder.connected(peer);
        turn();
    }

    @Override
    public void lost(int peer) {
        forwarder.lost(peer);
        turn();
    }

    @Override
    public void passOnAnswer(int source, long requestId, PeerAnswers answer, long prefix, int width) {
        SourceEntry entry = sources.get(source);
        answer.write(sources.answering(entry), numbered(entry, requestId), prefix, width);
    }

    /** Ranks know their one-way requests by no number. */
    private static long numbered(SourceEntry entry, long requestId) {
        return entry.isChannel() ? requestId : Math.max(requestId, Frames.NO_REQUEST);
    }

    @Override
    public void passOnError(int rank, MemorySegment memory, int at, int length) {
        SourceEntry entry = sources.ofRank(rank);
        if (entry != null) {
            ReplyWriter replies = sources.answering(entry);
            if (entry.isChannel()) {
                replies.requester(rank);
            }
            replies.passOn(memory, at, length, MemorySegment.NULL, 0, 0, Frames.NO_REQUEST);
        }
    }

    /** A rank that has handed over requests here is gone: what it holds on other nodes is released there. */
    public void rankGone(int rank) {
        channels.goodbye(rank);
    }

    public void disconnect() {
        channels.disconnect();
    }

    /** This server leaves in good order. */
    public void sayGoodbye() {
        channels.goodbye(Frames.NO_RANK);
        sources.forEachChannel(source -> {
            source.replies().goodbye(Frames.NO_RANK);
            source.replies().flush();
        });
    }
}

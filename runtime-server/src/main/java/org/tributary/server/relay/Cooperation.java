package org.tributary.server.relay;

import io.netty.channel.EventLoop;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.cooperation.CooperationOptions;
import org.tributary.cooperation.DirectAdmission;
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
 * A server's part in the cooperation of nodes: does what the {@link Forwarder} decides with rings, connections and
 * channels. Owned by the event loop.
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
    private final CooperationOptions options;
    private final Topology topology;
    private final Routes routes;
    private final Arena arena;
    private final Forwarder forwarder;
    private final PeerChannels channels;
    private final DirectAdmission direct;
    private final List<SourceEntry> sources = new ArrayList<>();
    private final Set<Source> directSources = Collections.newSetFromMap(new IdentityHashMap<>());
    private final ArrayDeque<ReceiveRing> freeRings = new ArrayDeque<>();
    private final List<SourceEntry> toFlush = new ArrayList<>();
    private final List<Source> unblocked = new ArrayList<>();
    private final GuardedTasks.Task endTurn;
    private final GuardedTasks.Task wake;
    private boolean turnOpen;
    private int served;
    private int rings;
    private PeerChannel sending;

    public Cooperation(JobEnvironment job, Settings settings, CooperationOptions options, NodeMemory memory,
        ServerIo io, JobLife life, EventLoop loop, Arena arena, PeerChannels channels) {
        this.job = job;
        this.memory = memory;
        this.log = io.log();
        this.life = life;
        this.maxPayload = Math.min(settings.messageMaxPayload(),
            options.maxForwarded() - Frames.MAX_FORWARDED_OVERHEAD);
        this.options = options;
        this.topology = job.topology();
        this.routes = new Routes(options, topology);
        GuardedTasks tasks = new GuardedTasks(loop, this::failed);
        this.endTurn = tasks.task(this::endTurn);
        this.wake = tasks.task(this::wake);
        this.arena = arena;
        this.forwarder = new Forwarder(options, this);
        this.channels = channels;
        this.direct = new DirectAdmission(options);
        ServerMetrics metrics = io.metrics();
        metrics.counter("tributary.forwarded", "Requests passed on to other servers", forwarder, Forwarder::requests);
        metrics.counter("tributary.forwarded.messages", "Messages in which requests were passed on", forwarder,
            Forwarder::messages);
        metrics.counter("tributary.forwarded.combined", "Requests that became one with another", forwarder,
            Forwarder::combined);
        metrics.gauge("tributary.channels.credit.bytes", "Bytes that may be sent on channels to other servers now",
            forwarder, Forwarder::credit);
        metrics.gauge("tributary.receive.rings.bytes", "Memory of receive rings", this,
            self -> (double) self.rings * options.channelBytes());
        metrics.gauge("tributary.connections.direct", "Direct connections of ranks of other nodes", direct,
            DirectAdmission::admitted);
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

    /** Which ranks of other nodes may have a connection that is for this node alone. */
    public DirectAdmission direct() {
        return direct;
    }

    /** Such a rank has been admitted. */
    public void directOpened(Source source) {
        directSources.add(source);
    }

    public void directClosed(Source source) {
        directSources.remove(source);
        direct.closed();
    }

    /** Requests of a connection have been executed here. */
    public void served() {
        served++;
        turn();
    }

    /** Sends ranks with direct connections back to their routes when too many come at once. */
    private void relieve() {
        if (served > 0) {
            direct.turn(served);
            served = 0;
        }
        if (!directSources.isEmpty() && direct.isContended()) {
            for (Source source : directSources) {
                source.replies().takeRoute();
                source.replies().flush();
            }
            directSources.clear(); // told once; they come again as new connections
        }
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

    void opened(int number, Source source) {
        while (sources.size() <= number) {
            sources.add(null);
        }
        sources.set(number, new SourceEntry(source));
    }

    /** Where requests of a source lie from now on. */
    ReceiveRing newRing(int source) {
        ReceiveRing ring = freeRings.pollFirst();
        if (ring == null) {
            rings++;
            ring = new ReceiveRing(arena.allocate(options.channelBytes(), Long.BYTES));
        }
        sources.get(source).ring = ring;
        return ring;
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
        relieve();
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
        life.abort("the communication server of node " + ownNode() + " failed to pass requests on: " + cause,
            -1);
    }

    /** Answers for a source, which are sent together. */
    private ReplyWriter answering(SourceEntry entry) {
        if (!entry.gathers) {
            entry.gathers = true;
            toFlush.add(entry);
        }
        return entry.source.replies();
    }

    /** Sends what has been gathered for sources, and goes on with those that were held back. */
    @Override
    public void flush() {
        for (int i = 0; i < toFlush.size(); i++) {
            toFlush.get(i).gathers = false;
            toFlush.get(i).source.replies().flush();
        }
        toFlush.clear();
        for (int i = 0; i < unblocked.size(); i++) {
            unblocked.get(i).goOn();
        }
        unblocked.clear();
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
        ReceiveRing ring = sources.get(source).ring;
        if (ticket != NO_TICKET) {
            ring.putLong(position + ID_AT, ticket);
        }
        sending.carries(ring.getInt(position + Frames.HEADER_BYTES));
        ring.send(position, lengthInBytes, sending.writer());
    }

    @Override
    public void fetchAndAdd(int peer, long ticket, int source, long position, int lengthInBytes, long operand) {
        sources.get(source).ring.putLong(position + OPERAND_AT, operand);
        request(peer, ticket, source, position, lengthInBytes);
    }

    @Override
    public void end(int peer) {
        sending.writer().flush();
        sending = null;
    }

    @Override
    public void sum(int intoSource, long intoPosition, int fromSource, long fromPosition, int payloadAt,
        int payloadLength, ElementType type) {
        sources.get(intoSource).ring.add(intoPosition + payloadAt, sources.get(fromSource).ring,
            fromPosition + payloadAt, payloadLength, type);
    }

    @Override
    public void acknowledge(int source, long executed) {
        answering(sources.get(source)).ack(executed);
    }

    @Override
    public void credit(int source, long freed) {
        answering(sources.get(source)).credit(freed);
    }

    @Override
    public void unblocked(int source) {
        unblocked.add(sources.get(source).source);
    }

    @Override
    public void released(int source) {
        ReceiveRing ring = sources.set(source, null).ring;
        if (ring != null) {
            freeRings.addFirst(ring);
        }
    }

    @Override
    public void failed(int source, long requestId, int lostNode) {
        SourceEntry entry = sources.get(source);
        if (entry.isChannel()) {
            return; // the rank hears of it as the job ends
        }
        answering(entry).error(requestId, ErrorCode.NODE_LOST, -1, 0, 0, 0, lostNode,
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
        // Ranks know their one-way requests by no number.
        answer.write(answering(entry), entry.isChannel() ? requestId : Math.max(requestId, Frames.NO_REQUEST), prefix,
            width);
    }

    /** The connection of a rank here, or of the server that it reaches this one by; null when there is none. */
    private SourceEntry entryOf(int rank) {
        SourceEntry own = find(false, rank);
        return own != null ? own : find(true, topology.nodeOf(rank));
    }

    private SourceEntry find(boolean isChannel, int number) {
        for (SourceEntry entry : sources) {
            if (entry != null && entry.isChannel() == isChannel && entry.source.rank() == number) {
                return entry;
            }
        }
        return null;
    }

    @Override
    public void passOnError(int rank, MemorySegment memory, int at, int length) {
        SourceEntry entry = entryOf(rank);
        if (entry != null) {
            ReplyWriter replies = answering(entry);
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
        for (SourceEntry entry : sources) {
            if (entry != null && entry.isChannel()) {
                entry.source.replies().goodbye(Frames.NO_RANK);
                entry.source.replies().flush();
            }
        }
    }
}

package org.tributary.server;

import io.netty.channel.EventLoop;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.tributary.config.Topology;
import org.tributary.cooperation.CooperationOptions;
import org.tributary.cooperation.DirectAdmission;
import org.tributary.cooperation.Forwarder;
import org.tributary.cooperation.Output;
import org.tributary.cooperation.Routes;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AtomicDecoder;
import org.tributary.wire.codec.ErrorCode;
import org.tributary.wire.codec.Role;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shm.MemoryFaults;

/**
 * A server's part in the cooperation of nodes: does what the {@link Forwarder} decides with blocks, connections and
 * channels. Owned by the event loop.
 */
final class Cooperation implements Output {
    /** Where requests on channels have their id, and atomics their operand. */
    private static final int ID_AT = Relay.ORIGIN_BYTES + Frames.HEADER_BYTES;
    private static final int OPERAND_AT = ID_AT + AtomicDecoder.operandEncodingOffset();
    private static final long NO_TICKET = -1;

    private final NodeState node;
    private final CooperationOptions options;
    private final Topology topology;
    private final Routes routes;
    private final EventLoop loop;
    private final Arena arena;
    private final Forwarder forwarder;
    private final PeerChannels channels;
    private final DirectAdmission straight;
    private final List<Relay> origins = new ArrayList<>();
    private final Set<Session> straightSessions = Collections.newSetFromMap(new IdentityHashMap<>());
    private final ArrayDeque<Block> freeBlocks = new ArrayDeque<>();
    private final List<Relay> toFlush = new ArrayList<>();
    private final List<Relay> unblocked = new ArrayList<>();
    private final Runnable endTurn = this::endTurn;
    private final Runnable wake = this::wake;
    private boolean turnOpen;
    private int served;
    private int blocks;
    private PeerChannel sending;

    Cooperation(NodeState node, CooperationOptions options, EventLoop loop, Arena arena, PeerChannels channels) {
        this.node = node;
        this.options = options;
        this.topology = node.job().topology();
        this.routes = new Routes(options, topology);
        this.loop = loop;
        this.arena = arena;
        this.forwarder = new Forwarder(options, this);
        this.channels = channels;
        this.straight = new DirectAdmission(options);
        ServerMetrics metrics = node.metrics();
        metrics.counter("tributary.forwarded", "Requests passed on to other servers", forwarder, Forwarder::requests);
        metrics.counter("tributary.forwarded.messages", "Messages in which requests were passed on", forwarder,
            Forwarder::messages);
        metrics.counter("tributary.forwarded.combined", "Requests that became one with another", forwarder,
            Forwarder::combined);
        metrics.gauge("tributary.blocks.bytes", "Memory of receive blocks", this,
            self -> (double) self.blocks * options.channelBytes());
        metrics.gauge("tributary.connections.straight", "Connections of ranks beside their route", straight,
            DirectAdmission::admitted);
        metrics.gauge("tributary.channels", "Channels opened to other servers", channels, PeerChannels::open);
    }

    Forwarder forwarder() {
        return forwarder;
    }

    int ownNode() {
        return node.job().node();
    }

    int rankCount() {
        return topology.rankCount();
    }

    /** The longest payload of a request that may have to be passed on. */
    int maxPayload() {
        return Math.min(node.maxPayload(), options.maxForwarded() - Frames.MAX_FORWARDED_OVERHEAD);
    }

    /** Which ranks of other nodes may have a connection that is for this node alone, beside their route. */
    DirectAdmission straight() {
        return straight;
    }

    /** Such a rank has been admitted. */
    void straightOpened(Session session) {
        straightSessions.add(session);
    }

    void straightClosed(Session session) {
        straightSessions.remove(session);
        straight.closed();
    }

    /** Requests of a connection have been executed here. */
    void served() {
        served++;
        turn();
    }

    /** Sends those who came straight to their routes when too many come at once. */
    private void relieve() {
        if (served > 0) {
            straight.turn(served);
            served = 0;
        }
        if (!straightSessions.isEmpty() && straight.isContended()) {
            for (Session session : straightSessions) {
                session.replies().takeRoute();
                session.replies().flush();
            }
            straightSessions.clear(); // told once; they come again as new connections
        }
    }

    long nowNs() {
        return System.nanoTime();
    }

    /** The node of a target; this one for a rank that does not exist, so that the request is refused here. */
    int nodeOf(int rank) {
        return node.isLocal(rank) || rank < 0 || rank >= topology.rankCount() ? ownNode() : topology.nodeOf(rank);
    }

    int nextHop(int targetNode) {
        return routes.nextHop(ownNode(), targetNode);
    }

    /** Only a rank's own server takes requests for any node. */
    void checkRoute(Session session, int targetNode) {
        if (session.role() != Role.LOCAL_RANK && !routes.mayForward(ownNode(), targetNode)) {
            throw new MalformedFrameException("a request for node " + targetNode
                + ", which is not in the group of node " + ownNode());
        }
    }

    void opened(Relay relay) {
        while (origins.size() <= relay.number()) {
            origins.add(null);
        }
        origins.set(relay.number(), relay);
    }

    Block newBlock() {
        Block block = freeBlocks.pollFirst();
        if (block == null) {
            blocks++;
            block = new Block(arena.allocate(options.channelBytes(), Long.BYTES));
        }
        return block;
    }

    /** Something was handed over: once everything that has arrived is dealt with, it is sent and acknowledged. */
    void turn() {
        if (!turnOpen) {
            MemoryFaults.surface();
            turnOpen = true;
            loop.execute(endTurn);
        }
    }

    private void endTurn() {
        turnOpen = false;
        try {
            relieve();
            forwarder.endOfTurn(nowNs());
            flush();
        } catch (RuntimeException | InternalError e) {
            failed(e);
        }
    }

    private void wake() {
        try {
            forwarder.timer(nowNs());
            flush();
        } catch (RuntimeException | InternalError e) {
            failed(e);
        }
    }

    /** Whoever waits for what was in hand would wait for ever. */
    private void failed(Throwable cause) {
        node.log().failed("requests that were to be passed on", cause);
        node.life().abort("the communication server of node " + ownNode() + " failed to pass requests on: " + cause,
            -1);
    }

    void flushLater(Relay relay) {
        toFlush.add(relay);
    }

    /** Sends what has been gathered for origins, and goes on with those that were held back. */
    void flush() {
        for (int i = 0; i < toFlush.size(); i++) {
            toFlush.get(i).flush();
        }
        toFlush.clear();
        for (int i = 0; i < unblocked.size(); i++) {
            unblocked.get(i).session().goOn();
        }
        unblocked.clear();
    }

    @Override
    public void connect(int peer) {
        channels.connect(peer, this);
    }

    @Override
    public void begin(int peer, int requests, long lengthInBytes) {
        sending = channels.to(peer);
    }

    @Override
    public void request(int peer, long ticket, int origin, long position, int lengthInBytes) {
        Block block = origins.get(origin).block();
        if (ticket != NO_TICKET) {
            block.putLong(position + ID_AT, ticket);
        }
        sending.carries(block.getInt(position + Frames.HEADER_BYTES));
        block.send(position, lengthInBytes, sending.writer());
    }

    @Override
    public void fetchAndAdd(int peer, long ticket, int origin, long position, int lengthInBytes, long operand) {
        origins.get(origin).block().putLong(position + OPERAND_AT, operand);
        request(peer, ticket, origin, position, lengthInBytes);
    }

    @Override
    public void end(int peer) {
        sending.writer().flush();
        sending = null;
    }

    @Override
    public void sum(int intoOrigin, long intoPosition, int fromOrigin, long fromPosition, int payloadAt,
        int payloadLength, ElementType type) {
        origins.get(intoOrigin).block().add(intoPosition + payloadAt, origins.get(fromOrigin).block(),
            fromPosition + payloadAt, payloadLength, type);
    }

    @Override
    public void acknowledge(int origin, long executed) {
        origins.get(origin).answering().ack(executed);
    }

    @Override
    public void credit(int origin, long freed) {
        origins.get(origin).answering().credit(freed);
    }

    @Override
    public void unblocked(int origin) {
        unblocked.add(origins.get(origin));
    }

    @Override
    public void released(int origin) {
        Relay relay = origins.set(origin, null);
        if (relay.block() != null) {
            freeBlocks.addFirst(relay.block());
        }
    }

    @Override
    public void failed(int origin, long requestId, int lostNode) {
        Relay relay = origins.get(origin);
        if (relay.session().role() == Role.CHANNEL) {
            return; // the rank hears of it as the job ends
        }
        relay.answering().error(requestId, ErrorCode.NODE_LOST, -1, 0, 0, 0, lostNode,
            "the communication server of node " + lostNode + " is gone");
    }

    @Override
    public void wakeAt(long timeNs) {
        loop.schedule(wake, Math.max(0, timeNs - nowNs()), TimeUnit.NANOSECONDS);
    }

    /** The channel to a peer is open. */
    void connected(int peer) {
        forwarder.connected(peer);
        turn();
    }

    /** The channel to a peer cannot be opened, or broke. */
    void lost(int peer) {
        forwarder.lost(peer);
        turn();
    }

    /** An answer has come for an origin. */
    void passOnAnswer(int origin, long requestId, PeerAnswers answer, long prefix, int width) {
        Relay relay = origins.get(origin);
        boolean isChannel = relay.session().role() == Role.CHANNEL;
        // Ranks know their one-way requests by no number.
        answer.write(relay.answering(), isChannel ? requestId : Math.max(requestId, Frames.NO_REQUEST), prefix, width);
    }

    /** The connection of a rank here, or of the server that it reaches this one by; null when there is none. */
    private Relay relayOf(int rank) {
        for (Relay relay : origins) {
            if (relay != null && relay.session().role() != Role.CHANNEL && relay.session().rank() == rank) {
                return relay;
            }
        }
        int from = topology.nodeOf(rank);
        for (Relay relay : origins) {
            if (relay != null && relay.session().role() == Role.CHANNEL && relay.session().rank() == from) {
                return relay;
            }
        }
        return null;
    }

    /** Takes an error that belongs to no request of its own to a rank. */
    void passOnError(int rank, MemorySegment memory, int at, int length) {
        Relay relay = relayOf(rank);
        if (relay != null) {
            ReplyWriter replies = relay.answering();
            if (relay.session().role() == Role.CHANNEL) {
                replies.origin(rank);
            }
            replies.passOn(memory, at, length, MemorySegment.NULL, 0, 0, Frames.NO_REQUEST);
        }
    }

    /** A rank that has handed over requests here is gone: what it holds on other nodes is released there. */
    void rankGone(int rank) {
        channels.goodbye(rank);
    }

    /** Closes the channels. */
    void disconnect() {
        channels.disconnect();
    }

    /** This server leaves in good order. */
    void leave() {
        channels.goodbye(Frames.NO_RANK);
        for (Relay relay : origins) {
            if (relay != null && relay.session().role() == Role.CHANNEL) {
                relay.session().replies().goodbye(Frames.NO_RANK);
                relay.session().replies().flush();
            }
        }
    }
}

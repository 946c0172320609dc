package org.tributary.server;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.cooperation.Forwarder;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.OriginDecoder;
import org.tributary.wire.codec.Role;

/**
 * What becomes of the requests of one connection in a job whose nodes cooperate: those for ranks of this node are
 * executed, others are kept in the connection's block until they are passed on. On a channel each request is preceded
 * by the rank that it comes from, and so it is in the block. Owned by the event loop.
 */
final class Relay {
    /** What precedes each request on a channel. */
    static final int ORIGIN_BYTES = Frames.HEADER_BYTES + OriginDecoder.BLOCK_LENGTH;
    private static final int ORIGIN_HEADER = OriginDecoder.BLOCK_LENGTH | OriginDecoder.TEMPLATE_ID << Short.SIZE;
    private static final int SCHEMA_HEADER = OriginDecoder.SCHEMA_ID | OriginDecoder.SCHEMA_VERSION << Short.SIZE;
    private static final long NO_ROOM_TAKEN = -1;

    private final Cooperation cooperation;
    private final Session session;
    private final RequestExecutor executor;
    private final Requester requester;
    private final Forwarder forwarder;
    private final boolean isChannel;
    private final int number;
    private final RequestForm form;
    private Block block;
    private boolean named;
    private boolean ackWanted;
    private boolean inTurn;
    private boolean storing;
    private int missing;
    private int stored;
    private int targetNode;
    private boolean executing;
    private boolean oneWay;
    private long oneWayCount;
    private long position;
    private boolean gathered;

    Relay(Cooperation cooperation, Session session, RequestExecutor executor) {
        this.cooperation = cooperation;
        this.session = session;
        this.executor = executor;
        this.requester = session.requester();
        this.forwarder = cooperation.forwarder();
        this.isChannel = session.role() == Role.CHANNEL;
        this.form = new RequestForm(cooperation.maxPayload());
        this.number = forwarder.openOrigin(isChannel);
        if (!isChannel) {
            forwarder.comesFrom(number, session.rank());
        }
        cooperation.opened(this);
    }

    /** Its number as an origin of requests. */
    int number() {
        return number;
    }

    Session session() {
        return session;
    }

    Block block() {
        return block;
    }

    boolean isBlocked() {
        return forwarder.isBlocked(number);
    }

    /** The fixed part of a frame has come. */
    void frame(UnsafeBuffer buffer, MemorySegment memory, int at, int template, int blockLength, int version,
        int payload) {
        if (template == OriginDecoder.TEMPLATE_ID) {
            name(buffer.getInt(at + OriginDecoder.rankEncodingOffset(), ByteOrder.LITTLE_ENDIAN));
            return;
        }
        int rankAt = Templates.rankOffset(template);
        if (rankAt < 0) {
            session.execute(buffer, memory, at, template, blockLength, version, payload);
            return;
        }
        if (isChannel && !named) {
            throw new MalformedFrameException("message " + template + " on a channel, of no rank");
        }
        named = false;
        oneWay = Templates.isOneWay(template);
        int frame = at - Frames.HEADER_BYTES;
        int frameLength = buffer.getInt(frame, ByteOrder.LITTLE_ENDIAN);
        int target = buffer.getInt(at + rankAt, ByteOrder.LITTLE_ENDIAN);
        targetNode = cooperation.nodeOf(target);
        boolean streams = Templates.carriesPayload(template);
        if (targetNode == cooperation.ownNode()) {
            executing = true;
            position = isChannel ? place(frameLength) : NO_ROOM_TAKEN;
            countOneWay();
            session.execute(buffer, memory, at, template, blockLength, version, payload);
            if (!streams) {
                executed();
            }
        } else {
            form.read(buffer, at, template, blockLength, version, payload);
            begin(memory, frame, frameLength, streams ? payload : 0, streams);
        }
    }

    private void name(int rank) {
        if (!isChannel || rank < 0 || rank >= cooperation.rankCount()) {
            throw new MalformedFrameException("requests of rank " + rank + " from a " + session.role());
        }
        requester.become(rank);
        forwarder.comesFrom(number, rank);
        named = true;
    }

    private long place(int frameLength) {
        long room = forwarder.place(number, ORIGIN_BYTES + frameLength);
        if (room < 0) {
            throw new MalformedFrameException("a request of " + frameLength + " bytes, more than there is room for");
        }
        cooperation.turn();
        return room;
    }

    private void countOneWay() {
        if (isChannel) {
            oneWayCount += oneWay ? 1 : 0;
            ((ChannelReplies) session.replies()).executing(oneWay ? oneWayCount : 0);
        }
    }

    private void executed() {
        executing = false;
        forwarder.executedHere(number, position, oneWay);
        inTurn = true;
    }

    /** Keeps a request for another node. */
    private void begin(MemorySegment memory, int frame, int frameLength, int payload,
        boolean streams) {
        cooperation.checkRoute(session, targetNode);
        if (block == null) {
            block = cooperation.newBlock();
        }
        if (isChannel && oneWay) {
            oneWayCount++;
        }
        position = place(frameLength);
        block.putInt(position, ORIGIN_BYTES);
        block.putInt(position + Frames.LENGTH_BYTES, ORIGIN_HEADER);
        block.putInt(position + 2 * Integer.BYTES, SCHEMA_HEADER);
        block.putInt(position + Frames.HEADER_BYTES, requester.number());
        int fixed = frameLength - payload;
        block.put(position + ORIGIN_BYTES, memory, frame, fixed);
        stored = ORIGIN_BYTES + fixed;
        missing = payload;
        if (streams) {
            storing = true;
        } else {
            passOn();
        }
    }

    /** Whether payload that comes is that of a request for another node. */
    boolean isStoring() {
        return storing;
    }

    int store(MemorySegment memory, int at, int length) {
        int taken = Math.min(length, missing);
        block.put(position + stored, memory, at, taken);
        stored += taken;
        missing -= taken;
        return taken;
    }

    boolean isStored() {
        return missing == 0;
    }

    /** The payload of the request at hand is complete. */
    void payloadDone() {
        if (storing) {
            storing = false;
            passOn();
        } else {
            session.executePayload();
            if (executing && !session.isHeldUp()) {
                executed();
            }
        }
    }

    private void passOn() {
        ackWanted |= form.wantsAck();
        form.passOn(forwarder, number, position, stored, cooperation.nextHop(targetNode), cooperation.nowNs());
        inTurn = true;
    }

    /** What was read has been dealt with. */
    void endOfBatch() {
        boolean wanted = executor.takeAckWanted() | ackWanted;
        ackWanted = false;
        if (wanted || isChannel && inTurn) {
            forwarder.wantAck(number);
            inTurn = true;
        }
        if (inTurn) {
            inTurn = false;
            cooperation.turn();
        }
    }

    /** An answer of another server for this origin; {@code requestId} is -1 for a one-way request. */
    ReplyWriter answering() {
        if (!gathered) {
            gathered = true;
            cooperation.flushLater(this);
        }
        return session.replies();
    }

    /** Sends what was gathered by {@link #answering}. */
    void flush() {
        gathered = false;
        session.replies().flush();
    }

    /** The connection is gone. */
    void close() {
        forwarder.closeOrigin(number);
        cooperation.turn();
    }
}

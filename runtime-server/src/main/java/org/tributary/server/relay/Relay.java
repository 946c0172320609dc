package org.tributary.server.relay;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.cooperation.Intake;
import org.tributary.server.execute.RequestExecutor;
import org.tributary.server.frame.MalformedFrameException;
import org.tributary.server.io.ChannelReplies;
import org.tributary.server.io.Requester;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.RequesterDecoder;
import org.tributary.wire.codec.Role;
import org.tributary.wire.codec.Templates;

/**
 * The requests of one connection in a job whose nodes cooperate: those for ranks of this node are executed, others are
 * kept in the connection's ring until they are forwarded. On a channel each request is preceded by the rank that it
 * comes from, and so it is in the ring. Owned by the event loop.
 */
public final class Relay {
    private static final int REQUESTER_HEADER =
        RequesterDecoder.BLOCK_LENGTH | RequesterDecoder.TEMPLATE_ID << Short.SIZE;
    private static final int SCHEMA_HEADER = RequesterDecoder.SCHEMA_ID | RequesterDecoder.SCHEMA_VERSION << Short.SIZE;
    private static final long NO_ROOM_TAKEN = -1;

    private final Cooperation cooperation;
    private final Source source;
    private final RequestExecutor executor;
    private final Requester requester;
    private final Intake intake;
    private final boolean isChannel;
    private final int number;
    private final RequestForm form;
    private ReceiveRing ring;
    private boolean named;
    private boolean inTurn;
    private boolean storing;
    private int missing;
    private int stored;
    private int fixed;
    private boolean hasEntries;
    private int targetNode;
    private boolean executing;
    private boolean oneWay;
    private long oneWayCount;
    private long position;

    public Relay(Cooperation cooperation, Source source, RequestExecutor executor) {
        this.cooperation = cooperation;
        this.source = source;
        this.executor = executor;
        this.requester = source.requester();
        this.intake = cooperation.intake();
        this.isChannel = source.role() == Role.CHANNEL;
        this.form = new RequestForm(cooperation.maxPayload());
        this.number = intake.openSource(isChannel);
        if (!isChannel) {
            intake.comesFrom(number, source.rank());
        }
        cooperation.sources().opened(number, source);
    }

    /** As {@link Intake#holdIfBlocked}: the source's ring is full, or too many answers are due to it. */
    public boolean holdIfBlocked() {
        return intake.holdIfBlocked(number);
    }

    /** The fixed part of a frame has come. */
    public void frame(UnsafeBuffer buffer, MemorySegment memory, int at, int template, int blockLength, int version,
        int payload) {
        if (template == RequesterDecoder.TEMPLATE_ID) {
            name(buffer.getInt(at + RequesterDecoder.rankEncodingOffset(), ByteOrder.LITTLE_ENDIAN));
            return;
        }
        int rankAt = Templates.rankOffset(template);
        if (rankAt < 0) {
            source.execute(buffer, memory, at, template, blockLength, version, payload);
            wantAck(executor.takeAckWanted());
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
            position = isChannel ? place(frameLength) : NO_ROOM_TAKEN;
            executing = true;
            countOneWay();
            source.execute(buffer, memory, at, template, blockLength, version, payload);
            if (!streams) {
                executed();
            }
        } else {
            if (!Templates.hasKnownValues(buffer, at, template)) { // there the channel would be to blame
                throw new MalformedFrameException("message " + template + " with a value that it cannot have");
            }
            VectorCheck.list(template, payload);
            hasEntries = VectorCheck.hasEntries(template);
            form.read(buffer, at, template, blockLength, version, payload);
            begin(memory, frame, frameLength, streams ? payload : 0, streams);
        }
    }

    private void name(int rank) {
        if (!isChannel || rank < 0 || rank >= cooperation.rankCount()) {
            throw new MalformedFrameException("requests of rank " + rank + " from a " + source.role());
        }
        requester.setRank(rank);
        intake.comesFrom(number, rank);
        named = true;
    }

    private long place(int frameLength) {
        long room = intake.place(number, Frames.REQUESTER_BYTES + frameLength);
        cooperation.turn();
        return room;
    }

    private void countOneWay() {
        if (isChannel) {
            oneWayCount += oneWay ? 1 : 0;
            ((ChannelReplies) source.replies()).executing(oneWay ? oneWayCount : 0);
        }
    }

    private void executed() {
        executing = false;
        intake.executedHere(number, position, oneWay);
        inTurn = true;
        wantAck(executor.takeAckWanted());
    }

    /** Asked for by a request, whose acknowledgement waits for none of those behind it. */
    private void wantAck(boolean isWanted) {
        if (isWanted) {
            intake.wantAck(number);
            inTurn = true;
        }
    }

    /** Keeps a request for another node. */
    private void begin(MemorySegment memory, int frame, int frameLength, int payload,
        boolean streams) {
        cooperation.checkRoute(source, targetNode);
        if (ring == null) {
            ring = cooperation.sources().newRing(number);
        }
        if (isChannel && oneWay) {
            oneWayCount++;
        }
        position = place(frameLength);
        ring.putInt(position, Frames.REQUESTER_BYTES);
        ring.putInt(position + Frames.LENGTH_BYTES, REQUESTER_HEADER);
        ring.putInt(position + 2 * Integer.BYTES, SCHEMA_HEADER);
        ring.putInt(position + Frames.HEADER_BYTES, requester.number());
        fixed = Frames.REQUESTER_BYTES + frameLength - payload;
        ring.put(position + Frames.REQUESTER_BYTES, memory, frame, frameLength - payload);
        stored = fixed;
        missing = payload;
        if (streams) {
            storing = true;
        } else {
            passOn();
        }
    }

    /** Whether payload that comes is that of a request for another node. */
    public boolean isStoring() {
        return storing;
    }

    /** Takes payload of the request at hand into the ring; returns how many bytes belonged to it. */
    public int store(MemorySegment memory, int at, int length) {
        int taken = Math.min(length, missing);
        ring.put(position + stored, memory, at, taken);
        stored += taken;
        missing -= taken;
        return taken;
    }

    /** Whether all payload of the request at hand has come. */
    public boolean isStored() {
        return missing == 0;
    }

    /** The payload of the request at hand is complete. */
    public void payloadDone() {
        if (storing) {
            if (hasEntries) {
                VectorCheck.entries(ring, position + fixed, stored - fixed);
            }
            storing = false;
            passOn();
        } else {
            source.executePayload();
            if (executing && !source.isHeldUp()) {
                executed();
            }
        }
    }

    private void passOn() {
        form.passOn(intake, number, position, stored, cooperation.nextHop(targetNode), cooperation.nowNs());
        inTurn = true;
        wantAck(form.wantsAck());
    }

    /** All that was read has been dealt with. */
    public void endOfBatch() {
        if (inTurn) {
            wantAck(isChannel);
            inTurn = false;
            cooperation.turn();
        }
    }

    /** The connection is gone; a request of which a part is missing is not executed, nor passed on. */
    public void close() {
        if (storing || executing && position != NO_ROOM_TAKEN) {
            storing = false;
            executing = false;
            intake.abandoned(number, position);
        }
        intake.closeSource(number);
        cooperation.turn();
    }
}

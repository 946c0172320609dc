package org.tributary.server.relay;

import java.lang.foreign.MemorySegment;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.cooperation.Answers;
import org.tributary.cooperation.Settling;
import org.tributary.server.frame.MalformedFrameException;
import org.tributary.server.io.ReplyWriter;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AckDecoder;
import org.tributary.wire.codec.CreditDecoder;
import org.tributary.wire.codec.DataDecoder;
import org.tributary.wire.codec.DoneDecoder;
import org.tributary.wire.codec.ErrorDecoder;
import org.tributary.wire.codec.GoodbyeDecoder;
import org.tributary.wire.codec.RequesterDecoder;
import org.tributary.wire.codec.ValueDecoder;

/**
 * Takes answers that come back on a channel to their waiters. An answer is passed on whole, so that others can be
 * written to the same connection meanwhile; data that comes in pieces is gathered first. Owned by the event loop.
 */
final class PeerAnswers implements Answers {
    /** Takes answers to the connections of their waiters. */
    interface AnswerOutput {
        /** Is told of the answers. */
        Settling settling();

        /** An answer for a source, to be {@linkplain #write written} to it; the id of a one-way request is negative. */
        void passOnAnswer(int source, long requestId, PeerAnswers answer, long prefix, int width);

        /** An error for a rank that belongs to no request of its own. */
        void passOnError(int rank, MemorySegment memory, int at, int length);
    }

    private static final int MAX_FIXED = 256;

    private final AckDecoder ack = new AckDecoder();
    private final CreditDecoder credit = new CreditDecoder();
    private final AnswerOutput output;
    private final Settling settling;
    private final int peer;
    private final MemorySegment dataFixed = MemorySegment.ofArray(new long[MAX_FIXED / Long.BYTES]);
    private MemorySegment gathered = MemorySegment.NULL;
    private int namedRank = Frames.NO_RANK;
    private boolean left;
    private boolean isValue;
    private long ticket;
    private int missing;
    private int has;
    private MemorySegment fixedFrom;
    private int fixedAt;
    private int fixed;
    private MemorySegment payloadFrom = MemorySegment.NULL;
    private int payloadAt;
    private int payload;

    PeerAnswers(AnswerOutput output, int peer) {
        this.output = output;
        this.settling = output.settling();
        this.peer = peer;
    }

    /** Whether the other side has closed in good order. */
    boolean hasLeft() {
        return left;
    }

    void frame(UnsafeBuffer buffer, MemorySegment memory, int at, int template, int blockLength, int version,
        int bytesBehind) {
        fixedFrom = memory;
        fixedAt = at - Frames.HEADER_BYTES;
        fixed = Frames.HEADER_BYTES + blockLength + bytesBehind;
        payload = 0;
        isValue = template == ValueDecoder.TEMPLATE_ID;
        switch (template) {
            case ValueDecoder.TEMPLATE_ID, DoneDecoder.TEMPLATE_ID -> settling.answered(peer, buffer.getLong(at), this);
            case AckDecoder.TEMPLATE_ID ->
                settling.acknowledged(peer, ack.wrap(buffer, at, blockLength, version).executed());
            case CreditDecoder.TEMPLATE_ID ->
                settling.credit(peer, credit.wrap(buffer, at, blockLength, version).freed());
            case DataDecoder.TEMPLATE_ID -> beginData(buffer.getLong(at), blockLength, bytesBehind);
            case ErrorDecoder.TEMPLATE_ID -> error(buffer.getLong(at));
            case RequesterDecoder.TEMPLATE_ID -> namedRank = buffer.getInt(at);
            case GoodbyeDecoder.TEMPLATE_ID -> left = true;
            default -> throw new MalformedFrameException("message " + template + " is no answer");
        }
    }

    private void error(long id) {
        if (id >= 0) {
            settling.answered(peer, id, this);
        } else if (id < Frames.NO_REQUEST) {
            settling.refused(peer, Frames.NO_REQUEST - id, this);
        } else {
            output.passOnError(namedRank, fixedFrom, fixedAt, fixed);
        }
    }

    private void beginData(long request, int blockLength, int bytes) {
        ticket = request;
        fixed = Frames.HEADER_BYTES + blockLength;
        if (fixed > MAX_FIXED) {
            throw new MalformedFrameException("data with a block of " + blockLength + " bytes");
        }
        MemorySegment.copy(fixedFrom, fixedAt, dataFixed, 0, fixed);
        payload = bytes;
        missing = bytes;
        has = 0;
        payloadFrom = MemorySegment.NULL;
    }

    /** Takes some of the data of an answer; returns how many bytes belonged to it. */
    int payload(MemorySegment memory, int at, int length) {
        int taken = Math.min(length, missing);
        if (has == 0 && taken == missing) {
            payloadFrom = memory;
            payloadAt = at;
        } else {
            if (gathered.byteSize() < payload) {
                gathered = MemorySegment.ofArray(new byte[payload]);
            }
            MemorySegment.copy(memory, at, gathered, has, taken);
            payloadFrom = gathered;
            payloadAt = 0;
        }
        has += taken;
        missing -= taken;
        return taken;
    }

    boolean isPayloadDone() {
        return missing == 0;
    }

    void payloadDone() {
        fixedFrom = dataFixed;
        fixedAt = 0;
        settling.answered(peer, ticket, this);
    }

    @Override
    public void answer(int source, long requestId, long prefix, int width) {
        output.passOnAnswer(source, requestId, this, prefix, width);
    }

    /** Writes the answer at hand to the connection of a waiter. */
    void write(ReplyWriter replies, long requestId, long prefix, int width) {
        replies.passOn(fixedFrom, fixedAt, fixed, payloadFrom, payloadAt, payload, requestId);
        if (prefix != 0 && isValue) {
            replies.addToValue(prefix, width);
        }
    }
}

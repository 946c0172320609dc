package org.tributary.server.testing;

import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AckDecoder;
import org.tributary.wire.codec.ChannelDecoder;
import org.tributary.wire.codec.CreditDecoder;
import org.tributary.wire.codec.DataDecoder;
import org.tributary.wire.codec.DoneDecoder;
import org.tributary.wire.codec.ErrorDecoder;
import org.tributary.wire.codec.MessageHeaderDecoder;
import org.tributary.wire.codec.RefusedDecoder;
import org.tributary.wire.codec.RegionDecoder;
import org.tributary.wire.codec.ValueDecoder;

/** One frame from a server. */
public record Reply(byte[] frame) {
    private static final int AT = Frames.LENGTH_BYTES;

    private UnsafeBuffer buffer() {
        return new UnsafeBuffer(frame);
    }

    private static MessageHeaderDecoder header() {
        return new MessageHeaderDecoder();
    }

    /** Which message. */
    public int template() {
        return header().wrap(buffer(), AT).templateId();
    }

    private void mustBe(int template) {
        if (template() != template) {
            throw new AssertionError("expected message " + template + ", got " + this);
        }
    }

    /** The answer to an atomic, a lock or a probe. */
    public ValueDecoder value() {
        mustBe(ValueDecoder.TEMPLATE_ID);
        return new ValueDecoder().wrapAndApplyHeader(buffer(), AT, header());
    }

    /** The bytes of the answer to a get. */
    public byte[] data() {
        mustBe(DataDecoder.TEMPLATE_ID);
        return java.util.Arrays.copyOfRange(frame, Frames.HEADER_BYTES + DataDecoder.BLOCK_LENGTH, frame.length);
    }

    /** The request that this answers with data. */
    public long dataRequest() {
        mustBe(DataDecoder.TEMPLATE_ID);
        return new DataDecoder().wrapAndApplyHeader(buffer(), AT, header()).requestId();
    }

    /** The request that this answers without more. */
    public long done() {
        mustBe(DoneDecoder.TEMPLATE_ID);
        return new DoneDecoder().wrapAndApplyHeader(buffer(), AT, header()).requestId();
    }

    /** Requests executed. */
    public long ack() {
        mustBe(AckDecoder.TEMPLATE_ID);
        return new AckDecoder().wrapAndApplyHeader(buffer(), AT, header()).executed();
    }

    /** Why a request was not executed. */
    public ErrorDecoder error() {
        mustBe(ErrorDecoder.TEMPLATE_ID);
        return new ErrorDecoder().wrapAndApplyHeader(buffer(), AT, header());
    }

    /** How an adapter reaches a part. */
    public RegionDecoder region() {
        mustBe(RegionDecoder.TEMPLATE_ID);
        return new RegionDecoder().wrapAndApplyHeader(buffer(), AT, header());
    }

    /** A block to which requests may be written. */
    public ChannelDecoder channel() {
        mustBe(ChannelDecoder.TEMPLATE_ID);
        return new ChannelDecoder().wrapAndApplyHeader(buffer(), AT, header());
    }

    /** How much of the block has been taken. */
    public long credit() {
        mustBe(CreditDecoder.TEMPLATE_ID);
        return new CreditDecoder().wrapAndApplyHeader(buffer(), AT, header()).freed();
    }

    /** Why the connection was not admitted. */
    public RefusedDecoder refused() {
        mustBe(RefusedDecoder.TEMPLATE_ID);
        return new RefusedDecoder().wrapAndApplyHeader(buffer(), AT, header());
    }

    @Override
    public String toString() {
        return switch (template()) {
            case ErrorDecoder.TEMPLATE_ID -> error().toString();
            case RefusedDecoder.TEMPLATE_ID -> refused().toString();
            case ValueDecoder.TEMPLATE_ID -> value().toString();
            default -> "message " + template() + " in " + frame.length + " bytes";
        };
    }
}

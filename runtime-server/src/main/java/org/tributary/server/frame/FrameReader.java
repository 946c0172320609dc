package org.tributary.server.frame;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.GetStridedDecoder;
import org.tributary.wire.codec.MessageHeaderDecoder;
import org.tributary.wire.codec.Templates;

/**
 * Cuts the bytes of one connection into frames, wherever reads happen to end: the fixed part of a frame is handed over
 * whole, its payload in the pieces in which it arrives. No I/O; owned by the event loop.
 */
public final class FrameReader {
    /** Longest frame that carries no payload. */
    public static final int MAX_CONTROL_BYTES = 64 * 1024;
    private static final int FIRST_PARTIAL_BYTES = 256;
    /** A connection keeps memory for frames of this length; few are longer. */
    private static final int OWN_PARTIAL_BYTES = 1024;
    private static final int STRIDED_GROUP_HEADER = 4;
    private static final int STRIDED_LEVEL_BYTES = 16;
    private static final int TEMPLATE_OFFSET = Frames.LENGTH_BYTES + 2;
    private static final int SCHEMA_OFFSET = Frames.LENGTH_BYTES + 4;
    private static final int VERSION_OFFSET = Frames.LENGTH_BYTES + 6;

    /** Receiver of frames, in the order in which they come. */
    public interface Receiver {
        /** Longest frame that is acceptable now. */
        int maxFrame();

        /** Whether the next frame has to wait; if so, the receiver may note it, to have it read later. */
        boolean holdIfBlocked();

        /** The fixed part of a frame; {@code payload} more bytes follow. */
        void frame(UnsafeBuffer buffer, MemorySegment memory, int at, int template, int blockLength, int version,
            int payload);

        /** Some of the payload; returns how many of the bytes belonged to it, and were taken: 0 to wait with them. */
        int payload(MemorySegment memory, int at, int length);

        /** Whether the payload is complete; if so, it was the frame's end. */
        boolean isPayloadDone();

        void payloadDone();
    }

    /** Memory for a frame that reads have cut. */
    public interface Loan {
        MemorySegment memory();

        UnsafeBuffer codec();

        void giveBack();
    }

    /** Lends memory for long frames, so that not every connection keeps its own. */
    public interface Lender {
        /** For so many bytes at least. */
        Loan lend(int bytes);
    }

    private final Receiver receiver;
    /** Null where no frames are long. */
    private final Lender lender;
    /** Made when first needed: many connections never get that far. */
    private ByteBuffer partialBytes = ByteBuffer.allocateDirect(0);
    private MemorySegment partialMemory = MemorySegment.ofBuffer(partialBytes);
    private final UnsafeBuffer partial = new UnsafeBuffer(partialBytes);
    /** Holds a long frame instead, until it is whole; null otherwise. */
    private Loan lent;
    private int partialLength;
    private boolean inPayload;

    /** Of a connection on which frames are short, but for their payload. */
    public FrameReader(Receiver receiver) {
        this(receiver, null);
    }

    /** With memory of {@code lender} for long frames, while they are incomplete. */
    public FrameReader(Receiver receiver, Lender lender) {
        this.receiver = receiver;
        this.lender = lender;
    }

    /** There will be no more bytes. */
    public void drop() {
        partialLength = 0;
        giveBack();
    }

    private void giveBack() {
        if (lent != null) {
            lent.giveBack();
            lent = null;
            partialMemory = MemorySegment.ofBuffer(partialBytes);
            partial.wrap(partialBytes);
        }
    }

    /** Whether the next bytes are payload. */
    public boolean inPayload() {
        return inPayload;
    }

    /** Bytes that the frame at hand, which carries no payload, lacks at least. */
    public int missing() {
        return required(partial, 0, partialLength) - partialLength;
    }

    /** Payload was moved without passing through here. */
    public void payloadMoved() {
        if (receiver.isPayloadDone()) {
            endPayload();
        }
    }

    /**
     * Reads what there is.
     *
     * @return where it stopped: {@code to}, or earlier when the receiver is blocked
     * @throws MalformedFrameException for bytes that are no frame
     */
    public int read(UnsafeBuffer buffer, MemorySegment memory, int from, int to) {
        int at = from;
        while (at < to) {
            if (inPayload) {
                int taken = receiver.payload(memory, at, to - at);
                at += taken;
                if (receiver.isPayloadDone()) {
                    endPayload();
                } else if (taken == 0) {
                    return at;
                }
            } else if (receiver.holdIfBlocked()) {
                return at;
            } else if (partialLength > 0) {
                at += fillPartial(memory, at, to - at);
            } else {
                int required = required(buffer, at, to - at);
                if (required > to - at) {
                    at += fillPartial(memory, at, to - at);
                } else {
                    frame(buffer, memory, at, required);
                    at += required;
                }
            }
        }
        return at;
    }

    private void endPayload() {
        inPayload = false;
        receiver.payloadDone();
    }

    private int fillPartial(MemorySegment memory, int at, int available) {
        int taken = 0;
        int required = required(partial, 0, partialLength);
        while (partialLength < required && taken < available) {
            ensurePartial(required);
            int bytes = Math.min(required - partialLength, available - taken);
            MemorySegment.copy(memory, at + taken, partialMemory, partialLength, bytes);
            partialLength += bytes;
            taken += bytes;
            required = required(partial, 0, partialLength);
        }
        if (partialLength == required) {
            partialLength = 0;
            try {
                frame(partial, partialMemory, 0, required);
            } finally {
                giveBack();
            }
        }
        return taken;
    }

    private void ensurePartial(int required) {
        if (required <= partialMemory.byteSize()) {
            return;
        }
        if (lender != null && required > OWN_PARTIAL_BYTES) {
            Loan larger = lender.lend(required);
            MemorySegment.copy(partialMemory, 0, larger.memory(), 0, partialLength);
            giveBack();
            lent = larger;
            partialMemory = larger.memory();
            partial.wrap(larger.codec());
        } else {
            ByteBuffer larger = ByteBuffer.allocateDirect(Math.max(required, FIRST_PARTIAL_BYTES));
            MemorySegment largerMemory = MemorySegment.ofBuffer(larger);
            MemorySegment.copy(partialMemory, 0, largerMemory, 0, partialLength);
            partialBytes = larger;
            partialMemory = largerMemory;
            partial.wrap(larger);
        }
    }

    /** Bytes of the fixed part, or, as long as that cannot be told, how many are needed to tell more. */
    private int required(UnsafeBuffer buffer, int at, int available) {
        if (available < Frames.HEADER_BYTES) {
            return Frames.HEADER_BYTES;
        }
        int frameLength = buffer.getInt(at);
        int blockLength = buffer.getShort(at + Frames.LENGTH_BYTES) & 0xFFFF;
        int template = buffer.getShort(at + TEMPLATE_OFFSET) & 0xFFFF;
        int schema = buffer.getShort(at + SCHEMA_OFFSET) & 0xFFFF;
        int fixed = Frames.HEADER_BYTES + blockLength;
        if (schema != MessageHeaderDecoder.SCHEMA_ID || frameLength < fixed || frameLength > receiver.maxFrame()) {
            throw new MalformedFrameException("frame of " + frameLength + " bytes with message " + template
                + " of schema " + schema + ", block " + blockLength + ", at most " + receiver.maxFrame() + " accepted");
        }
        if (Templates.isStrided(template)) {
            int whole = withLevels(buffer, at, available, fixed, frameLength);
            if (template == GetStridedDecoder.TEMPLATE_ID && whole <= available && whole != frameLength) {
                throw new MalformedFrameException("strided get of " + frameLength + " bytes, not " + whole);
            }
            return whole;
        }
        if (Templates.carriesPayload(template)) {
            return fixed;
        }
        if (frameLength > MAX_CONTROL_BYTES) {
            throw new MalformedFrameException("message " + template + " of " + frameLength + " bytes, at most "
                + MAX_CONTROL_BYTES + " accepted");
        }
        return frameLength;
    }

    private static int withLevels(UnsafeBuffer buffer, int at, int available, int fixed, int frameLength) {
        int toCount = fixed + STRIDED_GROUP_HEADER;
        if (frameLength < toCount) {
            throw new MalformedFrameException("strided message of " + frameLength + " bytes without levels");
        }
        if (available < toCount) {
            return toCount;
        }
        int levelBytes = buffer.getShort(at + fixed) & 0xFFFF;
        int levels = buffer.getShort(at + fixed + 2) & 0xFFFF;
        int whole = toCount + levels * levelBytes;
        if (levels > Frames.MAX_LEVELS || levelBytes < STRIDED_LEVEL_BYTES || frameLength < whole) {
            throw new MalformedFrameException("strided message with " + levels + " levels of " + levelBytes
                + " bytes in " + frameLength + " bytes, at most " + Frames.MAX_LEVELS + " levels accepted");
        }
        return whole;
    }

    private void frame(UnsafeBuffer buffer, MemorySegment memory, int at, int fixed) {
        int frameLength = buffer.getInt(at);
        int template = buffer.getShort(at + TEMPLATE_OFFSET) & 0xFFFF;
        int blockLength = buffer.getShort(at + Frames.LENGTH_BYTES) & 0xFFFF;
        int version = buffer.getShort(at + VERSION_OFFSET) & 0xFFFF;
        boolean streams = Templates.carriesPayload(template);
        int minimum = Templates.blockLengthForServer(template);
        if (minimum < 0 || blockLength < minimum) {
            throw new MalformedFrameException("message " + template + " with a block of " + blockLength + " bytes");
        }
        int payload = streams ? frameLength - fixed
            : frameLength - Frames.HEADER_BYTES - blockLength;
        inPayload = streams;
        receiver.frame(buffer, memory, at + Frames.HEADER_BYTES, template, blockLength, version, payload);
        if (streams && receiver.isPayloadDone()) {
            endPayload();
        }
    }
}

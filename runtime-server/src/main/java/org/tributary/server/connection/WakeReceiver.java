package org.tributary.server.connection;

import java.lang.foreign.MemorySegment;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.server.frame.FrameReader;
import org.tributary.server.frame.MalformedFrameException;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.WakeDecoder;

/** Reads the connection of a rank that uses its ring: only wake-ups may come. Owned by the event loop. */
record WakeReceiver(Runnable onWake) implements FrameReader.Receiver {
    @Override
    public int maxFrame() {
        return Frames.HEADER_BYTES + WakeDecoder.BLOCK_LENGTH;
    }

    @Override
    public boolean holdIfBlocked() {
        return false;
    }

    @Override
    public void frame(UnsafeBuffer buffer, MemorySegment memory, int at, int template, int blockLength, int version,
        int payload) {
        if (template != WakeDecoder.TEMPLATE_ID) {
            throw new MalformedFrameException("message " + template + " over the connection, not in the ring");
        }
        onWake.run();
    }

    @Override
    public int payload(MemorySegment memory, int at, int length) {
        return 0;
    }

    @Override
    public boolean isPayloadDone() {
        return true;
    }

    @Override
    public void payloadDone() {
        // a wake-up has none
    }
}

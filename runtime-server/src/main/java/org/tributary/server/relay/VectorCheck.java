package org.tributary.server.relay;

import org.tributary.server.frame.MalformedFrameException;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AccumulateVectorDecoder;
import org.tributary.wire.codec.GetVectorDecoder;
import org.tributary.wire.codec.PutVectorDecoder;

/**
 * Whether the ranges of a vector request fit its length. A server checks that before it passes the request on: the next
 * one would blame the channel. Whether they lie within the target's part only the target's server knows; it answers.
 */
final class VectorCheck {
    private VectorCheck() {
    }

    /** A list of ranges without data, of that length, if the request is one. */
    static void list(int template, int length) {
        if (template == GetVectorDecoder.TEMPLATE_ID && length % Frames.VECTOR_ENTRY_BYTES != 0) {
            throw new MalformedFrameException("a list of " + length + " bytes is no whole number of ranges");
        }
    }

    /** Whether such a request has ranges with their data as its payload. */
    static boolean hasEntries(int template) {
        return template == PutVectorDecoder.TEMPLATE_ID || template == AccumulateVectorDecoder.TEMPLATE_ID;
    }

    /** Ranges with their data, all {@code length} bytes of it. */
    static void entries(ReceiveRing ring, long position, int length) {
        int at = 0;
        while (at < length) {
            int left = length - at - Frames.VECTOR_ENTRY_BYTES;
            if (left < 0) {
                throw new MalformedFrameException("message ends within a vector entry");
            }
            int entry = ring.getInt(position + at + Long.BYTES);
            if (entry < 0 || entry > left) {
                throw new MalformedFrameException("vector entry of " + entry + " bytes in a message that has " + left
                    + " left");
            }
            at += Frames.VECTOR_ENTRY_BYTES + entry;
        }
    }
}

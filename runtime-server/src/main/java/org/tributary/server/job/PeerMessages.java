package org.tributary.server.job;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AbortEncoder;
import org.tributary.wire.codec.MessageHeaderEncoder;
import org.tributary.wire.codec.NodeLeftEncoder;
import org.tributary.wire.codec.ShutdownEncoder;

/** The messages between neighbours in the {@link ServerTree}, each in a buffer of its own. Stateless. */
final class PeerMessages {
    private PeerMessages() {
    }

    static ByteBuffer subtreeLeft(int node) {
        UnsafeBuffer buffer = buffer();
        new NodeLeftEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES, new MessageHeaderEncoder()).node(node);
        return frame(buffer, NodeLeftEncoder.BLOCK_LENGTH);
    }

    static ByteBuffer shutdown() {
        UnsafeBuffer buffer = buffer();
        new ShutdownEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES, new MessageHeaderEncoder());
        return frame(buffer, ShutdownEncoder.BLOCK_LENGTH);
    }

    static ByteBuffer abort(int node, String reason) {
        UnsafeBuffer buffer = buffer();
        byte[] text = reason.getBytes(StandardCharsets.UTF_8);
        AbortEncoder abort = new AbortEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES,
            new MessageHeaderEncoder());
        abort.rank(Frames.NO_RANK).node(node).putReason(text, 0, Math.min(text.length, Frames.MAX_REASON_BYTES));
        return frame(buffer, abort.encodedLength());
    }

    private static UnsafeBuffer buffer() {
        return new UnsafeBuffer(ByteBuffer.allocateDirect(Frames.MAX_FIXED_BYTES));
    }

    private static ByteBuffer frame(UnsafeBuffer buffer, int bytesAfterHeader) {
        int length = Frames.HEADER_BYTES + bytesAfterHeader;
        buffer.putInt(0, length);
        return buffer.byteBuffer().limit(length);
    }
}

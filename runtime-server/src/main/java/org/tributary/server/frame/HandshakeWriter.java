package org.tributary.server.frame;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AbortEncoder;
import org.tributary.wire.codec.MessageHeaderEncoder;

/** Sends the rare messages of a server that are not answers to requests, each from a buffer of its own. */
public record HandshakeWriter(ChannelHandlerContext context) {
    /** A whole frame. */
    public void send(byte[] frame) {
        context.writeAndFlush(Unpooled.wrappedBuffer(frame));
    }

    public void abort(int rank, int node, String reason) {
        byte[] text = reason.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(text.length, Frames.MAX_REASON_BYTES);
        byte[] frame = new byte[Frames.HEADER_BYTES + AbortEncoder.BLOCK_LENGTH + Short.BYTES + length];
        UnsafeBuffer buffer = new UnsafeBuffer(frame);
        buffer.putInt(0, frame.length);
        new AbortEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES, new MessageHeaderEncoder()).rank(rank)
            .node(node).putReason(text, 0, length);
        send(frame);
    }
}

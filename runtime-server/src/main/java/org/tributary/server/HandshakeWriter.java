package org.tributary.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AbortEncoder;
import org.tributary.wire.codec.ChallengeEncoder;
import org.tributary.wire.codec.HelloEncoder;
import org.tributary.wire.codec.MessageHeaderEncoder;
import org.tributary.wire.codec.RefusalCode;
import org.tributary.wire.codec.RefusedEncoder;
import org.tributary.wire.codec.ResponseEncoder;
import org.tributary.wire.codec.Role;
import org.tributary.wire.codec.WelcomeEncoder;

/** Sends the rare messages of a server that are not answers to requests, each from a buffer of its own. */
final class HandshakeWriter {
    private static final int BUFFER_BYTES = 2048;

    private final ChannelHandlerContext context;
    private final ByteBuffer bytes = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();

    HandshakeWriter(ChannelHandlerContext context) {
        this.context = context;
    }

    void hello(Role role, int rank, int node, String jobId, byte[] nonce) {
        new HelloEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES, header).role(role).rank(rank).node(node)
            .pid(ProcessHandle.current().pid()).jobId(jobId).putNonce(nonce, 0, nonce.length);
        send(HelloEncoder.BLOCK_LENGTH);
    }

    void response(byte[] proof) {
        new ResponseEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES, header).putProof(proof, 0, proof.length);
        send(ResponseEncoder.BLOCK_LENGTH);
    }

    void challenge(byte[] nonce, byte[] proof) {
        new ChallengeEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES, header)
            .putNonce(nonce, 0, nonce.length).putProof(proof, 0, proof.length);
        send(ChallengeEncoder.BLOCK_LENGTH);
    }

    void welcome(int node, int maxPayload) {
        new WelcomeEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES, header).node(node)
            .maxPayload(maxPayload);
        send(WelcomeEncoder.BLOCK_LENGTH);
    }

    void refused(RefusalCode code, String detail) {
        RefusedEncoder refused = new RefusedEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES, header);
        refused.code(code).detail(detail);
        send(refused.encodedLength());
    }

    void abort(int rank, int node, String reason) {
        byte[] text = reason.getBytes(StandardCharsets.UTF_8);
        AbortEncoder abort = new AbortEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES, header);
        abort.rank(rank).node(node).putReason(text, 0, Math.min(text.length, BUFFER_BYTES / 2));
        send(abort.encodedLength());
    }

    private void send(int bytesAfterHeader) {
        int length = Frames.HEADER_BYTES + bytesAfterHeader;
        buffer.putInt(0, length);
        ByteBuf frame = Unpooled.wrappedBuffer(bytes.limit(length));
        context.writeAndFlush(frame);
    }
}

package org.tributary.server.testing;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.wire.Frames;
import org.tributary.wire.Handshake;
import org.tributary.wire.codec.HelloEncoder;
import org.tributary.wire.codec.MessageHeaderEncoder;
import org.tributary.wire.codec.ResponseEncoder;
import org.tributary.wire.codec.Role;

/** Frames of the connecting side's handshake, right or wrong. */
public final class HandshakeFrames {
    private HandshakeFrames() {
    }

    /** The nonce of every {@link #hello}. */
    public static byte[] nonce() {
        byte[] nonce = new byte[Handshake.TOKEN_BYTES];
        Arrays.fill(nonce, (byte) 7);
        return nonce;
    }

    private static byte[] frame(UnsafeBuffer buffer, int encodedLength) {
        byte[] frame = Arrays.copyOf(buffer.byteArray(), Frames.HEADER_BYTES + encodedLength);
        ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN).putInt(0, frame.length);
        return frame;
    }

    /** The first message, to the server of node 0. */
    public static byte[] hello(String jobId, Role role, int rank, int node) {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[256]);
        HelloEncoder hello = new HelloEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES,
            new MessageHeaderEncoder());
        hello.role(role).rank(rank).node(node).pid(1).jobId(jobId).putNonce(nonce(), 0, Handshake.TOKEN_BYTES);
        return frame(buffer, hello.encodedLength());
    }

    /** The second message, of somebody who agrees to nothing. */
    public static byte[] response(byte[] proof) {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[256]);
        ResponseEncoder response = new ResponseEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES,
            new MessageHeaderEncoder());
        response.putProof(proof, 0, proof.length).agreement("");
        return frame(buffer, response.encodedLength());
    }
}

package org.tributary.wire;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import javax.crypto.KDF;
import javax.crypto.spec.HKDFParameterSpec;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.wire.codec.MessageHeaderDecoder;
import org.tributary.wire.codec.MessageHeaderEncoder;
import org.tributary.wire.codec.RefusalCode;
import org.tributary.wire.codec.RefusedDecoder;
import org.tributary.wire.codec.RefusedEncoder;
import org.tributary.wire.codec.ResponseDecoder;
import org.tributary.wire.codec.Role;
import org.tributary.wire.codec.Templates;

/**
 * How two processes prove to each other that they belong to one job, without input or output: one side of one
 * connection. It takes frames and answers with frames until the other side is admitted or refused.
 *
 * <pre>
 *   connecting side                                        server
 *   Hello(role, rank, node, pid, job, nonceC, peer)     -&gt;
 *                                                       &lt;- Challenge(nonceS, node, proof)
 *   Response(proof, agreement)                          -&gt;
 *                                                       &lt;- Welcome(node, maxPayload, proof) | Refused(…)
 *   Joined, behind the handshake                        -&gt;
 * </pre>
 *
 * <p>A proof is HMAC-SHA256 (RFC 2104, FIPS 180-4) keyed with the job's secret over a label of its own for each message
 * and the SHA-256 of all frames so far, its own with zeros in place of the proof. So a proof covers every byte that
 * either side has said, cannot be used for another message, direction, connection or server, and nothing can be changed
 * on the way. Only a refusal with {@code TOO_MANY} may cross the Response, and then covers what was said before it.
 * Before the other side has proved itself, each side gives nothing but its identity. Each state accepts one message, or
 * the other side's refusal; anything else ends the handshake with both named.
 *
 * <p><b>Keys.</b> Once admitted, {@link #sendingSecret()} and {@link #receivingSecret()} give 32 bytes each by
 * HKDF-SHA256 (RFC 5869): the input is the job's secret, the salt the SHA-256 of all four frames (both nonces, roles,
 * rank, nodes, agreement), the info {@code "tributary traffic to server"} or {@code "tributary traffic from server"}.
 * The sending secret of one side is the receiving secret of the other; no two connections have the same.
 *
 * <p>Instances are not thread-safe; each belongs to one connection attempt.
 */
public abstract sealed class Handshake permits ConnectingHandshake, AcceptingHandshake {
    /** Length of nonces, proofs and traffic secrets in bytes. */
    public static final int TOKEN_BYTES = 32;
    /** Labels of proofs and secrets: none is used for two purposes. */
    static final String CHALLENGE = "tributary challenge";
    static final String RESPONSE = "tributary response";
    static final String WELCOME = "tributary welcome";
    static final String REFUSED = "tributary refused";
    private static final String TO_SERVER = "tributary traffic to server";
    private static final String FROM_SERVER = "tributary traffic from server";
    /** Messages of the handshake, by their ids, from 1. */
    private static final List<String> MESSAGES = List.of("Hello (1)", "Challenge (2)", "Response (3)", "Welcome (4)",
        "Refused (5)");
    static final byte[] NOTHING = {};

    /** Why a connection is not admitted. */
    public record Refusal(RefusalCode code, String detail) {
    }

    /** The connecting side, as it describes itself; {@code rank} is the number of the node for a server. */
    public record Peer(Role role, int rank, int node, long pid) {
        public String describe() {
            return isServer() ? "the server of node " + node : "rank " + rank + " of node " + node;
        }

        /** Whether it is a server, which has the number of its node for a rank. */
        public boolean isServer() {
            return role == Role.SERVER || role == Role.CHANNEL || role == Role.NEIGHBOUR;
        }
    }

    final Membership membership;
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private ByteArrayOutputStream transcript = new ByteArrayOutputStream(256);
    private byte[] agreed;
    private Refusal refusal;

    Handshake(Membership membership) {
        this.membership = membership;
    }

    public static byte[] nonce(SecureRandom random) {
        byte[] nonce = new byte[TOKEN_BYTES];
        random.nextBytes(nonce);
        return nonce;
    }

    /**
     * Takes the next frame of the other side.
     *
     * @param offset    where the frame's length stands
     * @param available how many bytes there are from there on; a frame of the handshake takes all of them
     * @return the frame to send now; empty when there is none. A refusal is to be sent before the connection closes
     * @throws IllegalStateException when the handshake is over
     */
    public final byte[] receive(DirectBuffer buffer, int offset, int available) {
        if (!isListening()) {
            throw new IllegalStateException("the handshake is over");
        }
        if (available < Frames.HEADER_BYTES) {
            return refuse(RefusalCode.OUT_OF_ORDER, "a frame of " + available + " bytes");
        }
        header.wrap(buffer, offset + Frames.LENGTH_BYTES);
        int template = header.templateId();
        if (header.schemaId() != MessageHeaderDecoder.SCHEMA_ID) {
            return refuse(RefusalCode.OUT_OF_ORDER, "message " + template + " of schema " + header.schemaId()
                + " where " + name(expected()) + " was expected");
        }
        boolean refused = template == RefusedDecoder.TEMPLATE_ID;
        if (!refused && template != expected()) {
            return refuse(RefusalCode.OUT_OF_ORDER, name(template) + " where " + name(expected()) + " was expected");
        }
        int blockLength = Templates.blockLengthInHandshake(template);
        if (header.version() != MessageHeaderDecoder.SCHEMA_VERSION || header.blockLength() != blockLength) {
            return refuse(RefusalCode.WRONG_VERSION, name(template) + " of " + header.blockLength()
                + " bytes in version " + header.version() + " of the protocol, where " + blockLength
                + " bytes in version " + MessageHeaderDecoder.SCHEMA_VERSION
                + " were expected: processes of one job are to be of one release");
        }
        int length = Frames.HEADER_BYTES + blockLength + textLength(buffer, offset, available);
        if (available != length || buffer.getInt(offset) != length || length > Frames.MAX_HANDSHAKE) {
            return refuse(RefusalCode.OUT_OF_ORDER, name(template) + " in a frame of " + buffer.getInt(offset)
                + " bytes, of which " + available + " are there, and not " + length);
        }
        byte[] frame = new byte[available];
        buffer.getBytes(offset, frame);
        return refused ? refused(frame) : accept(frame);
    }

    /** Whether a message is due from the other side. */
    boolean isListening() {
        return !isOver();
    }

    /** The one message that is acceptable now. */
    abstract int expected();

    /** Takes that message, whose form is right. */
    abstract byte[] accept(byte[] frame);

    /** Takes the other side's refusal. */
    abstract byte[] refused(byte[] frame);

    /** Message about a refusal for the operator of this side. */
    abstract String toOperator(RefusalCode code, String detail);

    /** Whether both sides have proved themselves. */
    public final boolean isAdmitted() {
        return agreed != null;
    }

    /** Whether one side has been admitted or refused. */
    public final boolean isOver() {
        return isAdmitted() || refusal != null;
    }

    /** Why the connection is not admitted, for the operator of this side; null as long as it may be, or is. */
    public final Refusal refusal() {
        return refusal;
    }

    /** 32 bytes from which keys for what this side sends are derived. */
    public final byte[] sendingSecret() {
        return trafficSecret(isConnecting() ? TO_SERVER : FROM_SERVER);
    }

    /** 32 bytes from which keys for what this side receives are derived. */
    public final byte[] receivingSecret() {
        return trafficSecret(isConnecting() ? FROM_SERVER : TO_SERVER);
    }

    /** Which side this is. */
    abstract boolean isConnecting();

    private byte[] trafficSecret(String label) {
        if (!isAdmitted()) {
            throw new IllegalStateException("the connection is not admitted");
        }
        try {
            return KDF.getInstance("HKDF-SHA256").deriveData(HKDFParameterSpec.ofExtract().addIKM(membership.secret())
                .addSalt(agreed).thenExpand(label.getBytes(StandardCharsets.US_ASCII), TOKEN_BYTES));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java installation has no HKDF-SHA256", e);
        }
    }

    /** A frame has passed, in this direction or the other. */
    final void said(byte[] frame) {
        transcript.writeBytes(frame);
    }

    /** Both sides are satisfied; what was said is what keys come from. */
    final void admitted() {
        agreed = digest(transcript());
        transcript = null;
    }

    /** All frames so far. */
    final byte[] transcript() {
        return transcript.toByteArray();
    }

    private static byte[] digest(byte[] frames) {
        return HmacSha256.sha256().digest(frames);
    }

    private byte[] proof(String label, byte[] digest) {
        return HmacSha256.of(membership.secret(), label.getBytes(StandardCharsets.US_ASCII), digest);
    }

    /** Puts the proof into a frame of this side, which has zeros in its place. */
    final byte[] proved(String label, byte[] frame, int proofOffset) {
        said(frame);
        byte[] proof = proof(label, digest(transcript()));
        System.arraycopy(proof, 0, frame, Frames.HEADER_BYTES + proofOffset, TOKEN_BYTES);
        return frame;
    }

    /** Whether the next frame of the other side has the right proof. */
    final boolean isProved(String label, byte[] frame, int proofOffset) {
        boolean proved = isProvedAfter(transcript(), label, frame, proofOffset);
        said(unproved(frame, proofOffset));
        return proved;
    }

    /** Whether a frame of the other side has the right proof behind these; compares in constant time. */
    final boolean isProvedAfter(byte[] frames, String label, byte[] frame, int proofOffset) {
        int at = Frames.HEADER_BYTES + proofOffset;
        byte[] all = ByteBuffer.allocate(frames.length + frame.length).put(frames).put(unproved(frame, proofOffset))
            .array();
        return MessageDigest.isEqual(proof(label, digest(all)), Arrays.copyOfRange(frame, at, at + TOKEN_BYTES));
    }

    private static byte[] unproved(byte[] frame, int proofOffset) {
        byte[] unproved = frame.clone();
        int at = Frames.HEADER_BYTES + proofOffset;
        Arrays.fill(unproved, at, at + TOKEN_BYTES, (byte) 0);
        return unproved;
    }

    /** Ends the handshake; what is to be sent tells the other side. */
    final byte[] refuse(RefusalCode code, String detail) {
        refusal = new Refusal(code, toOperator(code, detail));
        byte[] text = detail.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(text.length, Agreement.MAX_BYTES);
        byte[] frame = new byte[Frames.HEADER_BYTES + RefusedEncoder.BLOCK_LENGTH + Short.BYTES + length];
        RefusedEncoder refused = new RefusedEncoder().wrapAndApplyHeader(toEncode(frame), Frames.LENGTH_BYTES,
            new MessageHeaderEncoder());
        refused.code(code).putDetail(text, 0, length);
        return provesRefusals() ? proved(REFUSED, frame, RefusedDecoder.proofEncodingOffset()) : frame;
    }

    /** Whether this side has proved itself already, and so what it refuses with can be proved, too. */
    abstract boolean provesRefusals();

    /** Ends the handshake because the other side has refused; there is nothing to be sent. */
    final byte[] end(RefusalCode code, String toOperator) {
        refusal = new Refusal(code, toOperator);
        return NOTHING;
    }

    /** The buffer of a frame that is to be encoded, with its length. */
    static UnsafeBuffer toEncode(byte[] frame) {
        UnsafeBuffer buffer = new UnsafeBuffer(frame);
        buffer.putInt(0, frame.length);
        return buffer;
    }

    /** Reads the other side's refusal, without characters that could harm a terminal. */
    static Refusal read(byte[] frame) {
        RefusedDecoder refused = new RefusedDecoder().wrap(new UnsafeBuffer(frame), Frames.HEADER_BYTES,
            RefusedDecoder.BLOCK_LENGTH, RefusedDecoder.SCHEMA_VERSION);
        RefusalCode code = Arrays.stream(RefusalCode.values()).filter(known -> known.value() == refused.codeRaw())
            .findFirst().orElse(RefusalCode.NULL_VAL);
        return new Refusal(code, refused.detail().replaceAll("\\p{Cntrl}", "?"));
    }

    private int textLength(DirectBuffer buffer, int offset, int available) {
        int template = header.templateId();
        if (template != ResponseDecoder.TEMPLATE_ID && template != RefusedDecoder.TEMPLATE_ID) {
            return 0;
        }
        int at = Frames.HEADER_BYTES + header.blockLength();
        return Short.BYTES + (available < at + Short.BYTES ? 0 : buffer.getShort(offset + at) & 0xFFFF);
    }

    private static String name(int template) {
        return template >= 1 && template <= MESSAGES.size() ? MESSAGES.get(template - 1) : "message " + template;
    }
}

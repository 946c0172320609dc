package org.tributary.wire;

import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.wire.codec.ChallengeEncoder;
import org.tributary.wire.codec.HelloDecoder;
import org.tributary.wire.codec.MessageHeaderEncoder;
import org.tributary.wire.codec.RefusalCode;
import org.tributary.wire.codec.ResponseDecoder;
import org.tributary.wire.codec.Role;
import org.tributary.wire.codec.WelcomeEncoder;

/**
 * The accepting side of a {@link Handshake}: a server. It finds out by itself whether the other side belongs to the
 * job. A {@link Gate} {@linkplain #decide decides} whether there is a place for it, perhaps in another thread.
 */
public final class AcceptingHandshake extends Handshake {
    /** Decides about a peer that has proved that it belongs to the job. */
    public interface Gate {
        /** Why the other side cannot be admitted, or null. */
        Refusal problemWith(Peer peer);

        /** The largest payload of a message from such a connection, in bytes. */
        int maxPayload(Role role);
    }

    private final int node;
    private final byte[] nonce;
    private Peer peer;
    private int wanted;
    private boolean proved;

    /**
     * For one connection.
     *
     * @param node  that of this server
     * @param nonce 32 bytes that were never used, see {@link #nonce}
     */
    public AcceptingHandshake(Membership membership, int node, byte[] nonce) {
        super(membership);
        this.node = node;
        this.nonce = nonce.clone();
    }

    /** The other side, as soon as it has named itself; proved once admitted. */
    public Peer peer() {
        return peer;
    }

    /** Whether the other side has proved that it belongs to the job, and waits for {@link #decide}. */
    public boolean isProved() {
        return proved && !isOver();
    }

    /** Ends the handshake, for now; the frame that says so. */
    public byte[] turnAway(String why) {
        return refuse(RefusalCode.TOO_MANY, why);
    }

    @Override
    boolean isListening() {
        return !proved && !isOver();
    }

    @Override
    int expected() {
        return peer == null ? HelloDecoder.TEMPLATE_ID : ResponseDecoder.TEMPLATE_ID;
    }

    @Override
    byte[] accept(byte[] frame) {
        return peer == null ? hello(frame) : response(frame);
    }

    private byte[] hello(byte[] frame) {
        HelloDecoder hello = new HelloDecoder().wrap(new UnsafeBuffer(frame), Frames.HEADER_BYTES,
            HelloDecoder.BLOCK_LENGTH, HelloDecoder.SCHEMA_VERSION);
        Role role = Arrays.stream(Role.values()).filter(known -> known.value() == hello.roleRaw()).findFirst()
            .orElse(Role.NULL_VAL);
        if (role == Role.NULL_VAL) {
            return refuse(RefusalCode.WRONG_RANK, "unknown role " + hello.roleRaw());
        }
        if (!hello.jobId().equals(membership.jobId())) {
            return refuse(RefusalCode.WRONG_JOB, "this server belongs to another job");
        }
        said(frame);
        peer = new Peer(role, hello.rank(), hello.node(), hello.pid());
        wanted = hello.peer();
        byte[] challenge = new byte[Frames.HEADER_BYTES + ChallengeEncoder.BLOCK_LENGTH];
        new ChallengeEncoder().wrapAndApplyHeader(toEncode(challenge), Frames.LENGTH_BYTES,
            new MessageHeaderEncoder()).putNonce(nonce, 0, nonce.length).node(node);
        return proved(CHALLENGE, challenge, ChallengeEncoder.proofEncodingOffset());
    }

    private byte[] response(byte[] frame) {
        if (!isProved(RESPONSE, frame, ResponseDecoder.proofEncodingOffset())) {
            return refuse(RefusalCode.WRONG_SECRET, "the other side does not know this job's secret");
        }
        if (wanted != node) {
            return refuse(RefusalCode.WRONG_NODE, peer.describe() + " looked for the server of node " + wanted
                + ", and this is that of node " + node);
        }
        String differences = membership.agreement().differences(new ResponseDecoder().wrap(new UnsafeBuffer(frame),
            Frames.HEADER_BYTES, ResponseDecoder.BLOCK_LENGTH, ResponseDecoder.SCHEMA_VERSION).agreement(),
            peer.describe(), "the server of node " + node);
        if (!differences.isEmpty()) {
            return refuse(RefusalCode.SETTINGS_DIFFER, differences
                + ". Start every server and rank of the job with the same settings, layout and release");
        }
        proved = true;
        return NOTHING;
    }

    /**
     * Admits or refuses a peer that {@linkplain #isProved has proved itself}.
     *
     * @return the last frame of the handshake
     */
    public byte[] decide(Gate gate) {
        if (!isProved()) {
            throw new IllegalStateException("nothing is proved, or all is decided");
        }
        Refusal problem = gate.problemWith(peer);
        if (problem != null) {
            return refuse(problem.code(), problem.detail());
        }
        byte[] welcome = new byte[Frames.HEADER_BYTES + WelcomeEncoder.BLOCK_LENGTH];
        new WelcomeEncoder().wrapAndApplyHeader(toEncode(welcome), Frames.LENGTH_BYTES, new MessageHeaderEncoder())
            .node(node).maxPayload(gate.maxPayload(peer.role()));
        proved(WELCOME, welcome, WelcomeEncoder.proofEncodingOffset());
        admitted();
        return welcome;
    }

    @Override
    byte[] refused(byte[] frame) {
        Refusal said = read(frame);
        return end(said.code(), said.code() == RefusalCode.WRONG_SECRET
            ? "it has another secret than this job, or so it says"
            : "it refused this server: " + said.detail());
    }

    @Override
    boolean isConnecting() {
        return false;
    }

    @Override
    boolean provesRefusals() {
        return peer != null;
    }

    @Override
    String toOperator(RefusalCode code, String detail) {
        return detail;
    }
}

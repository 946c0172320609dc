package org.tributary.wire;

import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.wire.codec.ChallengeDecoder;
import org.tributary.wire.codec.HelloEncoder;
import org.tributary.wire.codec.JoinedEncoder;
import org.tributary.wire.codec.MessageHeaderEncoder;
import org.tributary.wire.codec.RefusalCode;
import org.tributary.wire.codec.RefusedDecoder;
import org.tributary.wire.codec.ResponseEncoder;
import org.tributary.wire.codec.WelcomeDecoder;

/** The side of a {@link Handshake} that connects: a rank, its lifeline, a server or a channel. */
public final class ConnectingHandshake extends Handshake {
    private final Peer self;
    private final int wanted;
    private final String where;
    private final byte[] nonce;
    /** The transcript up to where this side proved itself; null until then. */
    private byte[] beforeResponse;
    private int maxPayload;

    /**
     * For one connection.
     *
     * @param wanted the node whose server is to answer; any other is refused
     * @param where  the address, for messages
     * @param nonce  32 bytes that were never used, see {@link #nonce}
     */
    public ConnectingHandshake(Membership membership, Peer self, int wanted, String where, byte[] nonce) {
        super(membership);
        this.self = self;
        this.wanted = wanted;
        this.where = where;
        this.nonce = nonce.clone();
    }

    /** The first frame of all; to be called once. */
    public byte[] hello() {
        byte[] frame = new byte[Frames.HEADER_BYTES + HelloEncoder.BLOCK_LENGTH];
        new HelloEncoder().wrapAndApplyHeader(toEncode(frame), Frames.LENGTH_BYTES, new MessageHeaderEncoder())
            .role(self.role()).rank(self.rank()).node(self.node()).pid(self.pid()).jobId(membership.jobId())
            .putNonce(nonce, 0, nonce.length).peer(wanted);
        said(frame);
        return frame;
    }

    /**
     * The first message behind the handshake, once admitted: the server counts a connection only when it knows that its
     * opener has not given it up meanwhile. It travels as all that follows, in records if the job is encrypted.
     */
    public byte[] joined() {
        byte[] frame = new byte[Frames.HEADER_BYTES + JoinedEncoder.BLOCK_LENGTH];
        new JoinedEncoder().wrapAndApplyHeader(toEncode(frame), Frames.LENGTH_BYTES, new MessageHeaderEncoder());
        return frame;
    }

    /** The largest payload of a message that the server takes, in bytes; once admitted. */
    public int maxPayload() {
        return maxPayload;
    }

    @Override
    int expected() {
        return isChallenged() ? WelcomeDecoder.TEMPLATE_ID : ChallengeDecoder.TEMPLATE_ID;
    }

    @Override
    byte[] accept(byte[] frame) {
        return isChallenged() ? welcome(frame) : challenge(frame);
    }

    private byte[] challenge(byte[] frame) {
        ChallengeDecoder challenge = new ChallengeDecoder().wrap(new UnsafeBuffer(frame), Frames.HEADER_BYTES,
            ChallengeDecoder.BLOCK_LENGTH, ChallengeDecoder.SCHEMA_VERSION);
        if (!isProved(CHALLENGE, frame, ChallengeDecoder.proofEncodingOffset())) {
            return refuse(RefusalCode.WRONG_SECRET, "the server has another secret");
        }
        if (challenge.node() != wanted) {
            return refuse(RefusalCode.WRONG_NODE, self.describe() + " looked for the server of node " + wanted
                + " and found that of node " + challenge.node());
        }
        beforeResponse = transcript();
        byte[] agreement = membership.agreement().text();
        byte[] response = new byte[Frames.HEADER_BYTES + ResponseEncoder.BLOCK_LENGTH + Short.BYTES
            + agreement.length];
        new ResponseEncoder().wrapAndApplyHeader(toEncode(response), Frames.LENGTH_BYTES, new MessageHeaderEncoder())
            .putAgreement(agreement, 0, agreement.length);
        return proved(RESPONSE, response, ResponseEncoder.proofEncodingOffset());
    }

    private byte[] welcome(byte[] frame) {
        WelcomeDecoder welcome = new WelcomeDecoder().wrap(new UnsafeBuffer(frame), Frames.HEADER_BYTES,
            WelcomeDecoder.BLOCK_LENGTH, WelcomeDecoder.SCHEMA_VERSION);
        if (!isProved(WELCOME, frame, WelcomeDecoder.proofEncodingOffset()) || welcome.node() != wanted) {
            return refuse(RefusalCode.WRONG_SECRET, "the proof in Welcome is wrong");
        }
        maxPayload = welcome.maxPayload();
        admitted();
        return NOTHING;
    }

    @Override
    byte[] refused(byte[] frame) {
        Refusal said = read(frame);
        // Before it has proved itself, the other side cannot prove why it refuses either.
        if (isChallenged() && !isRefusalProved(said.code(), frame)) {
            return refuse(RefusalCode.WRONG_SECRET, "the proof in Refused is wrong");
        }
        return end(said.code(), where + " refused the connection: " + said.code() + ", " + said.detail());
    }

    /** A server that turns a slow peer away has perhaps not seen the Response, which crosses its refusal. */
    private boolean isRefusalProved(RefusalCode code, byte[] frame) {
        return code == RefusalCode.TOO_MANY
            && isProvedAfter(beforeResponse, REFUSED, frame, RefusedDecoder.proofEncodingOffset())
            || isProved(REFUSED, frame, RefusedDecoder.proofEncodingOffset());
    }

    private boolean isChallenged() {
        return beforeResponse != null;
    }

    @Override
    boolean isConnecting() {
        return true;
    }

    @Override
    boolean provesRefusals() {
        return isChallenged();
    }

    @Override
    String toOperator(RefusalCode code, String detail) {
        return switch (code) {
            case WRONG_SECRET -> isChallenged()
                ? "what answers at " + where + " has proved itself, but " + detail
                    + ": something on the way there changes messages"
                : "what answers at " + where + " does not know the secret of job " + membership.jobId()
                    + ": it is another job's server or none of Tributary's";
            case WRONG_NODE -> detail + " at " + where + ": TRIBUTARY_SERVERS, or the file TRIBUTARY_SERVERS_FILE, must"
                + " list the servers in the order of their nodes (cat addr.* takes addr.10 before addr.2)";
            case WRONG_VERSION -> "what answers at " + where + " is of another release: " + detail;
            default -> "what answers at " + where + " does not speak Tributary's protocol: " + detail;
        };
    }
}

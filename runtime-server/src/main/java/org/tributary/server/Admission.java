package org.tributary.server;

import java.security.SecureRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.config.Topology;
import org.tributary.wire.AcceptingHandshake;
import org.tributary.wire.Frames;
import org.tributary.wire.Handshake;
import org.tributary.wire.codec.RefusalCode;
import org.tributary.wire.codec.Role;

/** The handshake of one connection to this server, and what becomes of it. Owned by the event loop. */
final class Admission implements AcceptingHandshake.Gate {
    private static final SecureRandom RANDOM = new SecureRandom();

    private final NodeState node;
    private final Session session;
    private final AcceptingHandshake handshake;

    Admission(NodeState node, Session session) {
        this.node = node;
        this.session = session;
        this.handshake = new AcceptingHandshake(node.membership(), node.job().node(), this, Handshake.nonce(RANDOM));
    }

    /** The handshake, which knows the secrets of the connection once that is admitted. */
    AcceptingHandshake handshake() {
        return handshake;
    }

    /** A frame before the connection is admitted: its fixed part, from the block on. */
    void frame(UnsafeBuffer buffer, int at, int available) {
        byte[] answer = handshake.receive(buffer, at - Frames.HEADER_BYTES, available);
        Handshake.Peer peer = handshake.peer();
        if (handshake.isAdmitted()) {
            session.admitted(peer.role(), peer.rank());
            new HandshakeWriter(session.context()).send(answer);
            session.encrypt(node.encryption().begin(session.context(), handshake));
        } else if (!handshake.isOver()) {
            new HandshakeWriter(session.context()).send(answer);
        } else if (handshake.refusal().code() == RefusalCode.OUT_OF_ORDER) {
            throw new MalformedFrameException(handshake.refusal().detail());
        } else {
            refused(handshake.refusal(), answer);
        }
    }

    /** The other side has to go before it has proved itself; it may try again. */
    void turnAway(String why) {
        if (!handshake.isOver()) {
            new HandshakeWriter(session.context()).send(handshake.turnAway(why));
            session.finish();
        }
    }

    private void refused(Handshake.Refusal refusal, byte[] farewell) {
        node.metrics().refused();
        node.log().refused(session.describe(), refusal.code(), refusal.detail());
        if (farewell.length > 0) {
            new HandshakeWriter(session.context()).send(farewell);
        }
        session.finish();
    }

    @Override
    public Handshake.Refusal problemWith(Handshake.Peer peer) {
        JobLife.Refusal problem = node.life().problemWith(peer.role(), peer.rank());
        if (problem != null) {
            return new Handshake.Refusal(problem.code(), problem.detail());
        }
        Topology topology = node.job().topology();
        int home = peer.isServer() ? peer.rank() : topology.nodeOf(peer.rank());
        return peer.node() == home ? null : new Handshake.Refusal(RefusalCode.WRONG_RANK,
            (peer.isServer() ? "server " : "rank ") + peer.rank() + " is on node " + home + ", not " + peer.node());
    }

    @Override
    public int maxPayload(Role role) {
        return node.maxPayload(role);
    }
}

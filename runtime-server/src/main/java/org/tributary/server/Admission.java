package org.tributary.server;

import org.tributary.config.Topology;
import org.tributary.wire.AcceptingHandshake;
import org.tributary.wire.Handshake;
import org.tributary.wire.codec.RefusalCode;
import org.tributary.wire.codec.Role;

/** What becomes of one connection that has proved that it belongs to the job. Owned by the event loop. */
final class Admission implements AcceptingHandshake.Gate {
    private final NodeState node;
    private final Session session;

    Admission(NodeState node, Session session) {
        this.node = node;
        this.session = session;
    }

    /**
     * Admits or refuses the other side, and tells it.
     *
     * @return the stream in which all that follows comes; null when it comes in the clear, or not at all
     */
    SecuredStream decide(AcceptingHandshake handshake) {
        byte[] answer = handshake.decide(this);
        if (!handshake.isAdmitted()) {
            node.metrics().refused();
            node.log().refused(session.describe(), handshake.refusal().code(), handshake.refusal().detail());
            new HandshakeWriter(session.context()).send(answer);
            session.finish();
            return null;
        }
        Handshake.Peer peer = handshake.peer();
        session.admitted(peer.role(), peer.rank(), peer.pid());
        new HandshakeWriter(session.context()).send(answer);
        return node.encryption().begin(session.context(), handshake);
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

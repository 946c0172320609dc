package org.tributary.server.connection;

import org.tributary.config.Topology;
import org.tributary.server.frame.HandshakeWriter;
import org.tributary.server.io.SecuredStream;
import org.tributary.server.observe.ServerLog;
import org.tributary.wire.AcceptingHandshake;
import org.tributary.wire.Handshake;
import org.tributary.wire.codec.RefusalCode;
import org.tributary.wire.codec.Role;

/** Admits or refuses one connection that has proved that it belongs to the job. Owned by the event loop. */
record Admission(Connections connections, Session session) implements AcceptingHandshake.Gate {
    /**
     * Admits or refuses the other side, and tells it.
     *
     * @return the stream in which all that follows comes; null when it comes in the clear, or not at all
     */
    SecuredStream decide(AcceptingHandshake handshake) {
        byte[] answer = handshake.decide(this);
        if (!handshake.isAdmitted()) {
            if (ServerLog.isNews(handshake.refusal().code())) {
                connections.metrics().refused();
            }
            connections.log().refused(session.describe(), handshake.refusal().code(), handshake.refusal().detail());
            new HandshakeWriter(session.context()).send(answer);
            session.finish();
            return null;
        }
        Handshake.Peer peer = handshake.peer();
        session.admitted(peer.role(), peer.rank(), peer.pid());
        new HandshakeWriter(session.context()).send(answer);
        return connections.io().encryption().begin(session.context(), handshake);
    }

    @Override
    public Handshake.Refusal problemWith(Handshake.Peer peer) {
        Handshake.Refusal problem = connections.life().problemWith(peer.role(), peer.rank());
        problem = problem == null ? problemWithHome(peer) : problem;
        return problem == null ? problemWithCooperation(peer.role()) : problem;
    }

    private Handshake.Refusal problemWithHome(Handshake.Peer peer) {
        Topology topology = connections.job().topology();
        int home = peer.isServer() ? peer.rank() : topology.nodeOf(peer.rank());
        return peer.node() == home ? null : new Handshake.Refusal(RefusalCode.WRONG_RANK,
            (peer.isServer() ? "server " : "rank ") + peer.rank() + " is on node " + home + ", not " + peer.node());
    }

    private Handshake.Refusal problemWithCooperation(Role role) {
        if (role != Role.CHANNEL && role != Role.DIRECT_RANK) {
            return null;
        }
        if (connections.cooperation() == null) {
            return new Handshake.Refusal(RefusalCode.WRONG_RANK,
                "nodes of this job do not cooperate here: settings differ");
        }
        return role == Role.CHANNEL || connections.cooperation().directRanks().admit() ? null
            : new Handshake.Refusal(RefusalCode.TAKE_ROUTE,
                "as many direct connections as there may be now");
    }

    @Override
    public int maxPayload(Role role) {
        return connections.maxPayload(role);
    }
}

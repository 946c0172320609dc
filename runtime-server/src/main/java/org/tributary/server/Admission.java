package org.tributary.server;

import java.security.SecureRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.wire.Handshake;
import org.tributary.wire.codec.HelloDecoder;
import org.tributary.wire.codec.RefusalCode;
import org.tributary.wire.codec.RefusedDecoder;
import org.tributary.wire.codec.ResponseDecoder;
import org.tributary.wire.codec.Role;

/** The server's side of {@link Handshake} for one connection. Owned by the event loop. */
final class Admission {
    private static final SecureRandom RANDOM = new SecureRandom();

    private final NodeState node;
    private final Session session;
    private Handshake handshake;
    private byte[] clientNonce;
    private byte[] serverNonce;
    private Role role;
    private int rank;
    private long pid;

    Admission(NodeState node, Session session) {
        this.node = node;
        this.session = session;
    }

    void frame(UnsafeBuffer buffer, int at, int template, int blockLength, int version) {
        if (template == HelloDecoder.TEMPLATE_ID && handshake == null) {
            hello(new HelloDecoder().wrap(buffer, at, blockLength, version));
        } else if (template == ResponseDecoder.TEMPLATE_ID && handshake != null) {
            response(new ResponseDecoder().wrap(buffer, at, blockLength, version));
        } else if (template == RefusedDecoder.TEMPLATE_ID && handshake != null) {
            refused();
        } else {
            throw new MalformedFrameException("message " + template + " before the connection was admitted");
        }
    }

    private void hello(HelloDecoder hello) {
        role = hello.role();
        rank = hello.rank();
        pid = hello.pid();
        clientNonce = new byte[Handshake.TOKEN_BYTES];
        hello.getNonce(clientNonce, 0, clientNonce.length);
        String jobId = hello.jobId();
        if (!jobId.equals(node.job().jobId())) {
            refuse(RefusalCode.WRONG_JOB, "this server belongs to another job");
            return;
        }
        handshake = new Handshake(node.job().secret(), jobId, role.value(), rank, hello.node());
        serverNonce = Handshake.nonce(RANDOM);
        new HandshakeWriter(session.context()).challenge(serverNonce,
            handshake.serverProof(clientNonce, serverNonce));
    }

    private void response(ResponseDecoder response) {
        byte[] proof = new byte[Handshake.TOKEN_BYTES];
        response.getProof(proof, 0, proof.length);
        if (!Handshake.matches(handshake.clientProof(clientNonce, serverNonce), proof)) {
            refuse(RefusalCode.WRONG_SECRET, "the other side does not know this job's secret");
            return;
        }
        JobLife.Refusal problem = node.life().problemWith(role, rank);
        if (problem != null) {
            refuse(problem.code(), problem.detail());
            return;
        }
        session.admitted(role, rank);
        new HandshakeWriter(session.context()).welcome(node.job().node(), session.maxPayload());
        node.life().admitted(session, pid);
    }

    /** The other side is not satisfied with this server's proof. */
    private void refused() {
        node.metrics().refused();
        node.log().refused(session.describe(), RefusalCode.WRONG_SECRET, "it has another secret than this job");
        session.finish();
    }

    private void refuse(RefusalCode code, String detail) {
        node.metrics().refused();
        node.log().refused(session.describe(), code, detail);
        new HandshakeWriter(session.context()).refused(code, detail);
        session.finish();
    }
}

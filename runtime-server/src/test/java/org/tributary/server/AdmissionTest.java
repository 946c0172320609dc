package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tributary.config.Topology;
import org.tributary.server.testing.HandshakeFrames;
import org.tributary.server.testing.RawClient;
import org.tributary.server.testing.Reply;
import org.tributary.server.testing.Requests;
import org.tributary.server.testing.TestServers;
import org.tributary.wire.Handshake;
import org.tributary.wire.RefusedException;
import org.tributary.wire.codec.RefusalCode;
import org.tributary.wire.codec.Role;

/** Who is let in. Whoever is not is told why, counted, and logged once however often it tries. */
class AdmissionTest {
    private static final String REFUSED = "tributary_connections_refused_total";
    private static final String MALFORMED = "tributary_frames_malformed_total";

    private TestServers job;

    @BeforeEach
    void start() throws IOException {
        job = TestServers.start(Topology.of(2, 2));
    }

    @AfterEach
    void stop() {
        job.close();
    }

    private Reply answered(RawClient client, byte[] secret, String jobId, Role role, int rank, int node)
        throws IOException {
        Reply challenge = client.ask(HandshakeFrames.hello(jobId, role, rank, node));
        if (challenge.template() != 2) {
            return challenge;
        }
        byte[] nonce = HandshakeFrames.serverNonce(challenge);
        return client.ask(HandshakeFrames.response(
            new Handshake(secret, jobId, role.value(), rank, node).clientProof(HandshakeFrames.nonce(), nonce)));
    }

    /** Twice, so that a second line in the log would be seen. */
    private void refused(RefusalCode code, SocketAddress address, byte[] secret, String jobId, Role role, int rank,
        int node) throws IOException {
        double before = job.metric(0, REFUSED, "");
        for (int attempt = 0; attempt < 2; attempt++) {
            try (RawClient client = RawClient.stranger(address)) {
                Reply reply = answered(client, secret, jobId, role, rank, node);
                assertEquals(code, reply.refused().code(), reply.toString());
                assertNull(client.receive());
            }
        }
        assertEquals(before + 2, job.metric(0, REFUSED, ""));
    }

    private void loggedOnce(String text) {
        assertEquals(1, job.log().with(text).size(), () -> text + " in " + job.log().with(""));
    }

    @Test
    void shouldRefuseWhenSecretIsAnotherJobs() throws IOException {
        byte[] other = "some other job's secret".getBytes(StandardCharsets.UTF_8);
        refused(RefusalCode.WRONG_SECRET, job.tcp(0), other, job.jobId(), Role.REMOTE_RANK, 2, 1);
        loggedOnce("does not know this job's secret");
        refused(RefusalCode.WRONG_SECRET, job.local(0), other, job.jobId(), Role.LOCAL_RANK, 0, 0);
    }

    @Test
    void shouldRefuseWhenProofIsMissing() throws IOException {
        try (RawClient client = RawClient.stranger(job.tcp(0))) {
            client.ask(HandshakeFrames.hello(job.jobId(), Role.REMOTE_RANK, 2, 1));
            Reply reply = client.ask(HandshakeFrames.response(new byte[Handshake.TOKEN_BYTES]));
            assertEquals(RefusalCode.WRONG_SECRET, reply.refused().code());
            assertNull(client.receive());
        }
    }

    @Test
    void shouldRefuseWhenServersProofIsReflected() throws IOException {
        try (RawClient client = RawClient.stranger(job.tcp(0))) {
            Reply challenge = client.ask(HandshakeFrames.hello(job.jobId(), Role.REMOTE_RANK, 2, 1));
            Reply reply = client.ask(HandshakeFrames.response(HandshakeFrames.serverProof(challenge)));
            assertEquals(RefusalCode.WRONG_SECRET, reply.refused().code());
        }
    }

    @Test
    void shouldRefuseWhenProofIsOfAnEarlierConnection() throws IOException {
        byte[] proof;
        try (RawClient client = RawClient.stranger(job.tcp(0))) {
            Reply challenge = client.ask(HandshakeFrames.hello(job.jobId(), Role.SERVER, 1, 1));
            proof = new Handshake(job.secret(), job.jobId(), Role.SERVER.value(), 1, 1)
                .clientProof(HandshakeFrames.nonce(), HandshakeFrames.serverNonce(challenge));
            assertEquals(4, client.ask(HandshakeFrames.response(proof)).template());
        }
        try (RawClient client = RawClient.stranger(job.tcp(0))) {
            client.ask(HandshakeFrames.hello(job.jobId(), Role.SERVER, 1, 1));
            assertEquals(RefusalCode.WRONG_SECRET,
                client.ask(HandshakeFrames.response(proof)).refused().code());
        }
    }

    @Test
    void shouldRefuseWhenRoleOrRankIsNotTheProvedOne() throws IOException {
        try (RawClient client = RawClient.stranger(job.tcp(0))) {
            Reply challenge = client.ask(HandshakeFrames.hello(job.jobId(), Role.REMOTE_RANK, 3, 1));
            byte[] proof = new Handshake(job.secret(), job.jobId(), Role.REMOTE_RANK.value(), 2, 1)
                .clientProof(HandshakeFrames.nonce(), HandshakeFrames.serverNonce(challenge));
            assertEquals(RefusalCode.WRONG_SECRET,
                client.ask(HandshakeFrames.response(proof)).refused().code());
        }
    }

    @Test
    void shouldRefuseWhenJobIsAnother() throws IOException {
        refused(RefusalCode.WRONG_JOB, job.tcp(0), job.secret(), "another-job", Role.REMOTE_RANK, 2, 1);
        loggedOnce("belongs to another job");
        refused(RefusalCode.WRONG_JOB, job.local(0), job.secret(), "another-job", Role.LOCAL_RANK, 0, 0);
    }

    @Test
    void shouldRefuseWhenRankIsNotOfTheJobOrNode() throws IOException {
        refused(RefusalCode.WRONG_RANK, job.tcp(0), job.secret(), job.jobId(), Role.REMOTE_RANK, 4, 1);
        loggedOnce("number 4 does not exist, there are 4");
        refused(RefusalCode.WRONG_RANK, job.tcp(0), job.secret(), job.jobId(), Role.REMOTE_RANK, -1, 1);
        refused(RefusalCode.WRONG_RANK, job.tcp(0), job.secret(), job.jobId(), Role.SERVER, 2, 2);
        refused(RefusalCode.WRONG_RANK, job.local(0), job.secret(), job.jobId(), Role.LOCAL_RANK, 2, 1);
        refused(RefusalCode.WRONG_RANK, job.local(0), job.secret(), job.jobId(), Role.LIFELINE, 3, 1);
    }

    @Test
    void shouldRefuseWhenLocalRankComesAsRemote() throws IOException {
        refused(RefusalCode.WRONG_RANK, job.tcp(0), job.secret(), job.jobId(), Role.REMOTE_RANK, 1, 0);
        loggedOnce("rank 1 is on this node");
    }

    @Test
    void shouldRefuseWhenRankHasAttachedAlready() throws IOException {
        RawClient first = job.rank(0);
        RawClient lifeline = job.lifeline(0);
        refused(RefusalCode.WRONG_RANK, job.local(0), job.secret(), job.jobId(), Role.LOCAL_RANK, 0, 0);
        loggedOnce("rank 0 has attached already, as process " + ProcessHandle.current().pid());
        refused(RefusalCode.WRONG_RANK, job.local(0), job.secret(), job.jobId(), Role.LIFELINE, 0, 0);
        first.fenced();
        lifeline.fenced();
    }

    @Test
    void shouldRefuseServerAndBeCountedByItWhenSecretIsAnotherJobs() throws IOException {
        double before = job.metric(0, REFUSED, "");
        byte[] other = "some other job's secret".getBytes(StandardCharsets.UTF_8);
        IOException refusal = assertThrows(RefusedException.class, () -> {
            try (org.tributary.wire.BlockingConnection connection =
                org.tributary.wire.BlockingConnection.connect(job.tcp(0), 10_000_000_000L)) {
                connection.admit(other, job.jobId(), Role.REMOTE_RANK, 2, 1);
            }
        });
        assertTrue(refusal.getMessage().contains("does not know the secret of job " + job.jobId()),
            refusal::getMessage);
        job.awaitMetric(0, REFUSED, before + 1);
        loggedOnce("it has another secret than this job");
    }

    @Test
    void shouldCloseAndCountWhenStrangerSaysNothing() throws IOException {
        try (TestServers impatient = TestServers.start(Topology.of(1), "connect.timeout=100ms");
            RawClient silent = RawClient.stranger(impatient.tcp(0))) {
            silent.awaitClosed();
            impatient.awaitMetric(0, REFUSED, 1);
        }
    }

    private void malformed(boolean admitted, byte[]... frames) throws IOException {
        double before = job.metric(0, MALFORMED, "");
        try (RawClient client = admitted ? job.peer(1, 0) : RawClient.stranger(job.tcp(0))) {
            client.send(Requests.all(frames));
            client.awaitClosed();
        }
        job.awaitMetric(0, MALFORMED, before + 1);
    }

    @Test
    void shouldCloseWhenHandshakeIsOutOfOrder() throws IOException {
        byte[] hello = HandshakeFrames.hello(job.jobId(), Role.SERVER, 1, 1);
        byte[] response = HandshakeFrames.response(new byte[Handshake.TOKEN_BYTES]);
        malformed(false, response);
        malformed(false, hello, hello);
        malformed(false, Requests.fence());
        malformed(false, Requests.put(0, 0, 0, 0, new byte[100]));
        malformed(false, hello, Requests.get(1, 0, 0, 0, 8));
        malformed(true, hello);
        malformed(true, response);
        malformed(false, Requests.put(0, 0, 0, 0, new byte[2000]));
        assertTrue(job.log().with("malformed").isEmpty());
        assertEquals(1, job.log().with("closed unadmitted connection").size());
    }

    @Test
    void shouldTellMaxPayloadWhenAdmitted() throws IOException {
        try (org.tributary.wire.BlockingConnection connection =
            org.tributary.wire.BlockingConnection.connect(job.tcp(0), 10_000_000_000L)) {
            assertEquals(16 << 20, connection.admit(job.secret(), job.jobId(), Role.SERVER, 1, 1));
        }
    }
}

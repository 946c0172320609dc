package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.server.CommunicationServer.Termination;
import org.tributary.server.testing.HandshakeFrames;
import org.tributary.server.testing.RawClient;
import org.tributary.server.testing.Reply;
import org.tributary.server.testing.Requests;
import org.tributary.server.testing.ServerLogLines;
import org.tributary.server.testing.TestServers;
import org.tributary.testsupport.ExpectsErrors;
import org.tributary.wire.ConnectingHandshake;
import org.tributary.wire.Handshake;
import org.tributary.wire.Membership;
import org.tributary.wire.RankState;
import org.tributary.wire.codec.AbortDecoder;
import org.tributary.wire.codec.Role;

/**
 * Connections whose opener has given up before it heard that it is admitted, as happens while a server is stopped:
 * their end is nobody's death, and their place is free.
 */
class AbandonedConnectionTest {
    /** Far longer than any test: a test that waits for the end of the grace fails. */
    private static final String NO_GRACE_NEEDED = "job.grace=10min";
    private static final String COOPERATING = "cooperation.mode=forward";

    /** Goes through the handshake up to the last word of its own, which the server answers with Welcome. */
    private static RawClient answering(SocketAddress address, Membership membership, Role role, int rank, int node)
        throws IOException {
        RawClient client = RawClient.stranger(address);
        int wanted = role == Role.LOCAL_RANK || role == Role.LIFELINE ? node : 0;
        ConnectingHandshake handshake = new ConnectingHandshake(membership, new Handshake.Peer(role, rank, node, 1),
            wanted, "the server", HandshakeFrames.nonce());
        Reply challenge = client.ask(handshake.hello());
        client.send(handshake.receive(new UnsafeBuffer(challenge.frame()), 0, challenge.frame().length));
        return client;
    }

    private static void welcomed(RawClient client) throws IOException {
        assertEquals(4, client.receive().template());
    }

    @Test
    void shouldGoOnWhenConnectionsAreGivenUpBeforeTheirWelcome() throws IOException {
        try (TestServers job = TestServers.start(Topology.of(1, 1), NO_GRACE_NEEDED, COOPERATING)) {
            for (int i = 0; i < 10; i++) {
                answering(job.local(0), job.membership(), Role.LOCAL_RANK, 0, 0).close();
                answering(job.local(0), job.membership(), Role.LIFELINE, 0, 0).close();
                answering(job.tcp(0), job.membership(), Role.REMOTE_RANK, 1, 1).close();
                answering(job.tcp(0), job.membership(), Role.DIRECT_RANK, 1, 1).close();
                answering(job.tcp(0), job.membership(), Role.CHANNEL, 1, 1).close();
                answering(job.tcp(0), job.membership(), Role.SERVER, 1, 1).close();
            }
            job.awaitMetric(0, "tributary_connections", 1);
            assertEndsWell(job);
        }
    }

    private static void assertEndsWell(TestServers job) throws IOException {
        for (int rank = 0; rank < 2; rank++) {
            try (RawClient client = job.rank(rank); RawClient lifeline = job.lifeline(rank)) {
                lifeline.fenced();
                client.fenced();
                client.send(Requests.goodbye(rank));
            }
        }
        for (int node = 0; node < 2; node++) {
            assertEquals(new Termination(true, "every rank has left"), job.termination(node));
        }
    }

    @Test
    @ExpectsErrors("rank 0 has attached already")
    void shouldKeepThePlaceForWhoJoinsWhenTwoAreWelcome() throws IOException {
        try (TestServers job = TestServers.start(Topology.of(1, 1), NO_GRACE_NEEDED);
            RawClient late = answering(job.local(0), job.membership(), Role.LOCAL_RANK, 0, 0);
            RawClient lateLine = answering(job.local(0), job.membership(), Role.LIFELINE, 0, 0)) {
            welcomed(late);
            welcomed(lateLine);
            try (RawClient client = job.rank(0); RawClient lifeline = job.lifeline(0)) {
                client.fenced();
                lifeline.fenced();
                for (RawClient other : new RawClient[] {late, lateLine}) {
                    other.send(Requests.joined());
                    other.awaitClosed();
                }
                assertEquals(2, job.log().with("rank 0 has attached already").size());
                client.fenced();
                client.send(Requests.goodbye(0));
            }
            try (RawClient client = job.rank(1)) {
                client.send(Requests.goodbye(1));
            }
            assertTrue(job.termination(0).clean());
        }
    }

    @Test
    @ExpectsErrors("message 19 where Joined \\(6\\) was expected")
    void shouldCloseWhenTheFirstMessageIsAnother() throws IOException {
        try (TestServers job = TestServers.start(Topology.of(1, 1), NO_GRACE_NEEDED)) {
            byte[][] others = {Requests.fence(), Requests.goodbye(0), Requests.put(0, 0, 0, 0, new byte[9]),
                Requests.abort(0, 0, "no reason")};
            for (byte[] first : others) {
                try (RawClient client = answering(job.local(0), job.membership(), Role.LOCAL_RANK, 0, 0)) {
                    welcomed(client);
                    client.send(Requests.all(first, Requests.joined()));
                    client.awaitClosed();
                }
            }
            assertEquals(4, job.metric(0, "tributary_frames_malformed_total", ""));
            try (RawClient client = job.rank(0)) {
                client.send(Requests.joined());
                client.awaitClosed();
            }
            assertTrue(job.termination(0).reason().startsWith("rank 0 (node 0"), job.termination(0)::reason);
        }
    }

    /** A rank that leaves as soon as it has come: the server reads its two connections in any order. */
    @Test
    void shouldHaveLeftWhenGoodbyeIsReadBeforeItsLifelineJoins() throws IOException {
        try (TestServers job = TestServers.start(Topology.of(1, 1), NO_GRACE_NEEDED);
            RawClient observer = job.peer(1, 0)) {
            try (RawClient client = job.rank(0);
                RawClient lifeline = answering(job.local(0), job.membership(), Role.LIFELINE, 0, 0)) {
                welcomed(lifeline);
                client.send(Requests.all(Requests.fence(), Requests.goodbye(0)));
                client.receive();
                assertEquals(RankState.DEPARTED,
                    RankState.of((int) observer.ask(Requests.probe(1, 0)).value().value()));
                lifeline.send(Requests.joined());
            }
            try (RawClient client = job.rank(1)) {
                client.send(Requests.goodbye(1));
            }
            assertEquals(new Termination(true, "every rank has left"), job.termination(0));
        }
    }

    @Test
    void shouldTellWhoJoinsLateWhenJobIsAborted() throws IOException {
        try (TestServers job = TestServers.start(Topology.of(1, 1), NO_GRACE_NEEDED)) {
            RawClient late = answering(job.local(1), job.membership(), Role.LIFELINE, 1, 1);
            welcomed(late);
            job.server(0).abort("enough");
            assertEquals(new Termination(false, "enough"), job.termination(0));
            late.send(Requests.joined());
            assertEquals(AbortDecoder.TEMPLATE_ID, late.receive().template());
            late.close();
            assertEquals(new Termination(false, "enough"), job.termination(1));
        }
    }

    /** A rank knows that both connections are admitted, and aborts: the lifeline's Joined may be read after that. */
    @Test
    void shouldAwaitTheRankWhenItsAbortOvertakesItsLifeline() throws IOException {
        try (TestServers job = TestServers.start(Topology.of(1), NO_GRACE_NEEDED);
            RawClient rank = job.rank(0);
            RawClient lifeline = answering(job.local(0), job.membership(), Role.LIFELINE, 0, 0)) {
            welcomed(lifeline);
            rank.send(Requests.all(Requests.abort(0, 0, "the matrix is singular"), Requests.fence()));
            rank.receive(); // the abort has been read
            lifeline.send(Requests.joined());
            assertEquals(AbortDecoder.TEMPLATE_ID, lifeline.receive().template());
            rank.fenced();
            job.server(0).close(); // until now it has waited for its rank
            assertEquals(new Termination(false, "the server was closed"), job.termination(0));
        }
    }

    @Test
    void shouldEndWithoutGraceWhenALifelineIsGivenUpAfterTheAbort() throws IOException {
        try (TestServers job = TestServers.start(Topology.of(1), NO_GRACE_NEEDED)) {
            RawClient lifeline = answering(job.local(0), job.membership(), Role.LIFELINE, 0, 0);
            welcomed(lifeline);
            job.server(0).abort("enough");
            lifeline.close();
            assertEquals(new Termination(false, "enough"), job.termination(0));
        }
    }

    @Test
    void shouldAwaitTheServerBelowWhenItsConnectionWasGivenUp(@TempDir Path directory) throws Exception {
        Settings settings = Settings.builder().set("server.bind-address=127.0.0.1").set(NO_GRACE_NEEDED)
            .set("server.metrics-port=0").set("shm.directory=" + directory).build();
        JobEnvironment above = JobEnvironment.builder().jobId("abandoned-" + ProcessHandle.current().pid())
            .secret("a secret of this job".getBytes(StandardCharsets.UTF_8)).topology(Topology.of(1, 1)).node(0)
            .servers(List.of("127.0.0.1:1", "127.0.0.1:1")).build();
        Membership membership = Membership.of(above, settings);
        try (ServerLogLines log = new ServerLogLines();
            CommunicationServer server = CommunicationServer.start(above, settings)) {
            for (int i = 0; i < 10; i++) {
                answering(server.address(), membership, Role.NEIGHBOUR, 1, 1).close();
            }
            try (RawClient below = answering(server.address(), membership, Role.NEIGHBOUR, 1, 1)) {
                welcomed(below);
                below.send(Requests.all(Requests.joined(), Requests.abort(1, 1, "the last word")));
                assertEquals(new Termination(false, "the last word"), server.awaitTermination());
            }
            assertTrue(log.with("is gone").isEmpty(), () -> log.with("").toString());
        }
    }
}

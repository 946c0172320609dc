package org.tributary.server.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.server.testing.HandshakeFrames;
import org.tributary.server.testing.RawClient;
import org.tributary.server.testing.Reply;
import org.tributary.server.testing.Requests;
import org.tributary.server.testing.TestServers;
import org.tributary.testsupport.ExpectsErrors;
import org.tributary.testsupport.ToleratesErrors;
import org.tributary.wire.Agreement;
import org.tributary.wire.BlockingConnection;
import org.tributary.wire.ConnectingHandshake;
import org.tributary.wire.Handshake;
import org.tributary.wire.Membership;
import org.tributary.wire.RefusedException;
import org.tributary.wire.codec.RefusalCode;
import org.tributary.wire.codec.Role;

/** Admission of peers. A refused one is told why, counted, and logged once however often it tries. */
class AdmissionTest {
    /** A busy machine may bring them all at once. */
    private static final String FLOOD = "connections at once, and .* a second, come to";
    private static final String REFUSED = "tributary_connections_refused_total";
    private static final String MALFORMED = "tributary_frames_malformed_total";

    private static final long DEADLINE_NS = 200_000_000_000L;
    private static final byte[] OTHER_SECRET = "some other job's secret".getBytes(StandardCharsets.UTF_8);
    private static final Topology TOPOLOGY = Topology.of(2, 2);

    private TestServers job;

    @BeforeEach
    void start() throws IOException {
        job = TestServers.start(TOPOLOGY);
    }

    @AfterEach
    void stop() {
        job.close();
    }

    /** Goes through a handshake for node 0; a secret that is not the job's proves nothing. */
    private static Reply answered(RawClient client, Membership membership, Role role, int rank, int node)
        throws IOException {
        ConnectingHandshake handshake = new ConnectingHandshake(membership, new Handshake.Peer(role, rank, node, 1), 0,
            "the server", HandshakeFrames.nonce());
        Reply challenge = client.ask(handshake.hello());
        if (challenge.template() != 2) {
            return challenge;
        }
        byte[] response = handshake.receive(new UnsafeBuffer(challenge.frame()), 0, challenge.frame().length);
        return client.ask(handshake.refusal() == null ? response
            : HandshakeFrames.response(new byte[Handshake.TOKEN_BYTES]));
    }

    private Membership with(String jobId, byte[] secret) {
        return new Membership(jobId, secret, Agreement.of(Settings.defaults(), TOPOLOGY));
    }

    /** Twice, so that a second line in the log would be seen. */
    private void refused(RefusalCode code, SocketAddress address, Membership membership, Role role, int rank, int node)
        throws IOException {
        double before = job.metric(0, REFUSED, "");
        for (int attempt = 0; attempt < 2; attempt++) {
            try (RawClient client = RawClient.stranger(address)) {
                Reply reply = answered(client, membership, role, rank, node);
                assertEquals(code, reply.refused().code(), reply.toString());
                assertNull(client.receive());
            }
        }
        assertEquals(before + 2, job.metric(0, REFUSED, ""));
    }

    private void refused(RefusalCode code, SocketAddress address, Role role, int rank, int node) throws IOException {
        refused(code, address, job.membership(), role, rank, node);
    }

    private void loggedOnce(String text) {
        assertEquals(1, job.log().with(text).size(), () -> text + " in " + job.log().with(""));
    }

    @Test
    @ExpectsErrors("refused .*: the other side does not know this job's secret")
    void shouldRefuseWhenSecretIsAnotherJobs() throws IOException {
        Membership other = with(job.jobId(), OTHER_SECRET);
        refused(RefusalCode.WRONG_SECRET, job.tcp(0), other, Role.REMOTE_RANK, 2, 1);
        loggedOnce("does not know this job's secret");
        refused(RefusalCode.WRONG_SECRET, job.local(0), other, Role.LOCAL_RANK, 0, 0);
    }

    @Test
    @ExpectsErrors("refused .*: the other side does not know this job's secret")
    void shouldRefuseWhenProofIsOfAnEarlierConnection() throws IOException {
        byte[] response;
        ConnectingHandshake first = new ConnectingHandshake(job.membership(),
            new Handshake.Peer(Role.SERVER, 1, 1, 1), 0, "the server", HandshakeFrames.nonce());
        byte[] hello = first.hello();
        try (RawClient client = RawClient.stranger(job.tcp(0))) {
            Reply challenge = client.ask(hello);
            response = first.receive(new UnsafeBuffer(challenge.frame()), 0, challenge.frame().length);
            assertEquals(4, client.ask(response).template());
        }
        try (RawClient client = RawClient.stranger(job.tcp(0))) {
            client.ask(hello);
            assertEquals(RefusalCode.WRONG_SECRET, client.ask(response).refused().code());
        }
    }

    @Test
    @ExpectsErrors("refused .*: this server belongs to another job")
    void shouldRefuseWhenJobIsAnother() throws IOException {
        Membership other = with("another-job", OTHER_SECRET);
        refused(RefusalCode.WRONG_JOB, job.tcp(0), other, Role.REMOTE_RANK, 2, 1);
        loggedOnce("belongs to another job");
        refused(RefusalCode.WRONG_JOB, job.local(0), other, Role.LOCAL_RANK, 0, 0);
    }

    @Test
    @ExpectsErrors({"collective.chunk is 16k at the server of node 0 and 32k at rank 2 of node 1",
        "layout is 2\\*2 at the server of node 0 and 2,3 at rank 0"})
    void shouldNameWhatDiffersWhenSettingsOrLayoutDiffer() throws IOException {
        Settings other = Settings.builder().set("collective.chunk=32k").build();
        JobEnvironment.Builder environment = JobEnvironment.builder().jobId(job.jobId()).secret(job.secret())
            .node(1).rank(2).servers(List.of("127.0.0.1:1", "127.0.0.1:2"));
        refused(RefusalCode.SETTINGS_DIFFER, job.tcp(0),
            Membership.of(environment.topology(TOPOLOGY).build(), other), Role.REMOTE_RANK, 2, 1);
        loggedOnce("collective.chunk is 16k at the server of node 0 and 32k at rank 2 of node 1");
        refused(RefusalCode.SETTINGS_DIFFER, job.local(0),
            Membership.of(environment.topology(Topology.of(2, 3)).build(), Settings.defaults()), Role.LOCAL_RANK, 0, 0);
        loggedOnce("layout is 2*2 at the server of node 0 and 2,3 at rank 0 of node 0");
    }

    @Test
    @ExpectsErrors("it refused this server: rank 0 of node 0 looked for the server of node 2")
    void shouldRefuseWhenServerOfAnotherNodeIsWanted() throws IOException {
        for (Role role : new Role[] {Role.REMOTE_RANK, Role.SERVER, Role.CHANNEL, Role.DIRECT_RANK}) {
            RefusedException refusal = assertThrows(RefusedException.class, () -> {
                try (BlockingConnection connection = BlockingConnection.connect(job.tcp(1), DEADLINE_NS)) {
                    connection.admit(job.membership(), role, 0, 0, 2);
                }
            });
            assertEquals(RefusalCode.WRONG_NODE, refusal.code());
            assertTrue(refusal.getMessage().contains("looked for the server of node 2 and found that of node 1 at "
                + job.tcp(1)), refusal::getMessage);
        }
        job.awaitMetric(1, REFUSED, 4);
        loggedOnce("rank 0 of node 0 looked for the server of node 2 and found that of node 1");
    }

    @Test
    @ExpectsErrors({"number 4 does not exist, there are 4", "rank 2 is not on node 0"})
    void shouldRefuseWhenRankIsNotOfTheJobOrNode() throws IOException {
        refused(RefusalCode.WRONG_RANK, job.tcp(0), Role.REMOTE_RANK, 4, 1);
        loggedOnce("number 4 does not exist, there are 4");
        refused(RefusalCode.WRONG_RANK, job.tcp(0), Role.REMOTE_RANK, -1, 1);
        refused(RefusalCode.WRONG_RANK, job.tcp(0), Role.SERVER, 2, 2);
        refused(RefusalCode.WRONG_RANK, job.local(0), Role.LOCAL_RANK, 2, 1);
        refused(RefusalCode.WRONG_RANK, job.local(0), Role.LIFELINE, 3, 1);
    }

    @Test
    @ExpectsErrors("refused .*: rank 1 is on this node")
    void shouldRefuseWhenLocalRankComesAsRemote() throws IOException {
        refused(RefusalCode.WRONG_RANK, job.tcp(0), Role.REMOTE_RANK, 1, 0);
        loggedOnce("rank 1 is on this node");
    }

    @Test
    @ExpectsErrors("refused .*: rank 0 has attached already, as process")
    void shouldRefuseWhenRankHasAttachedAlready() throws IOException {
        RawClient first = job.rank(0);
        RawClient lifeline = job.lifeline(0);
        refused(RefusalCode.WRONG_RANK, job.local(0), Role.LOCAL_RANK, 0, 0);
        loggedOnce("rank 0 has attached already, as process " + ProcessHandle.current().pid());
        refused(RefusalCode.WRONG_RANK, job.local(0), Role.LIFELINE, 0, 0);
        first.fenced();
        lifeline.fenced();
    }

    @Test
    @ExpectsErrors("refused .*: it has another secret than this job, or so it says")
    void shouldRefuseServerAndBeCountedByItWhenSecretIsAnotherJobs() throws IOException {
        double before = job.metric(0, REFUSED, "");
        IOException refusal = assertThrows(RefusedException.class, () -> {
            try (BlockingConnection connection =
                BlockingConnection.connect(job.tcp(0), DEADLINE_NS)) {
                connection.admit(with(job.jobId(), OTHER_SECRET), Role.REMOTE_RANK, 2, 1, 0);
            }
        });
        assertTrue(refusal.getMessage().contains("does not know the secret of job " + job.jobId()),
            refusal::getMessage);
        job.awaitMetric(0, REFUSED, before + 1);
        loggedOnce("it has another secret than this job");
    }

    @Test
    void shouldCloseAndCountWhenStrangerSaysNothing() throws IOException {
        try (TestServers impatient = TestServers.start(Topology.of(1), "connect.timeout=40ms");
            RawClient silent = RawClient.stranger(impatient.tcp(0))) {
            silent.awaitClosed();
            impatient.awaitMetric(0, REFUSED, 1);
        }
    }

    /** Silent peers fill the number; a peer that proves itself gets in, and an exchange goes on. */
    @Test
    @ToleratesErrors(FLOOD)
    void shouldServeOthersWhenThousandsOfStrangersAreSilent() throws IOException {
        List<RawClient> silent = new ArrayList<>();
        try (TestServers crowded = TestServers.start(TOPOLOGY, "server.strangers-max=50");
            RawClient rank = crowded.rank(0)) {
            rank.done(Requests.allocate(1, 7, 0, 0, 4096));
            double refusedBefore = crowded.metric(0, REFUSED, "");
            for (int i = 0; i < 2000; i++) {
                silent.add(RawClient.stranger(crowded.tcp(0)));
                if (i % 100 == 0) {
                    rank.fenced(Requests.put(7, 0, 0, 0, new byte[64]));
                    crowded.peer(1, 0).close();
                }
            }
            crowded.rank(1).fenced();
            crowded.awaitMetric(0, REFUSED, refusedBefore + 1950);
            assertEquals(RefusalCode.TOO_MANY, silent.getFirst().receive().refused().code());
        } finally {
            for (RawClient client : silent) {
                client.close();
            }
        }
    }

    /** Of the one thread that has come since there were {@code others}. */
    private static long cpuNs(String thread, Set<Long> others) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
            .filter(info -> info != null && info.getThreadName().startsWith(thread)
                && !others.contains(info.getThreadId()))
            .mapToLong(info -> threads.getThreadCpuTime(info.getThreadId())).reduce((a, b) -> {
                throw new AssertionError("two threads " + thread);
            }).orElseThrow();
    }

    /**
     * The loop that moves data has no work with them: the campaign measures the effect on a running job. Nobody asks
     * for metrics meanwhile, as that loop counts them.
     */
    @Test
    @ToleratesErrors(FLOOD)
    void shouldLeaveTheLoopOfDataAloneWhenThousandsOfStrangersConnect() throws IOException {
        Set<Long> others = Arrays.stream(ManagementFactory.getThreadMXBean().getAllThreadIds()).boxed()
            .collect(Collectors.toSet());
        List<RawClient> silent = new ArrayList<>();
        try (TestServers crowded = TestServers.start(Topology.of(1), "server.strangers-max=50")) {
            long dataNs = cpuNs("tributary-server-0", others);
            long strangersNs = cpuNs("tributary-strangers-0", others);
            for (int i = 0; i < 2000; i++) {
                SocketChannel.open(crowded.tcp(0)).close();
            }
            for (int i = 0; i < 100; i++) {
                silent.add(RawClient.stranger(crowded.tcp(0)));
            }
            for (RawClient turnedAway : silent.subList(0, 50)) {
                assertEquals(RefusalCode.TOO_MANY, turnedAway.receive().refused().code());
            }
            dataNs = cpuNs("tributary-server-0", others) - dataNs;
            strangersNs = cpuNs("tributary-strangers-0", others) - strangersNs;
            assertTrue(dataNs < strangersNs / 4, dataNs + " ns of the loop of data, " + strangersNs
                + " of that of strangers");
        } finally {
            for (RawClient each : silent) {
                each.close();
            }
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
    @ExpectsErrors({"Response \\(3\\) where Hello \\(1\\) was expected", "message 1 is no request"})
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
        try (BlockingConnection connection =
            BlockingConnection.connect(job.tcp(0), DEADLINE_NS)) {
            assertEquals(16 << 20, connection.admit(job.membership(), Role.SERVER, 1, 1, 0).maxPayload());
        }
    }
}

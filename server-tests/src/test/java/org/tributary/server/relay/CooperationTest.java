package org.tributary.server.relay;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.ConfigException;
import org.tributary.config.CooperationMode;
import org.tributary.config.Topology;
import org.tributary.server.testing.RawClient;
import org.tributary.server.testing.Reply;
import org.tributary.server.testing.Requests;
import org.tributary.server.testing.StripeHolder;
import org.tributary.server.testing.TestServers;
import org.tributary.testsupport.ExpectsErrors;
import org.tributary.testsupport.ToleratesErrors;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AbortDecoder;
import org.tributary.wire.codec.AtomicDecoder;
import org.tributary.wire.codec.AtomicOp;
import org.tributary.wire.codec.ElementCode;
import org.tributary.wire.codec.ErrorCode;
import org.tributary.wire.codec.MessageHeaderDecoder;
import org.tributary.wire.codec.MessageHeaderEncoder;
import org.tributary.wire.codec.RequesterEncoder;
import org.tributary.wire.codec.Role;
import org.tributary.wire.codec.TakeRouteDecoder;
import org.tributary.wire.codec.ValueDecoder;
import org.tributary.wire.shm.AccumulateLocks;
import org.tributary.wire.shm.NodeDirectory;

/** Servers that pass requests on: node 2 those of its ranks for node 3, of the same group; memory is rank 3's. */
class CooperationTest {
    private static final long SEGMENT = 77;
    private static final long MUTEXES = 78;
    private static final int BYTES = 1 << 20;

    private TestServers job;
    private RawClient owner;

    private void start(CooperationMode mode, String... more) throws IOException {
        String[] settings = new String[more.length + 2];
        settings[0] = "cooperation.mode=" + mode.name().toLowerCase(java.util.Locale.ROOT);
        settings[1] = "cooperation.group-size=2";
        System.arraycopy(more, 0, settings, 2, more.length);
        job = TestServers.start(Topology.uniform(4, 1), settings);
        owner = job.rank(3);
        owner.done(Requests.allocate(1, SEGMENT, 0, 3, BYTES));
        owner.done(Requests.allocate(2, MUTEXES, 1, 3, 64));
    }

    @AfterEach
    void stop() throws IOException {
        if (owner != null) {
            owner.close();
        }
        if (job != null) {
            job.close();
        }
    }

    private static byte[] fetchAndAdd(long request, int offset, int width, long operand) {
        return Requests.atomic(request, SEGMENT, 3, offset, AtomicOp.FETCH_AND_ADD, width, operand, 0);
    }

    private static byte[] many(int count, IntFunction<byte[]> request) {
        byte[][] all = new byte[count][];
        for (int i = 0; i < count; i++) {
            all[i] = request.apply(i);
        }
        return Requests.all(all);
    }

    @ParameterizedTest
    @EnumSource(value = CooperationMode.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void shouldExecuteAtTargetWhenRequestsArePassedOn(CooperationMode mode) throws IOException {
        start(mode);
        try (RawClient rank = job.rank(2)) {
            byte[] data = {1, 2, 3, 4, 5, 6, 7, 8, 9};
            assertEquals(2, rank.fenced(Requests.put(SEGMENT, 3, 100, 0, data),
                Requests.put(SEGMENT, 3, 109, Frames.FLAG_ACK, data)));
            Reply got = rank.ask(Requests.get(5, SEGMENT, 3, 105, 8));
            assertEquals(5, got.dataRequest());
            assertArrayEquals(new byte[] {6, 7, 8, 9, 1, 2, 3, 4}, got.data());
            assertEquals(0, rank.ask(fetchAndAdd(6, 0, 8, 41)).value().value());
            assertEquals(41, rank.ask(fetchAndAdd(7, 0, 8, 1)).value().value());
            assertEquals(1, rank.ask(Requests.probe(8, 3)).value().value());
            assertTrue(job.metric(2, "tributary_forwarded_total", "") >= 6);
            assertEquals(2, job.metric(3, "tributary_requests_total", "operation=\"put\""));
            assertEquals(1, job.metric(2, "tributary_channels", ""));
        }
    }

    /** Its lock waits for the end of a turn, in which its departure is read, too; or for a channel that opens. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldReleaseALockThatARankHasAskedForAsItLeaves(boolean hasChannel) throws IOException {
        start(CooperationMode.AGGREGATE);
        try (RawClient rank = job.rank(2)) {
            if (hasChannel) {
                assertEquals(1, rank.ask(Requests.probe(8, 3)).value().value());
            }
            rank.send(Requests.all(Requests.lock(9, MUTEXES, 3, 0, false), Requests.goodbye(2)));
            long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(200);
            while (job.metric(3, "tributary_requests_total", "operation=\"lock\"") == 0) {
                assertTrue(System.nanoTime() < deadlineNs, "it has not come");
            }
            long request = 10;
            while (owner.ask(Requests.lock(request++, MUTEXES, 3, 0, true)).value().value() == 0) {
                assertTrue(System.nanoTime() < deadlineNs, "nobody releases it");
            }
        }
    }

    /** Both come in one read. */
    @Test
    @ToleratesErrors("for a lock of accumulates") // a busy machine takes so long
    void shouldAcknowledgeWhatAsksForItWhenWhatFollowsWaits() throws IOException, InterruptedException {
        start(CooperationMode.FORWARD, "cooperation.group-size=4");
        long stopped = 79;
        try (RawClient other = job.rank(1); RawClient rank = job.rank(2)) {
            other.done(Requests.allocate(1, stopped, 0, 1, 64));
            try (StripeHolder holder = StripeHolder.stopped(new NodeDirectory(job.directory(1)).control(),
                AccumulateLocks.lockOf(stopped, 0))) {
                rank.send(Requests.all(Requests.put(SEGMENT, 3, 0, Frames.FLAG_ACK, new byte[8]),
                    Requests.accumulate(stopped, 1, 0, 0, ElementCode.LONG, 1, new byte[8])));
                assertEquals(1, rank.receive().ack());
                holder.goOn();
                assertEquals(2, rank.ask(Requests.fence()).ack());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-5, Integer.MIN_VALUE, 4, Integer.MAX_VALUE})
    @ExpectsErrors("goodbye of rank .*, which does not exist")
    void shouldCloseTheChannelWhenItSaysGoodbyeOfARankThatDoesNotExist(int rank) throws IOException {
        start(CooperationMode.FORWARD);
        try (RawClient channel = job.connect(job.tcp(2), Role.CHANNEL, 0, 0)) {
            channel.send(Requests.goodbye(rank));
            channel.awaitClosed();
            assertEquals(1, job.metric(2, "tributary_frames_malformed_total", ""));
        }
    }

    @Test
    void shouldTellTheSourceWhenRequestsAreRefusedAtTheTarget() throws IOException {
        start(CooperationMode.AGGREGATE);
        try (RawClient rank = job.rank(2)) {
            rank.send(Requests.all(Requests.put(SEGMENT, 3, 0, 0, new byte[8]),
                Requests.put(SEGMENT, 3, BYTES - 4, 0, new byte[8]), Requests.put(SEGMENT, 3, 8, 0, new byte[8]),
                Requests.fence()));
            Reply refused = rank.receive();
            assertEquals(Frames.NO_REQUEST, refused.error().requestId());
            assertEquals(ErrorCode.OUT_OF_BOUNDS, refused.error().code());
            assertEquals(3, rank.receive().ack());
            Reply unknown = rank.ask(Requests.get(9, 4711, 3, 0, 8));
            assertEquals(9, unknown.error().requestId());
            assertEquals(ErrorCode.SEGMENT_UNKNOWN, unknown.error().code());
            assertEquals(ErrorCode.RANK_UNKNOWN, rank.ask(Requests.get(9, 0, 17, 0, 8)).error().code());
        }
    }

    @Test
    void shouldSendTogetherWhatArrivesTogetherWhenAggregating() throws IOException {
        start(CooperationMode.AGGREGATE);
        try (RawClient rank = job.rank(2)) {
            rank.fenced(Requests.put(SEGMENT, 3, 0, 0, new byte[8]));
            double before = job.metric(2, "tributary_forwarded_messages_total", "");
            assertEquals(51, rank.fenced(many(50, i -> Requests.put(SEGMENT, 3, 8 * i, 0, new byte[8]))));
            assertTrue(job.metric(2, "tributary_forwarded_messages_total", "") - before <= 25);
            assertEquals(51, job.metric(2, "tributary_forwarded_total", ""));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 8})
    void shouldReturnEveryValueOnceWhenFetchAndAddsAreCombined(int width) throws IOException {
        start(CooperationMode.COMBINE);
        try (RawClient rank = job.rank(2)) {
            long first = width == Integer.BYTES ? Integer.MAX_VALUE - 10 : Long.MAX_VALUE - 10;
            rank.ask(fetchAndAdd(0, 16, width, first));
            rank.send(many(30, i -> fetchAndAdd(i, 16, width, 1)));
            for (int i = 0; i < 30; i++) {
                ValueDecoder reply = rank.receive().value();
                long sum = first + reply.requestId();
                assertEquals(width == Integer.BYTES ? (int) sum : sum, reply.value());
            }
            assertTrue(job.metric(2, "tributary_forwarded_combined_total", "") > 0);
        }
    }

    @Test
    void shouldAddEverythingWhenAccumulatesAreCombined() throws IOException {
        start(CooperationMode.COMBINE);
        byte[] ones = new byte[80];
        UnsafeBuffer longs = new UnsafeBuffer(ones);
        for (int i = 0; i < 10; i++) {
            longs.putLong(8 * i, i + 1);
        }
        try (RawClient rank = job.rank(2)) {
            assertEquals(40, rank.fenced(many(40,
                i -> Requests.accumulate(SEGMENT, 3, 800, 0, ElementCode.LONG, 3, ones))));
            UnsafeBuffer sums = new UnsafeBuffer(rank.ask(Requests.get(1, SEGMENT, 3, 800, 80)).data());
            for (int i = 0; i < 10; i++) {
                assertEquals(40 * 3 * (i + 1), sums.getLong(8 * i));
            }
            assertTrue(job.metric(2, "tributary_forwarded_combined_total", "") > 0);
        }
    }

    @Test
    void shouldHoldBackTheSourceWhenReceiveRingsAreFull() throws IOException {
        start(CooperationMode.FORWARD);
        byte[] data = new byte[30_000];
        try (RawClient rank = job.rank(2)) {
            byte[] requests = many(100, i -> Requests.put(SEGMENT, 3, i, 0, data));
            for (int i = 0; i < 10; i++) {
                rank.send(requests);
            }
            assertEquals(1000, rank.fenced());
            assertEquals(64 * 1024, job.metric(2, "tributary_receive_rings_bytes", ""));
        }
    }

    @Test
    void shouldServeOthersWhenOneTakesNoAnswers() throws IOException {
        start(CooperationMode.AGGREGATE);
        try (RawClient idle = job.remote(0, 2);
            RawClient rank = job.rank(2)) {
            byte[] requests = many(300, i -> Requests.get(i, SEGMENT, 3, 0, 30_000));
            int sent = idle.offer(requests, 0);
            assertTrue(sent > 0);
            for (int i = 0; i < 100; i++) {
                assertEquals(i, rank.ask(fetchAndAdd(i, 64, 8, 1)).value().value());
            }
            idle.send(requests, sent, requests.length - sent);
            for (int i = 0; i < 300; i++) {
                assertEquals(i, idle.receive().dataRequest());
            }
        }
    }

    @Test
    void shouldPassMutexOnWhenItsHolderLeaves() throws IOException {
        start(CooperationMode.FORWARD);
        try (RawClient holder = job.remote(0, 2); RawClient waiter = job.rank(2)) {
            assertEquals(1, holder.ask(Requests.lock(1, MUTEXES, 3, 0, false)).value().value());
            waiter.send(Requests.lock(2, MUTEXES, 3, 0, false));
            holder.send(Requests.goodbye(0));
            assertEquals(2, waiter.receive().value().requestId());
        }
    }

    @Test
    @ExpectsErrors("a request for node 0, which is not in the group of node 2")
    void shouldCloseConnectionWhenARequestIsForAnotherGroup() throws IOException {
        start(CooperationMode.FORWARD);
        try (RawClient rank = job.remote(1, 2)) {
            rank.send(Requests.put(SEGMENT, 0, 0, 0, new byte[8]));
            rank.awaitClosed();
            assertEquals(1, job.metric(2, "tributary_frames_malformed_total", ""));
        }
    }

    /** Passed on, it would close the channel of two servers, and end the job for their sake. */
    @Test
    @ExpectsErrors("closed LOCAL_RANK of rank 2 .*: message .* with a value that it cannot have")
    void shouldCloseConnectionWhenARequestForAnotherNodeHasAnUnknownValue() throws IOException {
        start(CooperationMode.COMBINE);
        try (RawClient rank = job.rank(2)) {
            byte[] request = fetchAndAdd(1, 0, 8, 1);
            request[Frames.HEADER_BYTES + AtomicDecoder.opEncodingOffset()] = 75;
            rank.send(request);
            rank.awaitClosed();
            assertEquals(1, job.metric(2, "tributary_frames_malformed_total", ""));
            assertEquals(0, job.metric(3, "tributary_frames_malformed_total", ""));
        }
    }

    @ParameterizedTest(name = "{index}")
    @MethodSource("malformedVectors")
    @ExpectsErrors("closed LOCAL_RANK of rank 2 .*: (a list of|message ends within|vector entry of) .*")
    void shouldCloseConnectionWhenRangesForAnotherNodeDoNotFitTheRequest(byte[] request) throws IOException {
        start(CooperationMode.COMBINE);
        try (RawClient rank = job.rank(2)) {
            rank.send(request);
            rank.awaitClosed();
            assertEquals(1, job.metric(2, "tributary_frames_malformed_total", ""));
            assertEquals(0, job.metric(3, "tributary_frames_malformed_total", ""));
        }
    }

    private static List<byte[]> malformedVectors() {
        byte[] good = Requests.entry(8, 30_000, new byte[30_000]);
        List<byte[]> requests = new ArrayList<>(List.of(
            Requests.getVector(1, SEGMENT, 3, Requests.all(Requests.entry(0, 1), new byte[1])),
            Requests.getVector(1, SEGMENT, 3, new byte[11])));
        for (byte[] bad : List.of(Requests.entry(0, -1), Requests.entry(0, Integer.MIN_VALUE, new byte[8]),
            Requests.entry(0, 9, new byte[8]), Requests.entry(0, Integer.MAX_VALUE, new byte[8]), new byte[11],
            Requests.entry(0, 4, new byte[8]))) {
            requests.add(Requests.putVector(SEGMENT, 3, 0, bad));
            requests.add(Requests.putVector(SEGMENT, 3, Frames.FLAG_ACK, Requests.all(good, bad)));
            requests.add(Requests.accumulateVector(SEGMENT, 3, ElementCode.LONG, 1, Requests.all(good, bad)));
        }
        return requests;
    }

    /** The ranges lie across the end of the server's ring, too. */
    @Test
    void shouldExecuteRangesWhenTheyArePassedOn() throws IOException {
        start(CooperationMode.FORWARD);
        byte[] ranges = Requests.all(Requests.entry(0, 0), Requests.entry(16, 1, (byte) 1), Requests.entry(17, 0),
            Requests.entry(24, 6_999, new byte[6_999]), Requests.entry(7_023, 1, (byte) 2));
        try (RawClient rank = job.rank(2)) {
            byte[] puts = many(100, i -> Requests.putVector(SEGMENT, 3, 0, ranges));
            assertEquals(100, rank.fenced(puts));
            assertEquals(101, rank.fenced(Requests.putVector(SEGMENT, 3, 0)));
            assertArrayEquals(new byte[] {1, 0, 2}, rank.ask(Requests.getVector(1, SEGMENT, 3,
                Requests.all(Requests.entry(16, 1), Requests.entry(24, 1), Requests.entry(7_023, 1)))).data());
            assertEquals(0, job.metric(2, "tributary_frames_malformed_total", ""));
        }
    }

    @Test
    @ExpectsErrors("message 10 on a channel, of no rank")
    void shouldCloseChannelWhenARequestIsOfNoRank() throws IOException {
        start(CooperationMode.FORWARD);
        try (RawClient channel = job.connect(job.tcp(3), Role.CHANNEL, 2, 2)) {
            channel.send(Requests.put(SEGMENT, 3, 0, 0, new byte[8]));
            channel.awaitClosed();
        }
        try (RawClient channel = job.connect(job.tcp(3), Role.CHANNEL, 2, 2)) {
            channel.send(source(4));
            channel.awaitClosed();
            assertEquals(2, job.metric(3, "tributary_frames_malformed_total", ""));
        }
    }

    @Test
    void shouldExecuteForTheNamedRankWhenItComesOnAChannel() throws IOException {
        start(CooperationMode.FORWARD);
        try (RawClient channel = job.connect(job.tcp(3), Role.CHANNEL, 2, 2)) {
            channel.send(Requests.all(source(0), Requests.lock(1, MUTEXES, 3, 0, true)));
            assertEquals(1, channel.receive().value().value());
            channel.send(Requests.all(source(1), Requests.lock(2, MUTEXES, 3, 0, true)));
            assertEquals(0, channel.receive().value().value());
            channel.send(Requests.all(source(1), Requests.put(SEGMENT, 3, BYTES, 0, new byte[8])));
            assertEquals(Frames.NO_REQUEST - 1, channel.receive().error().requestId());
            assertEquals(1, channel.receive().ack());
        }
    }

    @Test
    void shouldAdmitNoMoreDirectConnectionsThanItMay() throws IOException {
        start(CooperationMode.AGGREGATE, "cooperation.server-connections=1");
        try (RawClient direct = direct(0)) {
            assertEquals(1, direct.fenced(Requests.put(SEGMENT, 3, 0, 0, new byte[40_000])));
            assertEquals(1, job.metric(3, "tributary_connections_direct", ""));
            IOException refused = assertThrows(IOException.class, () -> direct(1).close());
            assertTrue(refused.getMessage().contains("direct connections"), refused.getMessage());
            assertEquals(0, job.metric(3, "tributary_connections_refused_total", "")); // as it is meant to be
            direct.send(Requests.goodbye(Frames.NO_RANK));
        }
        job.awaitMetric(3, "tributary_connections_direct", 0);
        direct(1).close();
        assertEquals(0, job.metric(3, "tributary_receive_rings_bytes", ""));
    }

    private RawClient direct(int rank) throws IOException {
        return job.connect(job.tcp(3), Role.DIRECT_RANK, rank, rank);
    }

    @Test
    void shouldSendRanksToTheirRouteWhenContended() throws IOException {
        start(CooperationMode.COMBINE);
        List<RawClient> clients = new ArrayList<>();
        try {
            for (int i = 0; i < 16; i++) {
                clients.add(direct(i % 3));
            }
            byte[] requests = many(1000, i -> fetchAndAdd(i, 64, 8, 1));
            long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(200);
            List<RawClient> told = new ArrayList<>();
            while (told.isEmpty()) {
                assertTrue(System.nanoTime() < deadlineNs, "never told");
                for (RawClient client : clients) {
                    client.send(requests);
                }
                for (RawClient client : clients) {
                    for (int i = 0; i < 1000; ) {
                        if (client.receive().template() == TakeRouteDecoder.TEMPLATE_ID) {
                            told.add(client);
                        } else {
                            i++;
                        }
                    }
                }
            }
            assertEquals(16, job.metric(3, "tributary_connections_direct", "")); // they go by themselves
            for (RawClient client : clients) { // all at once, though some hear it behind their last answer
                if (!told.contains(client)) {
                    assertEquals(TakeRouteDecoder.TEMPLATE_ID, client.receive().template());
                    told.add(client);
                }
            }
            assertEquals(16, told.size());
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    private static byte[] source(int rank) {
        byte[] frame = new byte[Frames.HEADER_BYTES + RequesterEncoder.BLOCK_LENGTH];
        UnsafeBuffer buffer = new UnsafeBuffer(frame);
        buffer.putInt(0, frame.length);
        new RequesterEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES, new MessageHeaderEncoder()).rank(rank);
        return frame;
    }

    @Test
    void shouldNameTheServerThatIsGoneWhenItWasOnTheWay() throws IOException {
        start(CooperationMode.FORWARD);
        try (RawClient rank = job.rank(2); RawClient lifeline = job.lifeline(2)) {
            rank.fenced(Requests.put(SEGMENT, 3, 0, 0, new byte[8]));
            job.server(3).close();
            Reply abort = lifeline.receive();
            assertEquals(AbortDecoder.TEMPLATE_ID, abort.template());
            String reason = new AbortDecoder().wrapAndApplyHeader(new UnsafeBuffer(abort.frame()),
                Frames.LENGTH_BYTES, new MessageHeaderDecoder()).reason();
            assertTrue(reason.contains("communication server of node 3 is gone"), reason);
        }
    }

    @Test
    void shouldRefuseToStartWhenGroupsDoNotFitTheJob() {
        ConfigException large = assertThrows(ConfigException.class,
            () -> TestServers.start(Topology.uniform(2, 1), "cooperation.mode=forward", "cooperation.group-size=3"));
        assertTrue(large.getMessage().contains("outside 1 to 2"), large.getMessage());
        ConfigException map = assertThrows(ConfigException.class, () -> TestServers.start(Topology.uniform(4, 1),
            "cooperation.mode=forward", "cooperation.groups=0,1,7;2,2"));
        assertTrue(map.getMessage().contains("unknown node") && map.getMessage().contains("node 3 is in no group")
            && map.getMessage().contains("named 2 times"), map.getMessage());
        ConfigException sizes = assertThrows(ConfigException.class, () -> TestServers.start(Topology.uniform(4, 1),
            "cooperation.channel-bytes=1", "cooperation.window=1h", "cooperation.bulk-threshold=2g"));
        assertEquals(3, sizes.problems().size(), sizes.getMessage());
    }

    @Test
    @ExpectsErrors("nodes of this job do not cooperate here: settings differ")
    void shouldRefuseChannelsWhenNodesDoNotCooperate() throws IOException {
        job = TestServers.start(Topology.uniform(2, 1));
        IOException refused = assertThrows(IOException.class,
            () -> job.connect(job.tcp(1), Role.CHANNEL, 0, 0).close());
        assertTrue(refused.getMessage().contains("do not cooperate"), refused.getMessage());
    }
}

package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.Topology;
import org.tributary.server.testing.RawClient;
import org.tributary.server.testing.Requests;
import org.tributary.server.testing.RingClient;
import org.tributary.server.testing.TestServers;
import org.tributary.testsupport.ExpectsErrors;
import org.tributary.wire.codec.AtomicOp;

/** Requests that ranks 0 and 1 put into their rings; rank 2 is alone on node 1, and not there. */
class RingTest {
    private static final String MALFORMED = "tributary_frames_malformed_total";
    private static final long SEGMENT = 77;
    private static final int BYTES = 1 << 16;

    private TestServers job;
    private RingClient rank;
    private RingClient other;

    @BeforeEach
    void start() throws IOException {
        job = TestServers.start(Topology.of(2, 1), "cooperation.mode=combine", "cooperation.scope=node",
            "cooperation.ring-bytes=16k", "server.receive-buffer=4k", "server.spin=0");
        rank = RingClient.rank(job, 0, 0, 0, 2);
        other = RingClient.rank(job, 1, 0, 1, 2);
        assertEquals(43, rank.ask(Requests.allocate(1, SEGMENT, 0, 0, BYTES)).template(), "Done");
    }

    @AfterEach
    void stop() throws IOException {
        rank.close();
        other.close();
        Path directory = job.directory(0);
        job.close();
        assertFalse(Files.exists(directory));
    }

    private void othersAreServed() throws IOException {
        assertEquals(1, other.ask(Requests.probe(9, 1)).value().value());
    }

    @Test
    void shouldExecuteInOrderWhenRequestsAreInTheRing() throws IOException {
        byte[] data = new byte[10_000];
        for (int i = 0; i < 20; i++) { // the ring many times over, cut anywhere
            Arrays.fill(data, (byte) i);
            rank.send(Requests.put(SEGMENT, 0, i, 0, data));
            assertArrayEquals(data, rank.ask(Requests.get(i, SEGMENT, 0, i, data.length)).data());
            assertEquals(i, rank.ask(Requests.atomic(i, SEGMENT, 0, 65_528 - 8 * i, AtomicOp.SWAP, 8, 5, 0)).value()
                .requestId());
        }
        assertEquals(20, rank.ask(Requests.fence()).ack());
        assertTrue(job.metric(0, "tributary_ring_bytes_total", "") > 200_000);
        othersAreServed();
    }

    @Test
    void shouldBeWokenWhenServerSleeps() throws IOException {
        int count = 500;
        double before = job.metric(0, "tributary_ring_wakes_total", "");
        for (int i = 0; i < count; i++) {
            rank.awaitAsleep();
            RingClient next = i % 2 == 0 ? rank : other;
            assertEquals(i, next.ask(Requests.atomic(i, SEGMENT, 0, 0, AtomicOp.FETCH_AND_ADD, 8, 1, 0)).value()
                .value());
        }
        // Not by each: a timer of the server's own may have woken it between the look and the request.
        double wakes = job.metric(0, "tributary_ring_wakes_total", "") - before;
        assertTrue(wakes >= count - count / 10, wakes + " of " + count);
    }

    @Test
    void shouldTakeNoWakeUpForPayloadWhenWokenWithinAPut() throws IOException {
        byte[] data = new byte[50_000];
        Arrays.fill(data, (byte) 7);
        byte[] put = Requests.put(SEGMENT, 0, 0, 0, data);
        for (int from = 0; from < put.length; from += 5000) {
            rank.awaitAsleep();
            rank.send(Arrays.copyOfRange(put, from, Math.min(put.length, from + 5000)));
        }
        assertArrayEquals(data, rank.ask(Requests.get(1, SEGMENT, 0, 0, data.length)).data());
    }

    /** A rank whose answers cannot leave is not read, but the server hears it when it wakes it: others rely on that. */
    @Test
    void shouldReadOnWhenAnswersLeaveAndServeOthersMeanwhile() throws IOException {
        int count = 60_000;
        byte[][] gets = new byte[count][];
        Arrays.setAll(gets, i -> Requests.get(i, SEGMENT, 0, 0, 100));
        byte[] requests = Requests.all(gets);
        int sent = 0;
        for (int stalled = 0; stalled < 50;) {
            int taken = rank.offer(requests, sent);
            sent += taken;
            stalled = taken > 0 ? 0 : stalled + 1;
            othersAreServed();
        }
        assertTrue(sent < requests.length, "the server takes requests without end while answers cannot leave");
        for (int i = 0; i < count; i++) {
            assertEquals(i, rank.socket().receive().dataRequest());
            sent += sent < requests.length ? rank.offer(requests, sent) : 0;
        }
        assertEquals(0, rank.ask(Requests.fence()).ack());
    }

    @Test
    void shouldServeOthersWhenOnlyARankThatIsNotReadWakesTheServer() throws IOException {
        byte[] gets = Requests.all(Requests.get(1, SEGMENT, 0, 0, BYTES), Requests.get(2, SEGMENT, 0, 0, BYTES));
        int answers = 0;
        int sent = 0;
        for (int i = 0; i < 200; i++) { // more than the socket and the server hold
            sent = sent == gets.length ? 0 : sent;
            rank.awaitAsleep();
            int taken = rank.offer(gets, sent); // wakes the server, which sleeps again without reading the ring
            sent += taken;
            answers += sent == gets.length ? 2 : 0;
            othersAreServed();
        }
        assertTrue(answers > 0);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 16_385 + 1000, Long.MIN_VALUE, Long.MAX_VALUE})
    void shouldCloseAndCountWhenTailCannotBe(long tail) throws IOException {
        double before = job.metric(0, MALFORMED, "");
        rank.forgeTail(tail);
        rank.socket().awaitClosed();
        assertEquals(before + 1, job.metric(0, MALFORMED, ""));
        othersAreServed();
        assertTrue(job.termination(0).reason().contains("rank 0 (node 0"), job.termination(0).reason());
        assertTrue(job.termination(0).reason().contains("ring 0 of " + job.directory(0).resolve("rings")
            + " is damaged: its tail is " + tail), job.termination(0).reason());
        assertTrue(job.log().with("internal error").isEmpty());
    }

    @Test
    @ExpectsErrors("closed LOCAL_RANK of rank 0 .*: frame of 1515870810 bytes")
    void shouldCloseAndCountOnceWhenWhatIsInTheRingIsNoFrame() throws IOException {
        double before = job.metric(0, MALFORMED, "");
        byte[] nonsense = new byte[12_000];
        Arrays.fill(nonsense, (byte) 0x5A);
        rank.send(nonsense);
        rank.socket().awaitClosed();
        othersAreServed();
        assertEquals(before + 1, job.metric(0, MALFORMED, ""));
    }

    @Test
    @ExpectsErrors("closed LOCAL_RANK of rank 0 .* over the connection, not in the ring")
    void shouldCloseAndCountWhenRequestsComeOverTheConnectionAsWell() throws IOException {
        double before = job.metric(0, MALFORMED, "");
        rank.socket().send(Requests.fence());
        rank.socket().awaitClosed();
        othersAreServed();
        assertEquals(before + 1, job.metric(0, MALFORMED, ""));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 7, 40, 200})
    void shouldBeTheDeathOfTheRankWhenItStopsWithinARequest(int sent) throws IOException {
        byte[] put = Requests.put(SEGMENT, 0, 0, 0, new byte[300]);
        rank.send(Arrays.copyOf(put, sent));
        othersAreServed();
        rank.socket().close();
        String reason = job.termination(0).reason();
        assertTrue(reason.contains("rank 0 (node 0"), reason);
        assertTrue(reason.contains("ended without leaving the job"), reason);
        othersAreServed();
        assertTrue(job.log().with("internal error").isEmpty());
    }

    @Test
    void shouldEndInGoodOrderWhenGoodbyeIsInTheRing() throws IOException {
        rank.send(Requests.all(Requests.put(SEGMENT, 0, 0, 0, new byte[300]), Requests.goodbye(0)));
        other.send(Requests.goodbye(1));
        try (RawClient alone = job.rank(2)) {
            alone.send(Requests.goodbye(2));
            assertTrue(job.termination(0).clean());
        }
        assertEquals(1, job.metric(0, "tributary_requests_total", "operation=\"put\""));
    }

    @Test
    void shouldTakeRequestsOverTheConnectionWhenARankUsesNoRing() throws IOException {
        try (RawClient alone = job.rank(2)) {
            assertEquals(0, alone.fenced());
            alone.send(Requests.goodbye(2));
        }
    }

    @Test
    @ExpectsErrors("rank 0 uses a ring, and there are none: settings differ")
    void shouldCloseAndCountWhenThereAreNoRings() throws IOException {
        try (TestServers without = TestServers.start(Topology.of(1)); RawClient alone = without.rank(0)) {
            alone.send(Requests.wake());
            alone.awaitClosed();
            assertEquals(1, without.metric(0, MALFORMED, ""));
        }
    }
}

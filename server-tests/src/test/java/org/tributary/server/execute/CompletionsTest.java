package org.tributary.server.execute;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tributary.config.Topology;
import org.tributary.server.testing.RawClient;
import org.tributary.server.testing.Reply;
import org.tributary.server.testing.Requests.Level;
import org.tributary.server.testing.Requests;
import org.tributary.server.testing.TestServers;
import org.tributary.server.testing.Words;
import org.tributary.testsupport.OneAndSeveralThreads;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.ElementCode;
import org.tributary.wire.codec.ErrorCode;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.codec.ReduceCode;
import org.tributary.wire.codec.SignalOp;
import org.tributary.wire.shm.ControlFile;
import org.tributary.wire.shm.Doorbell;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.shm.WindowLayout;

/** What follows the execution of a request in the control words of a window. */
@OneAndSeveralThreads
class CompletionsTest {
    private static final long DATA = 5;
    private static final long WINDOW = 6;
    private static final int PART = 8 << 20;
    private static final Level[] LEVELS = {new Level(16, 2)};

    private TestServers job;
    private RawClient owner;
    private RawClient origin;
    private RawClient other;
    private Words words;

    @BeforeEach
    void start() throws IOException {
        job = TestServers.start(Topology.of(1, 2), "job.grace=0");
        owner = job.rank(0);
        origin = job.remote(1, 0);
        other = job.remote(2, 0);
        owner.done(Requests.allocate(1, DATA, 0, 0, PART));
        owner.done(Requests.allocate(1, WINDOW, 2, 0, WindowLayout.bytes(3)));
        words = Words.of(job, 0, WINDOW);
    }

    @AfterEach
    void stop() {
        job.close();
    }

    private static byte[] fence(byte... request) {
        return Requests.then(request, Frames.THEN_COUNT_FENCE, WINDOW);
    }

    private static byte[][] oneWay() {
        return new byte[][] {Requests.put(DATA, 0, 0, 0, new byte[9]),
            Requests.putStrided(DATA, 0, 0, 0, 8, LEVELS, new byte[16]),
            Requests.putVector(DATA, 0, 0, Requests.entry(8, 3, new byte[3])),
            Requests.accumulate(DATA, 0, 0, 0, ElementCode.LONG, 1, new byte[8]),
            Requests.accumulateStrided(DATA, 0, 0, ElementCode.LONG, 1, 8, LEVELS, new byte[16]),
            Requests.accumulateVector(DATA, 0, ElementCode.LONG, 1, Requests.entry(8, 8, new byte[8]))};
    }

    private static byte[][] gets() {
        return new byte[][] {Requests.get(1, DATA, 0, 0, 9), Requests.getStrided(1, DATA, 0, 0, 8, LEVELS),
            Requests.getVector(1, DATA, 0, Requests.entry(8, 3)),
            Requests.getAccumulate(1, DATA, 0, 0, ElementCode.LONG, ReduceCode.NO_OP, new byte[8])};
    }

    @Test
    void shouldCountEachRequestOnceWhenItIsExecuted() throws IOException {
        int count = 0;
        for (byte[] request : oneWay()) {
            origin.fenced(fence(request));
            assertEquals(++count, words.get(WindowLayout.FENCE_COUNT));
        }
        for (byte[] request : gets()) {
            origin.ask(fence(request)).data();
            assertEquals(0, origin.skipAfterFence());
            assertEquals(++count, words.get(WindowLayout.FENCE_COUNT));
        }
        origin.fenced(Requests.then(oneWay()[0], Frames.thenCountExposure(2), WINDOW));
        assertEquals(1, words.get(WindowLayout.ends(2)));
        assertEquals(count, words.get(WindowLayout.FENCE_COUNT));
    }

    @Test
    void shouldWakeTheTargetWhenItIsCounted() throws IOException, InterruptedException {
        Doorbell doorbell = ControlFile.open(new NodeDirectory(job.directory(0)).control(), Arena.ofAuto()).doorbell(0);
        CountDownLatch looked = new CountDownLatch(1);
        Thread sleeper = Thread.ofPlatform().daemon().start(() -> doorbell.sleep(() -> {
            looked.countDown();
            return words.get(WindowLayout.FENCE_COUNT) > 0;
        }, TimeUnit.SECONDS.toNanos(1000)));
        assertTrue(looked.await(200, TimeUnit.SECONDS));
        origin.fenced(fence(Requests.put(DATA, 0, 0, 0, (byte) 1)));
        assertTrue(sleeper.join(Duration.ofSeconds(200)), "nobody rang");
    }

    @Test
    void shouldCountRefusedRequestsTooSoThatTheTargetDoesNotWait() throws IOException {
        byte[][] refused = {Requests.put(DATA, 0, PART, 0, new byte[9]), Requests.get(1, DATA, 0, PART, 9),
            Requests.putStrided(99, 0, 0, 0, 8, LEVELS, new byte[16]), Requests.getStrided(1, 99, 0, 0, 8, LEVELS),
            Requests.getVector(1, DATA, 0, Requests.entry(PART, 3)),
            Requests.accumulate(DATA, 0, 4, 0, ElementCode.LONG, 1, new byte[8]),
            Requests.accumulateVector(99, 0, ElementCode.LONG, 1, Requests.entry(8, 8, new byte[8])),
            Requests.getAccumulate(1, DATA, 0, 4, ElementCode.LONG, ReduceCode.SUM, new byte[8]),
            Requests.getAccumulate(1, DATA, 0, 0, ElementCode.LONG, ReduceCode.SUM,
                new byte[Frames.MAX_HELD_PAYLOAD + 8])};
        for (int i = 0; i < refused.length; i++) {
            origin.ask(fence(refused[i])).error();
            origin.skipAfterFence();
            assertEquals(i + 1, words.get(WindowLayout.FENCE_COUNT), "request " + i);
        }
        origin.ask(fence(Requests.putVector(DATA, 0, 0, Requests.all(Requests.entry(PART, 1, (byte) 1),
            Requests.entry(0, 1, (byte) 1))))).error();
        origin.skipAfterFence();
        assertEquals(refused.length + 1, words.get(WindowLayout.FENCE_COUNT));
    }

    @Test
    void shouldExecuteButRefuseTheRestWhenItCannotBe() throws IOException {
        byte[] put = Requests.put(DATA, 0, 0, 0, (byte) 7);
        assertEquals(ErrorCode.SEGMENT_UNKNOWN,
            origin.ask(Requests.then(put, Frames.THEN_COUNT_FENCE, 99)).error().code());
        assertEquals(ErrorCode.BAD_REQUEST,
            origin.ask(Requests.then(put, Frames.THEN_COUNT_FENCE, DATA)).error().code());
        assertEquals(ErrorCode.BAD_REQUEST, origin.ask(Requests.then(put, 0x50, WINDOW)).error().code());
        assertEquals(ErrorCode.LOCK_NOT_HELD,
            origin.ask(Requests.then(put, Frames.THEN_UNLOCK_SHARED, WINDOW)).error().code());
        Reply reply = origin.ask(Requests.then(put, Frames.THEN_UNLOCK_EXCLUSIVE, WINDOW));
        assertEquals(ErrorCode.LOCK_NOT_HELD, reply.error().code());
        assertEquals(Frames.NO_REQUEST, reply.error().requestId());
        assertArrayEquals(new byte[] {7}, origin.ask(Requests.get(1, DATA, 0, 0, 1)).data());
        assertEquals(5, origin.fenced(), "all were executed");
        assertEquals(0, words.get(WindowLayout.FENCE_COUNT));
    }

    @Test
    void shouldReleaseTheLockOnlyWhenThePayloadIsComplete() throws IOException {
        assertEquals(1, origin.ask(Requests.lockWindow(1, WINDOW, 0, LockMode.EXCLUSIVE, false)).value().value());
        other.send(Requests.lockWindow(2, WINDOW, 0, LockMode.SHARED, false));
        job.awaitMetric(0, "tributary_window_waiting", 1);
        byte[] put = Requests.then(Requests.put(DATA, 0, 0, 0, new byte[100_000]), Frames.THEN_UNLOCK_EXCLUSIVE,
            WINDOW);
        origin.send(put, 0, 99_999);
        owner.fenced();
        assertEquals(1, job.metric(0, "tributary_window_waiting", ""));
        origin.send(put, 99_999, put.length - 99_999);
        assertEquals(1, other.receive().value().value());
        other.ask(Requests.then(Requests.get(3, DATA, 0, 0, 9), Frames.THEN_UNLOCK_SHARED, WINDOW)).data();
        assertEquals(0, other.skipAfterFence());
        assertEquals(0, words.get(WindowLayout.LOCK));
    }

    @Test
    void shouldNotCountLargeGetBeforeItsDataHasLeft() throws IOException {
        byte[] before = new byte[PART];
        Arrays.fill(before, (byte) 3);
        owner.fenced(Requests.put(DATA, 0, 0, 0, before));
        origin.send(Requests.all(Requests.then(Requests.get(1, DATA, 0, 0, PART), Frames.THEN_COUNT_FENCE, WINDOW),
            Requests.then(Requests.put(DATA, 0, 0, 0, (byte) 1), Frames.thenCountExposure(2), WINDOW)));
        for (int i = 0; i < 20; i++) {
            owner.fenced();
        }
        assertEquals(0, words.get(WindowLayout.FENCE_COUNT), "nobody has read the data yet");
        assertEquals(0, words.get(WindowLayout.ends(2)), "later requests wait");
        assertArrayEquals(before, origin.receive().data());
        assertEquals(1, origin.fenced());
        assertEquals(1, words.get(WindowLayout.FENCE_COUNT));
        assertEquals(1, words.get(WindowLayout.ends(2)));
    }

    @Test
    void shouldHoldTheLockUntilTheDataOfALargeGetHasLeft() throws IOException {
        assertEquals(1, origin.ask(Requests.lockWindow(1, WINDOW, 0, LockMode.SHARED, false)).value().value());
        origin.send(Requests.then(Requests.get(2, DATA, 0, 0, PART), Frames.THEN_UNLOCK_SHARED, WINDOW));
        byte[] after = {1, 2, 3};
        other.send(Requests.lockedPut(3, WINDOW, LockMode.EXCLUSIVE, DATA, 0, PART - 3, after));
        job.awaitMetric(0, "tributary_window_waiting", 1);
        assertArrayEquals(new byte[PART], origin.receive().data());
        assertEquals(3, other.receive().done());
        assertArrayEquals(after, other.ask(Requests.get(4, DATA, 0, PART - 3, 3)).data());
    }

    @Test
    void shouldBeTouchedByCountsSignalsAndLocksOnlyWhenItIsAWindow() throws IOException {
        byte[][] refused = {Requests.put(WINDOW, 0, 0, 0, new byte[8]), Requests.get(1, WINDOW, 0, 0, 8),
            Requests.accumulate(WINDOW, 0, 0, 0, ElementCode.LONG, 1, new byte[8]),
            Requests.atomic(1, WINDOW, 0, 0, org.tributary.wire.codec.AtomicOp.SWAP, 8, 1, 1),
            Requests.getAccumulate(1, WINDOW, 0, 0, ElementCode.LONG, ReduceCode.SUM, new byte[8]),
            Requests.lockedPut(1, WINDOW, LockMode.SHARED, WINDOW, 0, 0, new byte[8]),
            Requests.lock(1, WINDOW, 0, 0, false), Requests.signal(WINDOW, 0, WindowLayout.LOCK, SignalOp.SET, 1)};
        for (byte[] request : refused) {
            assertEquals(ErrorCode.BAD_REQUEST, origin.ask(request).error().code());
        }
        origin.fenced(Requests.signal(WINDOW, 0, WindowLayout.posts(2), SignalOp.ADD, 1));
        assertEquals(1, words.get(WindowLayout.posts(2)));
        assertEquals(ErrorCode.OUT_OF_BOUNDS,
            origin.ask(Requests.signal(WINDOW, 0, WindowLayout.bytes(3), SignalOp.ADD, 1)).error().code());
        assertEquals(0, words.get(0));
        assertEquals(0, words.get(WindowLayout.LOCK));
        assertEquals(ErrorCode.BAD_REQUEST, owner.ask(Requests.allocate(1, 9, 2, 0, 120)).error().code());
    }
}

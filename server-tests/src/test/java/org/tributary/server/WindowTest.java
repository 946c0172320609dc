package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tributary.config.Topology;
import org.tributary.server.testing.RawClient;
import org.tributary.server.testing.Requests;
import org.tributary.server.testing.TestServers;
import org.tributary.server.testing.Words;
import org.tributary.testsupport.OneAndSeveralThreads;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.ElementCode;
import org.tributary.wire.codec.ErrorCode;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.codec.ReduceCode;
import org.tributary.wire.shm.WindowLayout;
import org.tributary.wire.shm.WindowLock;

/** Locks of windows over connections, operations that travel with them, and those that return what was there. */
@OneAndSeveralThreads
class WindowTest {
    private static final long DATA = 5;
    private static final long WINDOW = 6;
    private static final int PART = 1 << 16;
    private static final String WAITING = "tributary_window_waiting";

    private TestServers job;
    private RawClient rank0;
    private RawClient rank1;
    private RawClient rank2;
    private RawClient rank3;
    private RawClient rank4;
    private Words words;

    @BeforeEach
    void start() throws IOException {
        job = TestServers.start(Topology.of(2, 3), "job.grace=0");
        rank0 = job.rank(0);
        rank1 = job.rank(1);
        rank2 = job.remote(2, 0);
        rank3 = job.remote(3, 0);
        rank4 = job.remote(4, 0);
        rank0.done(Requests.allocate(1, DATA, 0, 0, PART, PART));
        rank0.done(Requests.allocate(1, WINDOW, 2, 0, WindowLayout.bytes(5), WindowLayout.bytes(5)));
        words = Words.of(job, 0, WINDOW);
    }

    @AfterEach
    void stop() {
        job.close();
    }

    private static byte[] request(LockMode mode) {
        return Requests.lockWindow(7, WINDOW, 0, mode, false);
    }

    private static void granted(RawClient client) throws IOException {
        assertEquals(1, client.receive().value().value());
    }

    private static void lock(RawClient client, LockMode mode) throws IOException {
        assertEquals(1, client.ask(request(mode)).value().value());
    }

    private static long attempt(RawClient client, LockMode mode) throws IOException {
        return client.ask(Requests.lockWindow(7, WINDOW, 0, mode, true)).value().value();
    }

    private void wait(RawClient client, int waiting, byte... request) throws IOException {
        client.send(request);
        job.awaitMetric(0, WAITING, waiting);
    }

    private static void unlock(RawClient client, LockMode mode) throws IOException {
        client.fenced(Requests.unlockWindow(WINDOW, 0, mode, 0));
    }

    private static ErrorCode error(RawClient client, byte... request) throws IOException {
        return client.ask(request).error().code();
    }

    private static byte[] longs(long... values) {
        ByteBuffer bytes = ByteBuffer.allocate(8 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        for (long value : values) {
            bytes.putLong(value);
        }
        return bytes.array();
    }

    private byte[] read(long offset, int length) throws IOException {
        return rank1.ask(Requests.get(9, DATA, 0, offset, length)).data();
    }

    @Test
    void shouldGrantInOrderAndReadersTogetherWhenSeveralWait() throws IOException {
        lock(rank0, LockMode.SHARED);
        lock(rank2, LockMode.SHARED);
        wait(rank3, 1, request(LockMode.EXCLUSIVE));
        wait(rank4, 2, request(LockMode.SHARED)); // does not overtake the writer
        wait(rank1, 3, request(LockMode.SHARED));
        assertEquals(1, rank2.ask(Requests.lockWindow(8, WINDOW, 1, LockMode.EXCLUSIVE, true)).value().value(),
            "the lock of another part");
        unlock(rank0, LockMode.SHARED);
        job.awaitMetric(0, WAITING, 3);
        unlock(rank2, LockMode.SHARED);
        granted(rank3);
        assertEquals(3, WindowLock.exclusiveHolder(words.memory()));
        unlock(rank3, LockMode.EXCLUSIVE);
        granted(rank4);
        granted(rank1);
        job.awaitMetric(0, WAITING, 0);
        assertEquals(0, attempt(rank3, LockMode.EXCLUSIVE));
        assertEquals(1, attempt(rank3, LockMode.SHARED));
        unlock(rank3, LockMode.SHARED);
        unlock(rank1, LockMode.SHARED);
        unlock(rank4, LockMode.SHARED);
        assertEquals(0, words.get(WindowLayout.LOCK));
    }

    /** The writer may wait, through others, for what the reader holds. */
    @Test
    void shouldLetAReaderOvertakeAWriterWhenItHoldsAnotherLock() throws IOException {
        lock(rank0, LockMode.SHARED);
        wait(rank3, 1, request(LockMode.EXCLUSIVE));
        assertEquals(1, rank2.ask(Requests.lockWindowBesideOther(7, WINDOW, 0, LockMode.SHARED)).value().value());
        unlock(rank0, LockMode.SHARED);
        job.awaitMetric(0, WAITING, 1);
        unlock(rank2, LockMode.SHARED);
        granted(rank3);
        wait(rank4, 1, request(LockMode.EXCLUSIVE));
        wait(rank2, 2, Requests.lockWindowBesideOther(7, WINDOW, 0, LockMode.SHARED));
        wait(rank0, 3, Requests.lockWindowBesideOther(7, WINDOW, 0, LockMode.EXCLUSIVE));
        unlock(rank3, LockMode.EXCLUSIVE);
        granted(rank2);
        unlock(rank2, LockMode.SHARED);
        granted(rank4);
        unlock(rank4, LockMode.EXCLUSIVE);
        granted(rank0);
        unlock(rank0, LockMode.EXCLUSIVE);
        assertEquals(0, words.get(WindowLayout.LOCK));
    }

    @Test
    void shouldPassOnWhenARankOfTheNodeTookTheWordByItself() throws IOException {
        assertTrue(WindowLock.tryAcquire(words.memory(), LockMode.SHARED, 0));
        wait(rank2, 1, request(LockMode.EXCLUSIVE));
        assertEquals(false, WindowLock.tryRelease(words.memory(), LockMode.SHARED, 0), "the server has to be told");
        unlock(rank0, LockMode.SHARED);
        granted(rank2);
        assertEquals(false, WindowLock.tryAcquire(words.memory(), LockMode.SHARED, 0));
        wait(rank0, 1, request(LockMode.EXCLUSIVE));
        unlock(rank2, LockMode.EXCLUSIVE);
        granted(rank0);
        assertTrue(WindowLock.tryRelease(words.memory(), LockMode.EXCLUSIVE, 0));
    }

    @Test
    void shouldRefuseWhenLockIsNotHeldOrHeldAlready() throws IOException {
        lock(rank2, LockMode.SHARED);
        assertEquals(ErrorCode.LOCK_ALREADY_HELD, error(rank2, request(LockMode.SHARED)));
        assertEquals(ErrorCode.LOCK_ALREADY_HELD, error(rank2, request(LockMode.EXCLUSIVE)));
        assertEquals(ErrorCode.LOCK_ALREADY_HELD,
            error(rank2, Requests.lockedPut(1, WINDOW, LockMode.SHARED, DATA, 0, 0, (byte) 1)));
        assertEquals(ErrorCode.LOCK_NOT_HELD, error(rank2, Requests.unlockWindow(WINDOW, 0, LockMode.EXCLUSIVE, 0)));
        assertEquals(ErrorCode.LOCK_NOT_HELD, error(rank3, Requests.unlockWindow(WINDOW, 0, LockMode.SHARED, 0)));
        assertEquals(ErrorCode.LOCK_NOT_HELD, error(rank0, Requests.unlockWindow(WINDOW, 0, LockMode.SHARED, 0)));
        assertEquals(1, rank2.ask(Requests.unlockWindow(WINDOW, 0, LockMode.SHARED, Frames.FLAG_ACK)).ack() - 1);
        assertEquals(ErrorCode.SEGMENT_UNKNOWN, error(rank2, Requests.lockWindow(1, 9, 0, LockMode.SHARED, true)));
        assertEquals(ErrorCode.BAD_REQUEST, error(rank2, Requests.lockWindow(1, DATA, 0, LockMode.SHARED, true)));
        assertEquals(ErrorCode.RANK_UNKNOWN, error(rank2, Requests.lockWindow(1, WINDOW, 2, LockMode.SHARED, true)));
        assertEquals(ErrorCode.BAD_REQUEST, error(rank2, Requests.lockWindow(1, WINDOW, 0, LockMode.NULL_VAL, true)));
        assertEquals(ErrorCode.BAD_REQUEST, error(rank2, Requests.unlockWindow(WINDOW, 0, LockMode.NULL_VAL, 0)));
        assertEquals(0, words.get(WindowLayout.LOCK));
    }

    @Test
    void shouldPassOnWhenHoldersAreGone() throws IOException {
        lock(rank2, LockMode.SHARED);
        lock(rank3, LockMode.SHARED);
        wait(rank4, 1, request(LockMode.EXCLUSIVE));
        rank2.send(Requests.goodbye(2));
        rank3.close();
        granted(rank4);
        wait(rank1, 1, request(LockMode.SHARED));
        rank4.close();
        granted(rank1);
        job.awaitMetric(0, WAITING, 0);
    }

    /** What other event loops have taken by themselves, the main one does not know before. */
    @Test
    void shouldFreeWhatNobodyWaitedForWhenItsHoldersAreGone() throws IOException {
        lock(rank2, LockMode.EXCLUSIVE);
        assertEquals(2, WindowLock.exclusiveHolder(words.memory()));
        rank2.close();
        lock(rank3, LockMode.SHARED);
        lock(rank4, LockMode.SHARED);
        rank3.send(Requests.goodbye(3));
        rank4.close();
        lock(rank1, LockMode.EXCLUSIVE);
        unlock(rank1, LockMode.EXCLUSIVE);
        assertEquals(0, words.get(WindowLayout.LOCK));
    }

    @Test
    void shouldPassOnWhenAHolderIsGoneThatHasReleasedAndTakenOthers() throws IOException {
        lock(rank2, LockMode.EXCLUSIVE);
        wait(rank3, 1, request(LockMode.SHARED));
        unlock(rank2, LockMode.EXCLUSIVE); // by the main loop, as somebody waits
        granted(rank3);
        lock(rank2, LockMode.SHARED);
        assertEquals(1, rank2.ask(Requests.lockWindow(8, WINDOW, 1, LockMode.EXCLUSIVE, false)).value().value());
        wait(rank4, 1, request(LockMode.EXCLUSIVE));
        rank2.close();
        unlock(rank3, LockMode.SHARED);
        granted(rank4);
        assertEquals(1, rank3.ask(Requests.lockWindow(8, WINDOW, 1, LockMode.EXCLUSIVE, false)).value().value());
        unlock(rank4, LockMode.EXCLUSIVE);
        assertEquals(0, words.get(WindowLayout.LOCK));
    }

    @Test
    void shouldHaveDoneThePutWhenItsLockIsFree() throws IOException {
        lock(rank2, LockMode.EXCLUSIVE);
        rank2.send(Requests.then(Requests.put(DATA, 0, 0, 0, longs(5)), Frames.THEN_UNLOCK_EXCLUSIVE, WINDOW));
        lock(rank3, LockMode.SHARED); // waits, or not
        assertArrayEquals(longs(5), rank3.ask(Requests.get(9, DATA, 0, 0, 8)).data());
        wait(rank2, 1, Requests.lockedPut(4, WINDOW, LockMode.EXCLUSIVE, DATA, 0, 0, longs(6)));
        assertArrayEquals(longs(5), rank3.ask(Requests.get(9, DATA, 0, 0, 8)).data());
        unlock(rank3, LockMode.SHARED);
        assertEquals(4, rank2.receive().done());
        assertArrayEquals(longs(6), read(0, 8));
        lock(rank3, LockMode.EXCLUSIVE);
        unlock(rank3, LockMode.EXCLUSIVE);
        assertEquals(0, words.get(WindowLayout.LOCK));
    }

    @Test
    void shouldForgetWhoHeldALockWhenItsWindowIsFreed() throws IOException {
        lock(rank2, LockMode.SHARED);
        lock(rank3, LockMode.SHARED);
        rank0.done(Requests.free(1, WINDOW));
        rank0.done(Requests.allocate(1, WINDOW, 2, 0, WindowLayout.bytes(5), WindowLayout.bytes(5))); // another one
        words = Words.of(job, 0, WINDOW);
        assertEquals(ErrorCode.LOCK_NOT_HELD, error(rank2, Requests.unlockWindow(WINDOW, 0, LockMode.SHARED, 0)));
        rank3.close();
        lock(rank2, LockMode.EXCLUSIVE);
        unlock(rank2, LockMode.EXCLUSIVE);
        lock(rank4, LockMode.EXCLUSIVE);
        unlock(rank4, LockMode.EXCLUSIVE);
        assertEquals(0, words.get(WindowLayout.LOCK));
    }

    @Test
    void shouldGrantToReadersBehindWhenAWaitingWriterIsGone() throws IOException {
        lock(rank0, LockMode.SHARED);
        wait(rank2, 1, request(LockMode.EXCLUSIVE));
        wait(rank3, 2, Requests.lockedPut(1, WINDOW, LockMode.SHARED, DATA, 0, 0, (byte) 5));
        wait(rank4, 3, request(LockMode.SHARED));
        rank2.close();
        assertEquals(1, rank3.receive().done());
        granted(rank4);
        assertEquals(2, WindowLock.sharedHolders(words.memory()));
    }

    @Test
    void shouldExecuteAtOnceWhenTheLockOfAnOperationIsFree() throws IOException {
        byte[] data = {1, 2, 3};
        assertEquals(4, rank2.ask(Requests.lockedPut(4, WINDOW, LockMode.EXCLUSIVE, DATA, 0, 8, data)).done());
        assertArrayEquals(data, rank2.ask(Requests.lockedGet(5, WINDOW, LockMode.SHARED, DATA, 0, 8, 3)).data());
        rank2.ask(Requests.lockedPut(6, WINDOW, LockMode.EXCLUSIVE, DATA, 0, 16, longs(40, -3))).done();
        rank2.ask(Requests.lockedAccumulate(6, WINDOW, LockMode.SHARED, DATA, 0, 16, ElementCode.LONG,
            ReduceCode.MAX, 0, longs(7, 7))).done();
        rank2.ask(Requests.lockedAccumulate(6, WINDOW, LockMode.SHARED, DATA, 0, 16, ElementCode.LONG,
            ReduceCode.SUM, 2, longs(1, 2))).done();
        assertArrayEquals(longs(42, 11), read(16, 16));
        byte[] longest = new byte[Frames.MAX_HELD_PAYLOAD];
        java.util.Arrays.fill(longest, (byte) 9);
        rank2.ask(Requests.lockedPut(7, WINDOW, LockMode.EXCLUSIVE, DATA, 0, 1, longest)).done();
        assertArrayEquals(longest,
            rank2.ask(Requests.lockedGet(8, WINDOW, LockMode.SHARED, DATA, 0, 1, longest.length)).data());
        rank2.ask(Requests.lockedPut(9, WINDOW, LockMode.SHARED, DATA, 0, 0)).done();
        assertEquals(0, words.get(WindowLayout.LOCK));
        for (String operation : new String[] {"locked_put=4", "locked_get=2", "locked_accumulate=2"}) {
            assertEquals(Integer.parseInt(operation.substring(operation.indexOf('=') + 1)), job.metric(0,
                "tributary_requests_total", "operation=\"" + operation.substring(0, operation.indexOf('=')) + "\""));
        }
    }

    @Test
    void shouldHoldOperationsInOrderWhenTheirLockIsTaken() throws IOException {
        lock(rank0, LockMode.EXCLUSIVE);
        wait(rank2, 1, Requests.lockedPut(1, WINDOW, LockMode.EXCLUSIVE, DATA, 0, 0, longs(5)));
        wait(rank2, 2, Requests.lockedAccumulate(2, WINDOW, LockMode.EXCLUSIVE, DATA, 0, 0, ElementCode.LONG,
            ReduceCode.PRODUCT, 0, longs(3)));
        wait(rank3, 3, Requests.lockedGet(3, WINDOW, LockMode.SHARED, DATA, 0, 0, 8));
        wait(rank2, 4, request(LockMode.EXCLUSIVE));
        assertEquals(0, rank4.fenced(), "others are served");
        assertArrayEquals(longs(0), read(0, 8));
        unlock(rank0, LockMode.EXCLUSIVE);
        assertEquals(1, rank2.receive().done());
        assertEquals(2, rank2.receive().done());
        assertArrayEquals(longs(15), rank3.receive().data());
        granted(rank2);
        unlock(rank2, LockMode.EXCLUSIVE);
        assertEquals(0, words.get(WindowLayout.LOCK));
        job.awaitMetric(0, WAITING, 0);
    }

    @Test
    void shouldGoOnWhenSegmentIsFreedWhileAnOperationWaits() throws IOException {
        lock(rank0, LockMode.EXCLUSIVE);
        wait(rank2, 1, Requests.lockedPut(1, WINDOW, LockMode.EXCLUSIVE, DATA, 0, 0, longs(5)));
        rank0.done(Requests.free(1, DATA));
        rank0.done(Requests.allocate(1, DATA, 0, 0, PART, PART)); // another segment of the same name
        unlock(rank0, LockMode.EXCLUSIVE);
        assertEquals(1, rank2.receive().done());
        assertArrayEquals(longs(0), read(0, 8));
        rank0.done(Requests.free(1, WINDOW));
    }

    @Test
    void shouldTellThoseThatWaitWhenTheWindowIsFreed() throws IOException {
        lock(rank0, LockMode.EXCLUSIVE);
        wait(rank2, 1, Requests.lockedPut(1, WINDOW, LockMode.EXCLUSIVE, DATA, 0, 0, longs(5)));
        wait(rank3, 2, request(LockMode.SHARED));
        rank0.done(Requests.free(1, WINDOW));
        assertEquals(ErrorCode.SEGMENT_UNKNOWN, rank2.receive().error().code());
        assertEquals(ErrorCode.SEGMENT_UNKNOWN, rank3.receive().error().code());
        job.awaitMetric(0, WAITING, 0);
        assertArrayEquals(longs(0), read(0, 8));
        rank0.done(Requests.free(1, DATA));
    }

    @Test
    void shouldRefuseWhenOperationWithLockCannotBe() throws IOException {
        byte[] tooLong = new byte[Frames.MAX_HELD_PAYLOAD + 1];
        LockMode mode = LockMode.SHARED;
        assertEquals(ErrorCode.BAD_REQUEST, error(rank2, Requests.lockedPut(1, WINDOW, mode, DATA, 0, 0, tooLong)));
        assertEquals(ErrorCode.BAD_REQUEST,
            error(rank2, Requests.lockedGet(1, WINDOW, mode, DATA, 0, 0, tooLong.length)));
        assertEquals(ErrorCode.OUT_OF_BOUNDS, error(rank2, Requests.lockedGet(1, WINDOW, mode, DATA, 0, 0, -1)));
        assertEquals(ErrorCode.OUT_OF_BOUNDS,
            error(rank2, Requests.lockedPut(1, WINDOW, mode, DATA, 0, PART - 1, new byte[2])));
        assertEquals(ErrorCode.SEGMENT_UNKNOWN, error(rank2, Requests.lockedPut(1, 9, mode, DATA, 0, 0, (byte) 1)));
        assertEquals(ErrorCode.SEGMENT_UNKNOWN, error(rank2, Requests.lockedPut(1, WINDOW, mode, 9, 0, 0, (byte) 1)));
        assertEquals(ErrorCode.BAD_REQUEST,
            error(rank2, Requests.lockedPut(1, WINDOW, LockMode.NULL_VAL, DATA, 0, 0, (byte) 1)));
        assertEquals(ErrorCode.BAD_REQUEST, error(rank2, Requests.lockedAccumulate(1, WINDOW, mode, DATA, 0, 0,
            ElementCode.DOUBLE, ReduceCode.BITWISE_OR, 0, new byte[8])));
        assertEquals(ErrorCode.BAD_REQUEST, error(rank2, Requests.lockedAccumulate(1, WINDOW, mode, DATA, 0, 0,
            ElementCode.LONG, ReduceCode.COMPARE_AND_SWAP, 0, new byte[8])));
        assertEquals(ErrorCode.MISALIGNED, error(rank2, Requests.lockedAccumulate(1, WINDOW, mode, DATA, 0, 4,
            ElementCode.LONG, ReduceCode.SUM, 1, new byte[8])));
        assertEquals(0, rank2.fenced());
        assertEquals(0, words.get(WindowLayout.LOCK));
        assertArrayEquals(new byte[PART], read(0, PART));
    }

    @Test
    void shouldCombineWhenAccumulatesAreOfAnyKind() throws IOException {
        rank2.fenced(Requests.put(DATA, 0, 0, 0, longs(6, 10)),
            Requests.reduced(Requests.accumulate(DATA, 0, 0, 0, ElementCode.LONG, 9, longs(3, 3)),
                ReduceCode.BITWISE_AND),
            Requests.reduced(Requests.accumulateVector(DATA, 0, ElementCode.LONG, 9, Requests.entry(8, 8, longs(8))),
                ReduceCode.BITWISE_XOR),
            Requests.reduced(Requests.accumulateStrided(DATA, 0, 0, ElementCode.LONG, 9, 8,
                new Requests.Level[] {new Requests.Level(16, 2)}, longs(-1, 44)), ReduceCode.REPLACE));
        assertArrayEquals(longs(-1, 10, 44), read(0, 24));
        for (ReduceCode op : new ReduceCode[] {ReduceCode.COMPARE_AND_SWAP, ReduceCode.NULL_VAL}) {
            assertEquals(ErrorCode.BAD_REQUEST, error(rank2,
                Requests.reduced(Requests.accumulate(DATA, 0, 0, 0, ElementCode.LONG, 1, longs(3)), op)));
        }
        assertEquals(ErrorCode.BAD_REQUEST, error(rank2, Requests.reduced(
            Requests.accumulate(DATA, 0, 0, 0, ElementCode.COMPLEX_DOUBLE, 1, longs(3, 4)), ReduceCode.MIN)));
        assertArrayEquals(longs(-1, 10, 44), read(0, 24));
    }

    @Test
    void shouldAnswerWithWhatWasThereWhenElementsAreFetched() throws IOException {
        rank2.fenced(Requests.put(DATA, 0, 0, 0, longs(6, 10)));
        assertArrayEquals(longs(6, 10), rank2.ask(Requests.getAccumulate(1, DATA, 0, 0, ElementCode.LONG,
            ReduceCode.SUM, longs(1, -1))).data());
        assertArrayEquals(longs(7, 9), rank2.ask(Requests.getAccumulate(1, DATA, 0, 0, ElementCode.LONG,
            ReduceCode.REPLACE, longs(3, 4))).data());
        assertArrayEquals(longs(3, 4), rank2.ask(Requests.getAccumulate(1, DATA, 0, 0, ElementCode.LONG,
            ReduceCode.NO_OP, longs(8, 8))).data());
        assertArrayEquals(longs(3), rank2.ask(Requests.getAccumulate(1, DATA, 0, 0, ElementCode.LONG,
            ReduceCode.COMPARE_AND_SWAP, longs(4, 5))).data());
        assertArrayEquals(longs(4), rank2.ask(Requests.getAccumulate(1, DATA, 0, 8, ElementCode.LONG,
            ReduceCode.COMPARE_AND_SWAP, longs(4, 5))).data());
        assertArrayEquals(longs(3, 5), read(0, 16));
        byte[] longest = new byte[Frames.MAX_HELD_PAYLOAD];
        assertEquals(longest.length, rank2.ask(Requests.getAccumulate(1, DATA, 0, 0, ElementCode.LONG,
            ReduceCode.BITWISE_AND, longest)).data().length);
        assertArrayEquals(longs(0, 0), read(0, 16));
        assertEquals(1, rank2.fenced(), "answered requests are not counted");
    }

    @Test
    void shouldRefuseWhenFetchCannotBe() throws IOException {
        assertEquals(ErrorCode.BAD_REQUEST, error(rank2, Requests.getAccumulate(1, DATA, 0, 0, ElementCode.LONG,
            ReduceCode.COMPARE_AND_SWAP, longs(1, 2, 3, 4))));
        assertEquals(ErrorCode.BAD_REQUEST, error(rank2, Requests.getAccumulate(1, DATA, 0, 0, ElementCode.LONG,
            ReduceCode.SUM, new byte[12])));
        assertEquals(ErrorCode.BAD_REQUEST, error(rank2, Requests.getAccumulate(1, DATA, 0, 0, ElementCode.NULL_VAL,
            ReduceCode.SUM, new byte[8])));
        assertEquals(ErrorCode.BAD_REQUEST, error(rank2, Requests.getAccumulate(1, DATA, 0, 0, ElementCode.FLOAT,
            ReduceCode.LOGICAL_OR, new byte[8])));
        assertEquals(ErrorCode.OUT_OF_BOUNDS, error(rank2, Requests.getAccumulate(1, DATA, 0, PART - 8,
            ElementCode.LONG, ReduceCode.SUM, longs(1, 1))));
        assertArrayEquals(longs(0, 0), read(PART - 16, 16));
    }
}

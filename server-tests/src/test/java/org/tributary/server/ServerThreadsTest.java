package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tributary.config.Topology;
import org.tributary.server.testing.RawClient;
import org.tributary.server.testing.Reply;
import org.tributary.server.testing.Requests;
import org.tributary.server.testing.TestServers;
import org.tributary.testsupport.ExpectsErrors;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AtomicOp;
import org.tributary.wire.codec.ElementCode;
import org.tributary.wire.codec.ErrorCode;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.codec.ReduceCode;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.shm.WindowLayout;

/** Connections that several event loops of one server serve. */
@Timeout(300)
class ServerThreadsTest {
    private static final long DATA = 5;
    private static final long MUTEXES = 6;
    private static final long WINDOW = 7;
    private static final int PART = 4 << 20;
    private static final int LOOPS = 4;
    private static final int ROUNDS = 100;
    private static final String OTHERS = "tributary-data-0";
    private static final String ANY = "tributary-";

    private final Set<Thread> before = Thread.getAllStackTraces().keySet();
    private final RawClient[] ranks = new RawClient[LOOPS];
    private TestServers job;
    private RawClient owner;

    @BeforeEach
    void start() throws IOException {
        job = TestServers.start(Topology.of(1, LOOPS), "job.grace=0", "server.threads=" + LOOPS);
        owner = job.rank(0);
        owner.done(Requests.allocate(1, DATA, 0, 0, PART));
        owner.done(Requests.allocate(1, MUTEXES, 1, 0, 128));
        owner.done(Requests.allocate(1, WINDOW, 2, 0, WindowLayout.bytes(LOOPS + 1)));
        for (int i = 0; i < LOOPS; i++) {
            ranks[i] = job.remote(1 + i, 0);
        }
    }

    @AfterEach
    void stop() {
        job.close();
    }

    private static byte[] word(long value) {
        return ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array();
    }

    private static long number(byte... data) {
        return ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN).getLong();
    }

    private List<Thread> threads(String name) {
        return Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().startsWith(name) && !before.contains(thread)).toList();
    }

    private interface Condition {
        boolean holds() throws IOException;
    }

    private static void await(Condition condition) throws IOException, InterruptedException {
        while (!condition.holds()) {
            TimeUnit.MILLISECONDS.sleep(5); // the test has a deadline
        }
    }

    private interface Part {
        void run(RawClient rank, int number) throws IOException;
    }

    /** Each rank does its part at the same time as the others. */
    private void together(Part part) {
        CompletableFuture<?>[] all = new CompletableFuture<?>[LOOPS];
        for (int i = 0; i < LOOPS; i++) {
            int number = i;
            all[i] = CompletableFuture.runAsync(() -> {
                try {
                    part.run(ranks[number], number);
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            }, task -> Thread.ofPlatform().daemon().start(task));
        }
        CompletableFuture.allOf(all).join();
    }

    private long atStart() throws IOException {
        return number(owner.ask(Requests.get(9, DATA, 0, 0, 8)).data());
    }

    @Test
    void shouldEndAllThreadsWhenTheServerIsClosed() throws IOException, InterruptedException {
        assertEquals(LOOPS - 1, threads(OTHERS).size());
        job.close();
        await(() -> threads(ANY).isEmpty());
    }

    private double requests(int loop) {
        return job.metric(0, "tributary_thread_requests_total", "thread=\"" + loop + "\"");
    }

    /** Each rank has a loop to itself, whatever the main one has besides: connections of the node do not count. */
    @Test
    void shouldSpreadConnectionsOverTheLoops() throws IOException {
        double[] atFirst = IntStream.range(0, LOOPS).mapToDouble(this::requests).toArray();
        together((rank, number) -> rank.fenced(Requests.put(DATA, 0, 0, 0, word(1))));
        for (int loop = 0; loop < LOOPS; loop++) {
            assertEquals(atFirst[loop] + 2, requests(loop), "loop " + loop); // the put and the fence
        }
        assertEquals(LOOPS, job.metric(0, "tributary_requests_total", "operation=\"put\""));
    }

    @Test
    void shouldSpreadConnectionsWhenTheMainLoopHasManyOfTheNode() throws IOException {
        int ranks = 4;
        try (TestServers many = TestServers.start(Topology.of(ranks, ranks), "job.grace=0", "server.threads=2")) {
            for (int rank = 0; rank < ranks; rank++) {
                many.rank(rank);
                many.lifeline(rank);
            }
            for (int rank = ranks; rank < 2 * ranks; rank++) {
                many.remote(rank, 0).fenced();
            }
            for (String loop : List.of("thread=\"0\"", "thread=\"1\"")) {
                assertEquals(ranks / 2, many.metric(0, "tributary_thread_requests_total", loop), loop);
            }
        }
    }

    @Test
    void shouldKeepTheOrderOfAConnectionWhenRequestsChangeBetweenMemoryAndLocks() throws IOException {
        byte[] all = {};
        for (int round = 1; round <= ROUNDS; round++) {
            all = Requests.all(all, Requests.lock(round, MUTEXES, 0, 0, false),
                Requests.put(DATA, 0, 0, 0, word(round)), Requests.unlock(MUTEXES, 0, 0, 0),
                Requests.atomic(round, DATA, 0, 0, AtomicOp.FETCH_AND_ADD, 8, 0, 0),
                Requests.lockWindow(round, WINDOW, 0, LockMode.EXCLUSIVE, false),
                Requests.then(Requests.put(DATA, 0, 8, 0, word(-round)), Frames.THEN_UNLOCK_EXCLUSIVE, WINDOW),
                Requests.lockedGet(round, WINDOW, LockMode.SHARED, DATA, 0, 8, 8),
                Requests.lockedPut(round, WINDOW, LockMode.EXCLUSIVE, DATA, 0, 8, word(7)),
                Requests.get(round, DATA, 0, 8, 8));
        }
        RawClient rank = ranks[1];
        rank.send(Requests.all(all, Requests.fence()));
        for (int round = 1; round <= ROUNDS; round++) {
            assertEquals(1, rank.receive().value().value(), "lock");
            assertEquals(round, rank.receive().value().value());
            assertEquals(1, rank.receive().value().value(), "lock of the window");
            assertEquals(-round, number(rank.receive().data()));
            assertEquals(round, rank.receive().done());
            assertEquals(7, number(rank.receive().data()));
        }
        assertEquals(3 * ROUNDS, rank.receive().ack());
    }

    @Test
    void shouldExcludeEachOtherWhenConnectionsOfSeveralLoopsTakeOneMutex() throws IOException {
        together((rank, number) -> {
            for (int round = 0; round < ROUNDS; round++) {
                assertEquals(1, rank.ask(Requests.lock(1, MUTEXES, 0, 0, false)).value().value());
                long now = number(rank.ask(Requests.get(2, DATA, 0, 0, 8)).data());
                rank.send(Requests.all(Requests.put(DATA, 0, 0, 0, word(now + 1)), Requests.unlock(MUTEXES, 0, 0, 0)));
            }
            rank.skipAfterFence();
        });
        assertEquals(LOOPS * ROUNDS, atStart());
    }

    @Test
    void shouldExcludeEachOtherWhenOperationsTravelWithTheLockOfAWindow() throws IOException {
        together((rank, number) -> {
            for (int round = 0; round < ROUNDS; round++) {
                rank.done(Requests.lockedAccumulate(1, WINDOW, LockMode.EXCLUSIVE, DATA, 0, 0, ElementCode.LONG,
                    ReduceCode.SUM, 1, word(1)));
                assertEquals(1, rank.ask(Requests.lockWindow(1, WINDOW, 0, LockMode.EXCLUSIVE, false)).value().value());
                long now = number(rank.ask(Requests.get(2, DATA, 0, 0, 8)).data());
                rank.send(Requests.then(Requests.put(DATA, 0, 0, 0, word(now + 1)), Frames.THEN_UNLOCK_EXCLUSIVE,
                    WINDOW));
            }
            rank.skipAfterFence();
        });
        assertEquals(2 * LOOPS * ROUNDS, atStart());
    }

    @Test
    void shouldAddEachElementOnceWhenLoopsAccumulateToTheSameStripes() throws IOException {
        int bytes = 64 << 10;
        ByteBuffer ones = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        while (ones.hasRemaining()) {
            ones.putLong(1);
        }
        together((rank, number) -> {
            for (int round = 0; round < ROUNDS; round++) {
                rank.send(Requests.accumulate(DATA, 0, 0, 0, ElementCode.LONG, 1, ones.array()));
                rank.ask(Requests.getAccumulate(1, DATA, 0, 8, ElementCode.LONG, ReduceCode.SUM, word(1))).data();
                rank.ask(Requests.atomic(1, DATA, 0, bytes, AtomicOp.FETCH_AND_ADD, 8, 1, 0)).value();
            }
            assertEquals(ROUNDS, rank.fenced());
        });
        ByteBuffer sums = ByteBuffer.wrap(owner.ask(Requests.get(1, DATA, 0, 0, bytes + 8)).data())
            .order(ByteOrder.LITTLE_ENDIAN);
        assertEquals(2 * LOOPS * ROUNDS, sums.getLong(8));
        for (int at = 0; at <= bytes; at += 8) {
            assertEquals((at == 8 ? 2 : 1) * LOOPS * ROUNDS, sums.getLong(at), "at " + at);
        }
    }

    @Test
    void shouldCountEachRequestOnceWhateverLoopExecutesIt() throws IOException {
        together((rank, number) -> {
            for (int round = 0; round < ROUNDS; round++) {
                rank.ask(Requests.atomic(1, DATA, 0, 0, AtomicOp.FETCH_AND_ADD, 8, 1, 0)).value();
                rank.ask(Requests.probe(1, 0)).value();
            }
        });
        assertEquals(LOOPS * ROUNDS, job.metric(0, "tributary_requests_total", "operation=\"atomic\""));
        assertEquals(LOOPS * ROUNDS, job.metric(0, "tributary_requests_total", "operation=\"probe\""));
        assertEquals(LOOPS * ROUNDS, atStart());
    }

    private boolean isMapped() throws IOException {
        Path file = new NodeDirectory(job.directory(0)).segment(DATA);
        return Files.readAllLines(Path.of("/proc/self/maps")).stream().anyMatch(line -> line.contains(file.toString()));
    }

    @Test
    void shouldUnmapAFreedSegmentOnlyWhenNoLoopWritesToItAnyMore() throws IOException, InterruptedException {
        int quarter = PART / LOOPS;
        byte[] ones = new byte[quarter];
        Arrays.fill(ones, (byte) 1);
        for (int i = 0; i < LOOPS; i++) {
            ranks[i].send(Requests.put(DATA, 0, (long) i * quarter, 0, ones), 0, quarter / 2);
            long first = (long) i * quarter;
            await(() -> owner.ask(Requests.get(9, DATA, 0, first, 1)).data()[0] == 1);
        }
        assertTrue(isMapped());
        owner.done(Requests.free(1, DATA));
        for (int i = 0; i < LOOPS; i++) {
            assertTrue(isMapped(), "a put to it is half done");
            byte[] put = Requests.put(DATA, 0, (long) i * quarter, 0, ones);
            ranks[i].send(put, quarter / 2, put.length - quarter / 2);
            assertEquals(1, ranks[i].fenced());
            assertEquals(ErrorCode.SEGMENT_UNKNOWN,
                ranks[i].ask(Requests.put(DATA, 0, 0, 0, word(1))).error().code());
        }
        await(() -> !isMapped());
    }

    @Test
    @ExpectsErrors("goodbye of rank 2, which has left already")
    void shouldCloseTheConnectionWhenWhatIsHandedOverIsMalformed() throws IOException {
        ranks[1].send(Requests.all(Requests.goodbye(2), Requests.goodbye(2)));
        ranks[1].awaitClosed();
        assertEquals(1, ranks[2].ask(Requests.lock(1, MUTEXES, 0, 0, false)).value().value());
    }

    @Test
    void shouldRefuseInOrderWhenRequestsThatAreHandedOverAreWrong() throws IOException {
        ranks[2].send(Requests.all(Requests.unlock(MUTEXES, 0, 0, 0), Requests.put(DATA, 0, PART, 0, word(1)),
            Requests.lockedPut(3, WINDOW, LockMode.EXCLUSIVE, DATA, 0, PART, word(1)), Requests.fence()));
        assertEquals(ErrorCode.NOT_HELD, ranks[2].receive().error().code());
        assertEquals(ErrorCode.OUT_OF_BOUNDS, ranks[2].receive().error().code());
        Reply refused = ranks[2].receive();
        assertEquals(ErrorCode.OUT_OF_BOUNDS, refused.error().code());
        assertEquals(3, refused.error().requestId());
        assertEquals(2, ranks[2].receive().ack());
    }

    @Test
    void shouldExecuteAllWhenTheConnectionClosesRightBehindItsLastRequest() throws IOException, InterruptedException {
        for (int i = 0; i < LOOPS; i++) {
            int next = (i + 1) % LOOPS;
            assertEquals(1, ranks[i].ask(Requests.lock(1, MUTEXES, 0, 0, i > 0)).value().value());
            if (i == LOOPS - 1) {
                break;
            }
            ranks[next].send(Requests.lock(2, MUTEXES, 0, 0, false));
            job.awaitMetric(0, "tributary_mutex_waiting", 1);
            ranks[i].send(Requests.all(Requests.put(DATA, 0, 0, 0, word(i + 1)), Requests.unlock(MUTEXES, 0, 0, 0),
                Requests.goodbye(1 + i)));
            ranks[i].close();
            assertEquals(1, ranks[next].receive().value().value());
            assertEquals(i + 1, number(ranks[next].ask(Requests.get(3, DATA, 0, 0, 8)).data()));
            ranks[next].fenced(Requests.unlock(MUTEXES, 0, 0, 0));
        }
        assertEquals(2 * (LOOPS - 1), job.metric(0, "tributary_requests_total", "operation=\"unlock\""));
        TimeUnit.MILLISECONDS.sleep(1500); // the job would end after a second, and let nobody in
        assertEquals(LOOPS - 1, number(job.remote(1, 0).ask(Requests.get(4, DATA, 0, 0, 8)).data()));
    }

    /** The first connection is not on the main loop, whose number is 0. */
    @Test
    void shouldTakeAndReleaseMutexesWithoutTheMainLoopWhenNobodyWaits() throws IOException {
        double atFirst = requests(0);
        RawClient rank = ranks[0];
        for (int round = 0; round < ROUNDS; round++) {
            assertEquals(1, rank.ask(Requests.lock(1, MUTEXES, 0, 0, false)).value().value());
            assertEquals(1, rank.ask(Requests.lock(1, MUTEXES, 0, 64, true)).value().value());
            rank.fenced(Requests.unlock(MUTEXES, 0, 0, 0), Requests.unlock(MUTEXES, 0, 64, 0));
        }
        assertEquals(atFirst, requests(0));
        assertEquals(2 * ROUNDS, job.metric(0, "tributary_requests_total", "operation=\"unlock\""));
        assertEquals(1, rank.ask(Requests.lock(1, MUTEXES, 0, 0, false)).value().value());
        assertEquals(ErrorCode.ALREADY_HELD, rank.ask(Requests.lock(1, MUTEXES, 0, 0, false)).error().code());
        assertEquals(0, ranks[1].ask(Requests.lock(1, MUTEXES, 0, 0, true)).value().value());
        assertEquals(ErrorCode.NOT_HELD, ranks[1].ask(Requests.unlock(MUTEXES, 0, 0, 0)).error().code());
    }

    @Test
    void shouldPassOnWhatARankHoldsWhenItLeaves() throws IOException {
        assertEquals(1, ranks[0].ask(Requests.lock(1, MUTEXES, 0, 0, false)).value().value());
        assertEquals(1, ranks[0].ask(Requests.lock(1, MUTEXES, 0, 64, false)).value().value());
        ranks[1].send(Requests.lock(2, MUTEXES, 0, 0, false));
        job.awaitMetric(0, "tributary_mutex_waiting", 1);
        ranks[0].send(Requests.goodbye(1));
        assertEquals(1, ranks[1].receive().value().value());
        assertEquals(1, ranks[2].ask(Requests.lock(2, MUTEXES, 0, 64, false)).value().value());
    }

    @Test
    void shouldForgetWhatRanksHoldWhenTheMutexesAreFreed() throws IOException {
        assertEquals(1, ranks[0].ask(Requests.lock(1, MUTEXES, 0, 0, false)).value().value());
        assertEquals(1, ranks[2].ask(Requests.lock(1, MUTEXES, 0, 64, false)).value().value());
        owner.done(Requests.free(1, MUTEXES));
        assertEquals(ErrorCode.SEGMENT_UNKNOWN, ranks[0].ask(Requests.unlock(MUTEXES, 0, 0, 0)).error().code());
        ranks[2].send(Requests.goodbye(3));
        ranks[2].close();
        owner.done(Requests.allocate(1, MUTEXES, 1, 0, 128));
        assertEquals(1, ranks[1].ask(Requests.lock(1, MUTEXES, 0, 0, false)).value().value());
    }

    @Test
    void shouldPassOnAndEndTheJobWhenARankDiesThatHoldsALock() throws IOException {
        assertEquals(1, ranks[0].ask(Requests.lock(1, MUTEXES, 0, 0, false)).value().value());
        ranks[1].send(Requests.lock(2, MUTEXES, 0, 0, false));
        job.awaitMetric(0, "tributary_mutex_waiting", 1);
        ranks[0].reset();
        assertEquals(1, ranks[1].receive().value().value());
        assertTrue(job.termination(0).reason().contains("rank 1 (node 1) broke its connection to node 0"),
            () -> job.termination(0).reason());
    }
}

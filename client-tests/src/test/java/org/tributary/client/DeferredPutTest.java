package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.tributary.client.Jobs.assertSame;
import static org.tributary.client.Jobs.empty;
import static org.tributary.client.Jobs.nativeCopy;
import static org.tributary.client.Jobs.random;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.error.JobAbortedException;
import org.tributary.client.remote.Handle;
import org.tributary.client.shape.Scale;
import org.tributary.client.shape.Strided;
import org.tributary.client.testing.TestJob;
import org.tributary.config.Topology;

/** Large puts that are sent while the caller computes. */
class DeferredPutTest {
    private static final String[] SETTINGS = {"client.async-send-min=32k", "message.max-payload=256k"};
    private static final int LARGE = 1 << 20;
    private static final int THREADS = 4;
    private static final int ROUNDS = 60;
    private static final long DEADLINE_S = 200;

    private static void run(String layout, TestJob.RankProgram program) {
        try (TestJob job = TestJob.start(layout, SETTINGS)) {
            job.run(program);
        }
    }

    @EveryPath
    void shouldArriveInOrderWhenOtherOperationsFollow(String layout) {
        run(layout, gas -> {
            GlobalMemory memory = gas.allocate(8 + (long) LARGE * gas.rankCount());
            int right = (gas.rank() + 1) % gas.rankCount();
            long base = 8 + (long) LARGE * gas.rank();
            Handle handle = gas.deferredHandle();
            assertTrue(handle.isDeferred());
            for (int round = 0; round < 5; round++) {
                MemorySegment first = nativeCopy(Arena.ofAuto(), random(round, LARGE));
                MemorySegment second = nativeCopy(Arena.ofAuto(), random(100 + round, LARGE / 2));
                MemorySegment small = random(200 + round, 5000);
                memory.nbPut(handle, right, base, first, 0, LARGE);
                memory.nbPut(handle, right, base + 100, second, 0, LARGE / 2);
                memory.nbPut(handle, right, base + 300, small, 0, 5000);
                memory.nbPut(handle, right, base + 200, small, 0, 50);
                MemorySegment back = empty(LARGE);
                memory.get(right, base, back);
                MemorySegment expected = empty(LARGE).copyFrom(first);
                expected.asSlice(100).copyFrom(second);
                expected.asSlice(300).copyFrom(small);
                expected.asSlice(200).copyFrom(small.asSlice(0, 50));
                assertSame(expected, back, "round " + round);
                memory.addToFlag(right, 0, 1);
                memory.awaitFlagAtLeast(0, round + 1, -1);
                handle.await();
            }
            gas.barrier();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"client.async-send-min=0", "client.async-send-min=1g", "client.async-send-min=16k",
        "message.max-payload=64k", "client.buffer=4k", "socket.buffer=8k"})
    void shouldArriveWhateverSettingsAndSourcesAre(String setting) {
        try (TestJob job = TestJob.start(Topology.parse("2*1"), setting)) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate(4 * LARGE);
                if (gas.rank() == 0) {
                    putFromEverywhere(gas, memory);
                }
                gas.barrier();
            });
        }
    }

    private static void putFromEverywhere(Gas gas, GlobalMemory memory) {
        Handle handle = gas.deferredHandle();
        try (Arena shared = Arena.ofShared(); Arena confined = Arena.ofConfined()) {
            MemorySegment[] sources = {random(1, LARGE), nativeCopy(shared, random(2, LARGE)),
                nativeCopy(confined, random(3, LARGE)), nativeCopy(Arena.ofAuto(), random(4, LARGE))};
            for (int i = 0; i < sources.length; i++) {
                memory.nbPut(handle, 1, (long) LARGE * i, sources[i], 0, LARGE);
            }
            memory.nbPutStrided(handle, 1, LARGE, sources[1], 0, Strided.rows(1000, 300, 1000, 1000));
            memory.nbAccumulate(handle, 1, 0, Scale.ofLong(0), sources[1], 0, LARGE);
            handle.await();
            MemorySegment back = empty(LARGE);
            for (int i = 0; i < sources.length; i++) {
                memory.get(1, (long) LARGE * i, back);
                assertSame(sources[i], back, "source " + i);
            }
        }
    }

    @Test
    void shouldBecomeDoneWhenOnlyTested() {
        run("2*1", gas -> {
            GlobalMemory memory = gas.allocate(4 * LARGE);
            if (gas.rank() == 0) {
                Handle handle = gas.deferredHandle();
                MemorySegment source = nativeCopy(Arena.ofAuto(), random(7, 4 * LARGE));
                for (int i = 0; i < 10; i++) {
                    memory.nbPut(handle, 1, 0, source, 0, 4 * LARGE);
                }
                while (!handle.test()) {
                    Thread.onSpinWait();
                }
                MemorySegment back = empty(4 * LARGE);
                memory.get(1, 0, back);
                assertSame(source, back, "tested");
            }
            gas.barrier();
        });
    }

    @Test
    void shouldArriveWhenCallerOnlyComputes() {
        CountDownLatch arrived = new CountDownLatch(1);
        run("3*1", gas -> {
            GlobalMemory memory = gas.allocate(8 * LARGE);
            MemorySegment source = nativeCopy(Arena.ofAuto(), random(8, 8 * LARGE));
            if (gas.rank() == 0) {
                Handle handle = gas.deferredHandle();
                memory.nbPut(handle, 2, 0, source, 0, LARGE);
                memory.nbPut(handle, 1, 0, source, 0, 8 * LARGE);
                assertTrue(arrived.await(DEADLINE_S, TimeUnit.SECONDS), "nothing was sent");
            } else if (gas.rank() == 1) {
                while (source.mismatch(memory.local()) >= 0) {
                    Thread.onSpinWait();
                }
                arrived.countDown();
            }
            gas.barrier();
        });
    }

    @Test
    void shouldArriveWhenRankLeavesAtOnce() {
        MemorySegment source = nativeCopy(Arena.ofAuto(), random(9, 8 * LARGE));
        run("2*1", gas -> {
            GlobalMemory memory = gas.allocate(8 * LARGE);
            gas.barrier();
            if (gas.rank() == 0) {
                memory.nbPut(gas.deferredHandle(), 1, 0, source, 0, 8 * LARGE);
            } else {
                while (source.mismatch(memory.local()) >= 0) {
                    Thread.onSpinWait();
                }
            }
        });
    }

    @Test
    void shouldKeepContentsApartWhenThreadsShareALink() {
        run("2*1", gas -> {
            GlobalMemory memory = gas.allocate((long) THREADS * LARGE);
            List<FutureTask<Void>> tasks = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int number = thread;
                FutureTask<Void> task = new FutureTask<>(() -> work(gas, memory, number), null);
                tasks.add(task);
                Thread.ofPlatform().daemon().name("rank-" + gas.rank() + "-thread-" + thread).start(task);
            }
            for (FutureTask<Void> task : tasks) {
                task.get(DEADLINE_S, TimeUnit.SECONDS);
            }
            gas.barrier();
        });
    }

    /** Mirrors in {@code expected} what it does to its own part of the other rank's memory. */
    private static void work(Gas gas, GlobalMemory memory, int thread) {
        int other = 1 - gas.rank();
        long base = (long) LARGE * thread;
        SplittableRandom random = new SplittableRandom(gas.rank() * THREADS + thread);
        MemorySegment expected = empty(LARGE);
        MemorySegment source = nativeCopy(Arena.ofAuto(), random(thread, LARGE));
        MemorySegment back = empty(LARGE);
        Handle deferred = gas.deferredHandle();
        Handle plain = gas.handle();
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = random.nextInt(4); i >= 0; i--) {
                int length = 1 + random.nextInt(random.nextBoolean() ? LARGE : 3000);
                int from = random.nextInt(LARGE - length + 1);
                int to = random.nextInt(LARGE - length + 1);
                memory.nbPut(random.nextInt(3) == 0 ? plain : deferred, other, base + to, source, from, length);
                MemorySegment.copy(source, from, expected, to, length);
            }
            switch (random.nextInt(4)) {
                case 0 -> gas.fence(other);
                case 1 -> deferred.await();
                case 2 -> gas.waitAll();
                default -> {
                    while (!deferred.test()) {
                        Thread.onSpinWait();
                    }
                }
            }
            deferred.await();
            source.fill((byte) random.nextInt()); // it may be changed now
            MemorySegment.copy(random(round, LARGE / 4), 0, source, random.nextInt(LARGE / 2), LARGE / 4);
            memory.get(other, base, back);
            assertSame(expected, back, "thread " + thread + " round " + round);
        }
    }

    @Test
    void shouldThrowWhenServerDiesWithPayloadLeft() {
        try (TestJob job = TestJob.start(Topology.parse("2*1"), SETTINGS)) {
            assertTimeoutPreemptively(Duration.ofSeconds(DEADLINE_S), () -> {
                FutureTask<Void> other = new FutureTask<>(() -> {
                    try (Gas gas = job.attach(1)) {
                        gas.allocate(16 * LARGE);
                        gas.barrier();
                        assertThrows(JobAbortedException.class, gas::barrier);
                    }
                    return null;
                });
                Thread.ofPlatform().daemon().start(other);
                try (Gas gas = job.attach(0)) {
                    GlobalMemory memory = gas.allocate(16 * LARGE);
                    gas.barrier();
                    putUntilAborted(job, gas, memory);
                }
                other.get();
            });
        }
    }

    private static void putUntilAborted(TestJob job, Gas gas, GlobalMemory memory) {
        MemorySegment source = nativeCopy(Arena.ofAuto(), random(1, 16 * LARGE));
        Handle handle = gas.deferredHandle();
        for (int i = 0; i < 4; i++) {
            memory.nbPut(handle, 1, 0, source, 0, 16 * LARGE);
        }
        job.server(1).close();
        assertThrows(JobAbortedException.class, () -> {
            memory.nbPut(handle, 1, 0, source, 0, 16 * LARGE);
            handle.await();
            gas.fence(1);
        });
        assertThrows(JobAbortedException.class, () -> gas.fence(1));
    }
}

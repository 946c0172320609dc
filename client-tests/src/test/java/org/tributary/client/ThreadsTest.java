package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.tributary.client.remote.Handle;
import org.tributary.client.testing.TestJob;
import org.tributary.config.Topology;

/** Several threads of each rank operate and wait at once. */
class ThreadsTest {
    private static final int THREADS = 4;
    private static final int ROUNDS = 100;
    private static final long DEADLINE_S = 200;
    private static final long SLEEP_NS = 500_000_000; // without news, threads look up once a second

    @EveryPath
    void shouldServeAllWhenThreadsOfOneRankWaitAtOnce(String layout) {
        Jobs.run(layout, gas -> {
            GlobalMemory memory = gas.allocate(8L + 400_000L * THREADS * gas.rankCount());
            GlobalMemory flags = gas.allocate(8L * THREADS);
            MutexSet mutexes = gas.createMutexes(THREADS);
            List<FutureTask<Void>> tasks = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int number = thread;
                FutureTask<Void> task = new FutureTask<>(() -> work(gas, memory, flags, mutexes, number), null);
                tasks.add(task);
                Thread.ofPlatform().daemon().name("rank-" + gas.rank() + "-thread-" + thread).start(task);
            }
            for (FutureTask<Void> task : tasks) {
                task.get(DEADLINE_S, TimeUnit.SECONDS);
            }
            gas.barrier();
            assertEquals((long) ROUNDS * THREADS * gas.rankCount(), memory.getLong(0, 0));
            gas.barrier();
        });
    }

    @Test
    void shouldWakeThreadWhenAnotherReadsItsAnswer() {
        int rounds = 20;
        try (TestJob job = TestJob.start(Topology.parse("2*1"), "wait.spin=50ms")) {
            job.run(gas -> {
                GlobalMemory flags = gas.allocate(8);
                MutexSet mutexes = gas.createMutexes(2);
                gas.barrier();
                int slept = 0;
                for (int round = 1; round <= rounds; round++) {
                    if (gas.rank() == 1) {
                        holdBoth(mutexes, flags, round);
                    } else {
                        slept += waitTwice(mutexes, flags, round) > SLEEP_NS ? 1 : 0;
                    }
                    gas.barrier();
                }
                assertTrue(slept <= rounds / 2, slept + " times a thread slept on though its answer had been read");
            });
        }
    }

    private static void holdBoth(MutexSet mutexes, GlobalMemory flags, int round) throws InterruptedException {
        mutexes.lock(1, 0);
        mutexes.lock(1, 1);
        flags.setFlag(0, 0, round);
        flags.awaitFlagAtLeast(0, round, 0);
        Thread.sleep(10);
        mutexes.unlock(1, 0);
        mutexes.unlock(1, 1);
    }

    /**
     * One thread sleeps when its answer comes, this one still spins and reads both answers; returns for how long the
     * other one has slept on, in nanoseconds.
     */
    private static long waitTwice(MutexSet mutexes, GlobalMemory flags, int round) throws Exception {
        flags.awaitFlagAtLeast(0, round, 1);
        FutureTask<Void> sleeper = new FutureTask<>(() -> {
            mutexes.lock(1, 0);
            mutexes.unlock(1, 0);
        }, null);
        Thread.ofPlatform().daemon().start(sleeper);
        Thread.sleep(80);
        flags.setFlag(1, 0, round);
        mutexes.lock(1, 1);
        mutexes.unlock(1, 1);
        long readNs = System.nanoTime();
        sleeper.get(DEADLINE_S, TimeUnit.SECONDS);
        return System.nanoTime() - readNs;
    }

    private static void work(Gas gas, GlobalMemory memory, GlobalMemory flags, MutexSet mutexes, int thread) {
        int right = (gas.rank() + 1) % gas.rankCount();
        int left = (gas.rank() + gas.rankCount() - 1) % gas.rankCount();
        long base = 8 + 400_000L * (THREADS * gas.rank() + thread);
        Handle handle = gas.handle();
        for (int round = 1; round <= ROUNDS; round++) {
            int bytes = round % 25 == 0 ? 400_000 : 100 + round;
            var data = Jobs.random(round + thread, bytes);
            memory.nbPut(handle, right, base, data, 0, bytes);
            memory.fetchAndAdd(0, 0, 1);
            var back = Jobs.empty(bytes);
            memory.get(right, base, back);
            Jobs.assertSame(data, back, "round " + round);
            gas.fence(right);
            if (round % 10 == 0) {
                mutexes.lock(left, thread);
                flags.setFlag(right, 8L * thread, round);
                flags.awaitFlagAtLeast(8L * thread, round, left);
                mutexes.unlock(left, thread);
                gas.waitAll();
            }
            handle.await();
        }
    }
}

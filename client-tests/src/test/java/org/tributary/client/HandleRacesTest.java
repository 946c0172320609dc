package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.remote.Handle;
import org.tributary.client.window.EpochDesign;
import org.tributary.client.window.FenceDesign;
import org.tributary.client.window.Window;
import org.tributary.client.window.WindowOptions;
import org.tributary.wire.codec.LockMode;

/** Threads that meet in handles: who has waited finds what was issued before, whatever others issue and wait for. */
class HandleRacesTest {
    private static final int THREADS = 4;
    private static final int ROUNDS = 300;
    private static final int WORDS = 256;
    private static final int COUNT = 24;
    private static final long FIRST = 1000;
    private static final long DEADLINE_S = 200;

    private interface Work {
        void run() throws Exception;
    }

    private static void inThreads(List<Work> works) throws Exception {
        List<FutureTask<Void>> tasks = new ArrayList<>();
        for (Work work : works) {
            FutureTask<Void> task = new FutureTask<>(() -> {
                work.run();
                return null;
            });
            tasks.add(task);
            Thread.ofPlatform().daemon().start(task);
        }
        for (FutureTask<Void> task : tasks) {
            task.get(DEADLINE_S, TimeUnit.SECONDS);
        }
    }

    /** Words of the last rank, each its number plus FIRST. */
    private static GlobalMemory words(Gas gas) {
        GlobalMemory memory = gas.allocate(8L * WORDS);
        for (int word = 0; word < WORDS; word++) {
            memory.putLong(gas.rank(), 8L * word, FIRST + word);
        }
        gas.barrier();
        return memory;
    }

    /** Issues gets on a handle; checks them when {@code wait} says that they are there. */
    private static void getAndCheck(GlobalMemory memory, int target, Handle handle, Work wait) throws Exception {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        for (int round = 0; round < ROUNDS; round++) {
            long[] values = new long[COUNT];
            int first = random.nextInt(WORDS - COUNT);
            int count = 1 + random.nextInt(COUNT);
            for (int i = 0; i < count; i++) {
                memory.nbGet(handle, target, 8L * (first + i), MemorySegment.ofArray(values), 8L * i, 8);
            }
            wait.run();
            for (int i = 0; i < count; i++) {
                assertEquals(FIRST + first + i, values[i], "value " + i + " of " + count + ", round " + round);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1,1", "2*1 encrypted", "4*1 combine"})
    void shouldFindEveryValueWhenThreadsIssueAndWait(String layout) {
        Jobs.run(layout, gas -> {
            GlobalMemory memory = words(gas);
            int target = gas.rankCount() - 1;
            if (gas.rank() == 0) {
                Handle shared = gas.handle();
                List<Work> works = new ArrayList<>();
                for (int thread = 0; thread < THREADS; thread++) {
                    Handle own = thread % 2 == 0 ? gas.handle() : gas.aggregateHandle();
                    works.add(() -> getAndCheck(memory, target, own, own::await));
                    works.add(() -> getAndCheck(memory, target, shared, shared::await));
                }
                works.add(() -> getAndCheck(memory, target, gas.handle(), gas::waitAll));
                works.add(() -> getAndCheck(memory, target, shared, gas::waitAll));
                works.add(() -> {
                    Handle tested = gas.handle();
                    getAndCheck(memory, target, tested, () -> {
                        while (!tested.test()) {
                            Thread.onSpinWait();
                        }
                    });
                });
                inThreads(works);
            }
            gas.barrier();
        });
    }

    private static Thread start(Runnable work) {
        return Thread.ofPlatform().daemon().start(work);
    }

    private static void awaitAsleep(Thread thread) throws InterruptedException {
        while (Arrays.stream(thread.getStackTrace()).noneMatch(frame -> frame.getMethodName().equals("sleep")
            && frame.getClassName().endsWith(".WaitLoop"))) {
            assertTrue(thread.isAlive(), "the thread has not waited");
            Thread.sleep(1);
        }
    }

    private static void join(Thread thread) throws InterruptedException {
        thread.join(TimeUnit.SECONDS.toMillis(DEADLINE_S));
        assertFalse(thread.isAlive(), () -> "still waits: " + Arrays.toString(thread.getStackTrace()));
    }

    /** A get that waits at its target for a lock lets two threads wait for all, one for the phase of the other. */
    @Test
    void shouldReturnFromWaitAllWhenAnotherThreadLeavesAnAggregateGetUnsent() {
        CountDownLatch locked = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(1);
        WindowOptions deferred = new WindowOptions(FenceDesign.DEFERRED, EpochDesign.DEFERRED, EpochDesign.DEFERRED,
            false);
        Jobs.run("1,1", gas -> {
            GlobalMemory memory = words(gas);
            Window window = Window.allocate(gas, gas.world(), 8, 8, deferred);
            gas.barrier();
            if (gas.rank() == 1) {
                window.lock(LockMode.EXCLUSIVE, 1);
                locked.countDown();
                asked.await();
                window.unlock(1);
            } else {
                locked.await();
                MemorySegment got = MemorySegment.ofArray(new long[1]);
                Thread delayed = start(() -> {
                    window.lock(LockMode.EXCLUSIVE, 1);
                    window.get(1, 0, got);
                    window.unlock(1);
                });
                awaitAsleep(delayed);
                Thread earlier = start(gas::waitAll);
                awaitAsleep(earlier);
                Thread later = start(gas::waitAll);
                awaitAsleep(later);
                long[] value = new long[1];
                Handle handle = gas.aggregateHandle();
                memory.nbGet(handle, 1, 8, MemorySegment.ofArray(value), 0, 8);
                asked.countDown();
                join(delayed);
                join(earlier);
                join(later); // this thread waits for that one before it waits for its get
                handle.await();
                assertEquals(FIRST + 1, value[0]);
            }
            gas.barrier();
        });
    }
}

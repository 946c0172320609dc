package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.error.MutexStateException;
import org.tributary.client.error.WaitInterruptedException;
import org.tributary.client.testing.TestJob;
import org.tributary.client.window.EpochDesign;
import org.tributary.client.window.Window;
import org.tributary.client.window.WindowOptions;
import org.tributary.wire.codec.LockMode;

/** Rank 0 holds a lock at the last rank; a thread of the last rank waits for it and is interrupted. */
class InterruptedLockTest {
    private static final long DEADLINE_S = 200;

    private static void assertInterrupted(Executable call) {
        Thread.currentThread().interrupt();
        assertThrows(WaitInterruptedException.class, call);
        assertTrue(Thread.interrupted());
    }

    @EveryPath
    void shouldPassTheMutexOnWhenTheWaitWasInterrupted(String layout) {
        Jobs.run(layout, gas -> {
            MutexSet mutexes = gas.createMutexes(1);
            int home = gas.rankCount() - 1;
            if (gas.rank() == 0) {
                mutexes.lock(home, 0);
            }
            gas.barrier();
            if (gas.rank() == home) {
                assertInterrupted(() -> mutexes.lock(home, 0));
                assertFalse(mutexes.tryLock(home, 0));
                assertInterrupted(() -> mutexes.lock(home, 0)); // while it still waits for its first turn
                assertThrows(MutexStateException.class, () -> mutexes.unlock(home, 0));
            }
            gas.barrier();
            if (gas.rank() == 0) {
                mutexes.unlock(home, 0);
                mutexes.lock(home, 0);
                mutexes.unlock(home, 0);
            }
            gas.barrier();
            for (int round = 0; round < 10; round++) {
                mutexes.lock(home, 0);
                mutexes.unlock(home, 0);
            }
            gas.barrier();
            mutexes.close();
        });
    }

    /** Rank 0 frees its mutex as soon as it has been handed on, mostly before that is given back. */
    @ParameterizedTest
    @ValueSource(strings = {"1*2", "2*1"})
    void shouldFailNothingElseWhenTheMutexIsGivenBackAfterItWasFreed(String layout) {
        Jobs.run(layout, gas -> {
            for (int round = 0; round < 5; round++) {
                MutexSet mutexes = gas.createMutexes(1);
                if (gas.rank() == 0) {
                    mutexes.lock(0, 0);
                }
                gas.barrier();
                if (gas.rank() == 1) {
                    assertInterrupted(() -> mutexes.lock(0, 0));
                    mutexes.close();
                    gas.notify(0);
                    gas.barrier();
                    awaitGivenBack();
                } else {
                    gas.waitNotify(1);
                    mutexes.unlock(0, 0);
                    mutexes.close();
                    gas.barrier();
                }
                gas.fenceAll();
                gas.barrier();
            }
        });
    }

    /** All close it as soon as it has been handed on to the first of three, all of whom have been interrupted. */
    @ParameterizedTest
    @CsvSource({"1*4, false", "2*2, false", "1*4, true", "2*2, true"})
    void shouldFailNothingElseWhenSeveralStillWaitAsItIsFreed(String layout, boolean ofWindow) {
        Jobs.run(layout, gas -> {
            for (int round = 0; round < 20; round++) {
                MutexSet mutexes = gas.createMutexes(1);
                Window window = Window.allocate(gas, gas.world(), 8, 8,
                    WindowOptions.DEFAULT.withLock(EpochDesign.IMMEDIATE));
                Runnable lock = ofWindow ? () -> window.lock(LockMode.EXCLUSIVE, 0) : () -> mutexes.lock(0, 0);
                if (gas.rank() == 0) {
                    lock.run();
                }
                gas.barrier();
                if (gas.rank() != 0) {
                    assertInterrupted(lock::run);
                }
                gas.barrier();
                if (gas.rank() == 0 && ofWindow) {
                    window.unlock(0);
                } else if (gas.rank() == 0) {
                    mutexes.unlock(0, 0);
                }
                mutexes.close();
                window.close();
                gas.barrier();
            }
        });
    }

    private static void awaitGivenBack() throws InterruptedException {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().equals("tributary-late-grant")) {
                assertTrue(thread.join(Duration.ofSeconds(DEADLINE_S)));
            }
        }
    }

    /** One thread of the rank sleeps for all; the other one hears from it. */
    @ParameterizedTest
    @ValueSource(strings = {"1*2", "2*1"})
    void shouldLeaveOtherThreadsInTheQueueWhenOneIsInterrupted(String layout) {
        Jobs.run(layout, gas -> {
            MutexSet mutexes = gas.createMutexes(3);
            if (gas.rank() == 0) {
                for (int i = 0; i < 3; i++) {
                    mutexes.lock(1, i);
                }
            }
            gas.barrier();
            if (gas.rank() == 1) {
                CountDownLatch begun = new CountDownLatch(2);
                FutureTask<Void> first = lockAndUnlock(mutexes, 0, begun);
                FutureTask<Void> second = lockAndUnlock(mutexes, 1, begun);
                FutureTask<Void> interrupted = new FutureTask<>(
                    () -> assertInterrupted(() -> mutexes.lock(1, 2)), null);
                assertTrue(begun.await(DEADLINE_S, TimeUnit.SECONDS));
                Thread.ofPlatform().daemon().start(interrupted);
                interrupted.get(DEADLINE_S, TimeUnit.SECONDS);
                gas.barrier();
                first.get(DEADLINE_S, TimeUnit.SECONDS);
                second.get(DEADLINE_S, TimeUnit.SECONDS);
            } else {
                gas.barrier();
                for (int i = 0; i < 3; i++) {
                    mutexes.unlock(1, i);
                }
            }
            mutexes.lock(1, 2);
            mutexes.unlock(1, 2);
            gas.barrier();
        });
    }

    private static FutureTask<Void> lockAndUnlock(MutexSet mutexes, int index, CountDownLatch begun) {
        FutureTask<Void> task = new FutureTask<>(() -> {
            begun.countDown();
            mutexes.lock(1, index);
            mutexes.unlock(1, index);
        }, null);
        Thread.ofPlatform().daemon().start(task);
        return task;
    }

    @ParameterizedTest
    @ValueSource(strings = {"1*2", "2*1"})
    void shouldLeaveWhenAGrantIsStillToCome(String layout) throws Exception {
        try (TestJob job = Jobs.start(layout); Gas gas = job.attach(0)) {
            FutureTask<Void> leaver = new FutureTask<>(() -> {
                try (Gas other = job.attach(1)) {
                    MutexSet mutexes = other.createMutexes(1);
                    other.barrier();
                    assertInterrupted(() -> mutexes.lock(0, 0));
                }
            }, null);
            Thread.ofPlatform().daemon().start(leaver);
            MutexSet mutexes = gas.createMutexes(1);
            mutexes.lock(0, 0);
            gas.barrier();
            leaver.get(DEADLINE_S, TimeUnit.SECONDS);
            mutexes.unlock(0, 0);
            mutexes.lock(0, 0);
            mutexes.unlock(0, 0);
        }
    }
}

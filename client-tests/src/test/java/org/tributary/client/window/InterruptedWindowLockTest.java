package org.tributary.client.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.client.Jobs;
import org.tributary.client.error.WaitInterruptedException;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/** Rank 0 has its own part locked; a thread of rank 1 that waits for the lock is interrupted. */
class InterruptedWindowLockTest {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    @ParameterizedTest
    @CsvSource({"1*2, IMMEDIATE", "2*1, IMMEDIATE", "2*1, DEFERRED", "2*1, AUTO"})
    void shouldPassTheLockOnWhenTheWaitWasInterrupted(String layout, EpochDesign design) {
        Jobs.run(layout, gas -> Windows.use(
            Windows.allocate(gas, gas.world(), 32, 8, WindowOptions.DEFAULT.withLock(design)), window -> {
                if (gas.rank() == 0) {
                    window.lock(LockMode.EXCLUSIVE, 0);
                }
                gas.barrier();
                if (gas.rank() == 1) {
                    interrupt(window, 2); // of two operations none travels with the request for the lock
                    interrupt(window, 2); // the first request still waits
                    interrupt(window, 1);
                }
                gas.barrier();
                if (gas.rank() == 0) {
                    window.unlock(0);
                }
                MemorySegment value = Jobs.empty(8);
                for (int round = 0; round < 10; round++) {
                    window.lock(LockMode.EXCLUSIVE, 0);
                    window.get(0, 3, value);
                    window.flush(0);
                    value.set(LONG, 0, value.get(LONG, 0) + 1);
                    window.put(0, 3, value);
                    window.unlock(0);
                }
                gas.barrier();
                assertEquals(10 * gas.rankCount(), get(window, 3));
                assertEquals(0, get(window, 0)); // what an interrupted thread had put
                gas.barrier();
            }));
    }

    /** So many bytes that the automatic design takes the lock at once. */
    @Test
    void shouldExecuteAnOperationOnceWhenTheLockForItIsInterrupted() {
        int bytes = 4096;
        Jobs.run("2*1", gas -> Windows.use(Windows.allocate(gas, gas.world(), bytes, 8,
            WindowOptions.DEFAULT.withLock(EpochDesign.AUTO)), window -> {
                MemorySegment ones = Jobs.empty(bytes);
                for (long at = 0; at < bytes; at += Long.BYTES) {
                    ones.set(LONG, at, 1);
                }
                if (gas.rank() == 0) {
                    window.lock(LockMode.EXCLUSIVE, 0);
                }
                gas.barrier();
                if (gas.rank() == 1) {
                    window.lock(LockMode.SHARED, 0);
                    Thread.currentThread().interrupt();
                    window.accumulate(0, 0, ReduceOp.SUM, ElementType.LONG, ones, 0, bytes);
                    assertThrows(WaitInterruptedException.class, () -> window.flush(0));
                    assertTrue(Thread.interrupted());
                }
                gas.barrier();
                window.unlock(0);
                gas.barrier();
                assertEquals(1, get(window, bytes / 8 - 1));
                gas.barrier();
            }));
    }

    /** The lock of the second part is asked for when the first one's has been granted. */
    @ParameterizedTest
    @CsvSource({"DEFERRED, 1", "DEFERRED, 2", "AUTO, 1"})
    void shouldExecuteNothingThatWaitsBehindALockThatIsInterrupted(EpochDesign design, int operations) {
        Jobs.run("3*1", gas -> Windows.use(
            Windows.allocate(gas, gas.world(), 32, 8, WindowOptions.DEFAULT.withLock(design)), window -> {
                if (gas.rank() == 0) {
                    window.lock(LockMode.EXCLUSIVE, 0);
                }
                gas.barrier();
                if (gas.rank() == 1) {
                    MemorySegment one = MemorySegment.ofArray(new long[] {1});
                    window.lock(LockMode.EXCLUSIVE, 0);
                    window.put(0, 0, one);
                    window.lock(LockMode.EXCLUSIVE, 2);
                    for (int i = 0; i < operations; i++) {
                        window.put(2, i, one);
                    }
                    Thread.currentThread().interrupt();
                    assertThrows(WaitInterruptedException.class, () -> window.unlock(2));
                    assertTrue(Thread.interrupted());
                }
                gas.barrier();
                if (gas.rank() < 2) {
                    window.unlock(0);
                }
                gas.barrier();
                window.lock(LockMode.EXCLUSIVE, 2); // nobody holds it
                window.unlock(2);
                gas.barrier();
                if (gas.rank() != 1) {
                    assertEquals(gas.rank() == 0 ? 1 : 0, window.local().get(LONG, 0));
                }
                gas.barrier();
            }));
    }

    /** Of what other ranks compare theirs with, too. */
    @ParameterizedTest
    @CsvSource({"1*2, false", "1*2, true", "2*1, true"})
    void shouldFindNoConflictWhenAnInterruptedOperationIsMadeAgain(String layout, boolean checked) {
        Jobs.run(layout, gas -> Windows.use(Windows.allocate(gas, gas.world(), 32, 8,
            WindowOptions.DEFAULT.withLock(EpochDesign.IMMEDIATE).withChecks(checked)), window -> {
                MemorySegment value = Jobs.random(1, 8);
                if (gas.rank() == 0) {
                    window.lock(LockMode.EXCLUSIVE, 0);
                }
                gas.barrier();
                if (gas.rank() == 1) {
                    window.lockAll();
                    Thread.currentThread().interrupt();
                    assertThrows(WaitInterruptedException.class, () -> window.put(0, 0, value));
                    assertTrue(Thread.interrupted());
                }
                gas.barrier();
                if (gas.rank() == 0) {
                    window.unlock(0);
                    window.lockAll();
                    window.put(0, 0, value); // nobody else has put there
                    window.unlockAll();
                }
                gas.barrier();
                if (gas.rank() == 1) {
                    window.put(0, 0, value);
                    window.unlockAll();
                }
                gas.barrier();
                assertEquals(value.get(LONG, 0), get(window, 0));
                gas.barrier();
            }));
    }

    /** The epoch of only one operation, which travels with the request for the lock if it can. */
    private static long get(Window window, long displacement) {
        MemorySegment value = Jobs.empty(8);
        window.lock(LockMode.SHARED, 0);
        window.get(0, displacement, value);
        window.unlock(0);
        return value.get(LONG, 0);
    }

    private static void interrupt(Window window, int operations) {
        MemorySegment value = Jobs.random(1, 8);
        Thread.currentThread().interrupt();
        assertThrows(WaitInterruptedException.class, () -> {
            window.lock(LockMode.SHARED, 0);
            for (int i = 0; i < operations; i++) {
                window.put(0, i, value);
            }
            window.unlock(0);
        });
        assertTrue(Thread.interrupted());
    }
}

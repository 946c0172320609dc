package org.tributary.client.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.client.Jobs;
import org.tributary.client.error.WaitInterruptedException;
import org.tributary.wire.codec.LockMode;

/** Rank 0 has its own part locked; a thread of rank 1 that waits for the lock is interrupted. */
class InterruptedWindowLockTest {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    @ParameterizedTest
    @CsvSource({"1*2, IMMEDIATE", "2*1, IMMEDIATE", "2*1, DEFERRED"})
    void shouldPassTheLockOnWhenTheWaitWasInterrupted(String layout, EpochDesign design) {
        Jobs.run(layout, gas -> Windows.use(
            Windows.allocate(gas, gas.world(), 32, 8, WindowOptions.DEFAULT.withLock(design)), window -> {
                if (gas.rank() == 0) {
                    window.lock(LockMode.EXCLUSIVE, 0);
                }
                gas.barrier();
                if (gas.rank() == 1) {
                    interrupt(window);
                    interrupt(window); // the first request still waits
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
                window.lock(LockMode.SHARED, 0);
                window.get(0, 3, value);
                window.unlock(0);
                assertEquals(10 * gas.rankCount(), value.get(LONG, 0));
                gas.barrier();
            }));
    }

    private static void interrupt(Window window) {
        MemorySegment value = Jobs.empty(8);
        Thread.currentThread().interrupt();
        assertThrows(WaitInterruptedException.class, () -> {
            window.lock(LockMode.SHARED, 0);
            window.put(0, 0, value); // of two operations none travels with the request for the lock
            window.put(0, 1, value);
            window.unlock(0);
        });
        assertTrue(Thread.interrupted());
    }
}

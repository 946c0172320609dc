package org.tributary.benchmarks.measure;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CpuTimeTest {
    private static final long BUSY_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final long pid = ProcessHandle.current().pid();

    @Test
    void shouldGrowByWhatAThreadUsedWhenItWasBusy() throws IOException {
        CpuTime before = CpuTime.ofProcess(pid);
        useProcessor(BUSY_NS);

        long used = CpuTime.ofProcess(pid).since(before);

        assertTrue(used >= BUSY_NS, used + " ns");
        assertTrue(used < 100 * BUSY_NS, used + " ns");
    }

    /** It has used more before the first look than the others use until the second. */
    @Test
    void shouldLoseNothingOfTheOthersWhenAThreadHasEnded() throws Exception {
        CountDownLatch isDone = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Thread ending = Thread.ofPlatform().start(() -> {
            useProcessor(5 * BUSY_NS);
            isDone.countDown();
            try {
                mayEnd.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        isDone.await();
        CpuTime before = CpuTime.ofProcess(pid);
        mayEnd.countDown();
        ending.join();
        useProcessor(BUSY_NS);

        long used = CpuTime.ofProcess(pid).since(before);

        assertTrue(used >= BUSY_NS, used + " ns");
    }

    private static void useProcessor(long ns) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long start = threads.getCurrentThreadCpuTime();
        while (threads.getCurrentThreadCpuTime() - start < ns) {
            Thread.onSpinWait();
        }
    }
}

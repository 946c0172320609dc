package org.tributary.benchmarks.measure;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CpuTimeTest {
    private static final long BUSY_NS = TimeUnit.MILLISECONDS.toNanos(100);

    @Test
    void shouldGrowByWhatAThreadUsedWhenItWasBusy() throws IOException {
        long pid = ProcessHandle.current().pid();
        long before = CpuTime.ofProcess(pid);
        long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        while (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start < BUSY_NS) {
            Thread.onSpinWait();
        }

        long used = CpuTime.ofProcess(pid) - before;

        assertTrue(used >= BUSY_NS, used + " ns");
        assertTrue(used < 100 * BUSY_NS, used + " ns");
    }
}

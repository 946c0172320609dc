package org.tributary.client.window;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.client.Gas;
import org.tributary.client.testing.TestJob;
import org.tributary.config.Topology;
import org.tributary.wire.codec.LockMode;

/**
 * Ranks 0 and 1 hold several parts together, which they lock in different orders; ranks 2 and 3 wait for one part each,
 * which one of these holds and the other one wants. No rank waits for ever.
 */
class LockCircleTest {
    private static final Pattern WAITING = Pattern.compile("(?m)^tributary_window_waiting(?:\\{[^}]*})? (\\d+)");
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(2);

    private interface Readers {
        /** Of rank {@code first} and then of {@code second}, each time after a step of the others. */
        void access(Window window, int first, int second, Runnable step);
    }

    private static MemorySegment one() {
        return MemorySegment.ofArray(new long[] {1});
    }

    /** Waits until so many ranks wait for locks, by the counters of the servers. */
    static void awaitWaiting(TestJob job, Topology topology, int ranks) {
        int waiting = 0;
        while (waiting < ranks) {
            waiting = 0;
            for (int node = 0; node < topology.nodeCount(); node++) {
                Matcher matcher = WAITING.matcher(job.metrics(node));
                waiting += matcher.find() ? Integer.parseInt(matcher.group(1)) : 0;
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    private static void run(String layout, EpochDesign design, Readers readers) {
        Topology topology = TestJob.topology(layout);
        try (TestJob job = TestJob.start(topology, "server.metrics-port=0")) {
            job.run(gas -> Windows.use(Windows.allocate(gas, gas.world(), 8 * 4, 8,
                WindowOptions.DEFAULT.withLock(design)), window -> {
                if (gas.rank() < 2) {
                    readers.access(window, 2 + gas.rank(), 3 - gas.rank(), () -> {
                        gas.barrier();
                        if (gas.rank() == 0) {
                            awaitWaiting(job, topology, 2);
                            gas.notify(1);
                        } else {
                            gas.waitNotify(0);
                        }
                    });
                } else {
                    write(gas, window);
                }
                gas.barrier();
                if (gas.rank() >= 2) {
                    for (long word = 0; word < 3; word++) {
                        assertEquals(1, window.local().get(ValueLayout.JAVA_LONG, Long.BYTES * word), "word " + word);
                    }
                }
                gas.barrier();
            }));
        }
    }

    private static void write(Gas gas, Window window) {
        gas.barrier();
        window.lock(LockMode.EXCLUSIVE, gas.rank());
        window.put(gas.rank(), 2, one());
        window.unlock(gas.rank());
    }

    @ParameterizedTest
    @CsvSource({"1*4, DEFERRED", "1*4, IMMEDIATE", "2*2, DEFERRED", "2*2, IMMEDIATE", "4*1, DEFERRED", "4*1, AUTO",
        "2*2, AUTO"})
    void shouldEndAllEpochsWhenLockAllTakesLocksInDifferentOrders(String layout, EpochDesign design) {
        run(layout, design, (window, first, second, step) -> {
            int self = window.group().rank();
            window.lockAll();
            window.put(first, self, one());
            window.flush(first); // holds it, whatever the design
            step.run();
            window.put(second, self, one());
            window.flush(second);
            window.unlockAll();
        });
    }

    @ParameterizedTest
    @CsvSource({"1*4, DEFERRED", "2*2, IMMEDIATE", "4*1, DEFERRED"})
    void shouldEndAllEpochsWhenTheLastLocksAreTakenByUnlockAll(String layout, EpochDesign design) {
        run(layout, design, (window, first, second, step) -> {
            int self = window.group().rank();
            window.lockAll();
            window.put(first, self, one());
            window.flush(first);
            step.run();
            window.put(second, self, one()); // one that may travel with the lock
            window.unlockAll();
        });
    }

    @ParameterizedTest
    @CsvSource({"1*4, DEFERRED", "2*2, IMMEDIATE", "4*1, DEFERRED"})
    void shouldEndAllEpochsWhenSharedLocksAreTakenInDifferentOrders(String layout, EpochDesign design) {
        run(layout, design, (window, first, second, step) -> {
            int self = window.group().rank();
            window.lock(LockMode.SHARED, first);
            window.put(first, self, one());
            window.flush(first);
            step.run();
            window.lock(LockMode.SHARED, second);
            window.put(second, self, one());
            window.unlock(second);
            window.unlock(first);
        });
    }
}

package org.tributary.client.window;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.client.Gas;
import org.tributary.client.testing.TestJob;
import org.tributary.config.Topology;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/**
 * Ranks 0 and 1 hold several parts together. They lock them in different orders, shared, and ranks 2 and 3 wait for one
 * part each, which one of these holds and the other one wants; or they lock them in the same order. No rank waits for
 * ever.
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

    private static void add(Window window, int part, long... values) {
        window.accumulate(part, 0, ReduceOp.SUM, ElementType.LONG, MemorySegment.ofArray(values), 0,
            (long) Long.BYTES * values.length);
    }

    /** Rank 1 tries while rank 0 holds the part that both lock first: it must not hold the other one, its own. */
    @ParameterizedTest
    @CsvSource({"DEFERRED, EXCLUSIVE, EXCLUSIVE", "AUTO, EXCLUSIVE, EXCLUSIVE", "IMMEDIATE, EXCLUSIVE, EXCLUSIVE",
        "DEFERRED, EXCLUSIVE, SHARED", "AUTO, SHARED, EXCLUSIVE"})
    void shouldEndBothEpochsWhenPartsAreLockedInTheSameOrder(EpochDesign design, LockMode ofFirst, LockMode ofSecond) {
        Topology topology = TestJob.topology("2*1");
        try (TestJob job = TestJob.start(topology, "server.metrics-port=0")) {
            job.run(gas -> Windows.use(Windows.allocate(gas, gas.world(), 8, 8,
                WindowOptions.DEFAULT.withLock(design)), window -> {
                LockMode mode = gas.rank() == 0 ? ofFirst : ofSecond;
                if (gas.rank() == 0) {
                    window.lock(mode, 0);
                    gas.notify(1);
                    awaitWaiting(job, topology, 1);
                } else {
                    gas.waitNotify(0);
                    window.lock(mode, 0);
                }
                window.lock(mode, 1);
                add(window, 0, 1);
                add(window, 1, 1);
                window.flushAll();
                window.unlock(0);
                window.unlock(1);
                gas.barrier();
                assertEquals(2, window.local().get(ValueLayout.JAVA_LONG, 0));
                gas.barrier();
            }));
        }
    }

    /** So many numbers that the automatic design takes the lock of the second part at once, or one. */
    @ParameterizedTest
    @CsvSource({"DEFERRED, 1", "AUTO, 1", "AUTO, 512", "IMMEDIATE, 1"})
    void shouldEndBothEpochsWhenTheSecondPartIsUsedFirst(EpochDesign design, int numbers) {
        Topology topology = TestJob.topology("4*1");
        long[] ones = LongStream.generate(() -> 1).limit(numbers).toArray();
        try (TestJob job = TestJob.start(topology, "server.metrics-port=0")) {
            job.run(gas -> Windows.use(Windows.allocate(gas, gas.world(), (long) Long.BYTES * numbers, 8,
                WindowOptions.DEFAULT.withLock(design)), window -> {
                if (gas.rank() == 0) {
                    window.lock(LockMode.EXCLUSIVE, 2);
                    add(window, 2, 1);
                    window.flush(2); // holds it, whatever the design
                    gas.notify(1);
                    awaitWaiting(job, topology, 1);
                    window.lock(LockMode.EXCLUSIVE, 3);
                    add(window, 3, 1); // one that may travel with the lock
                    window.unlock(3);
                    window.unlock(2);
                } else if (gas.rank() == 1) {
                    gas.waitNotify(0);
                    window.lock(LockMode.EXCLUSIVE, 2);
                    window.lock(LockMode.EXCLUSIVE, 3);
                    add(window, 3, ones);
                    window.flush(3);
                    add(window, 2, ones);
                    window.unlock(2);
                    window.unlock(3);
                }
                gas.barrier();
                if (gas.rank() >= 2) {
                    assertEquals(2, window.local().get(ValueLayout.JAVA_LONG, 0));
                }
                gas.barrier();
            }));
        }
    }
}

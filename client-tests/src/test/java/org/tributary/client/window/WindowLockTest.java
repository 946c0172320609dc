package org.tributary.client.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.tributary.client.EveryPath;
import org.tributary.client.Gas;
import org.tributary.client.Jobs;
import org.tributary.client.testing.TestJob;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/** Locks, requests and flushes, in every design on every path. */
class WindowLockTest {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final int LARGE = 200_000;

    private interface Check {
        void run(Gas gas, Window window, EpochDesign design) throws Exception;
    }

    private static void inEveryDesign(String layout, long bytes, Check check) {
        Jobs.run(layout, gas -> {
            for (EpochDesign design : EpochDesign.values()) {
                try {
                    Windows.use(Windows.allocate(gas, gas.world(), bytes, 8,
                        WindowOptions.DEFAULT.withLock(design)), window -> {
                        check.run(gas, window, design);
                        gas.barrier();
                    });
                } catch (AssertionError e) {
                    throw new AssertionError(design + ", rank " + gas.rank() + ": " + e.getMessage(), e);
                }
            }
        });
    }

    @EveryPath
    void shouldLoseNoIncrementWhenReadModifyWriteIsExclusive(String layout) {
        inEveryDesign(layout, 8, (gas, window, design) -> {
            int rounds = 40;
            MemorySegment value = Jobs.empty(8);
            for (int i = 0; i < rounds; i++) {
                window.lock(LockMode.EXCLUSIVE, 0);
                window.get(0, 0, value);
                window.flush(0);
                value.set(LONG, 0, value.get(LONG, 0) + 1);
                window.put(0, 0, value);
                window.unlock(0);
            }
            gas.barrier();
            window.lock(LockMode.SHARED, 0);
            window.get(0, 0, value);
            window.unlock(0);
            assertEquals((long) rounds * gas.rankCount(), value.get(LONG, 0));
        });
    }

    @EveryPath
    void shouldNeverShowHalfOfAnEpochWhenWritersAreExclusive(String layout) {
        int longs = 5_000;
        int parts = 4;
        inEveryDesign(layout, 8L * longs * parts, (gas, window, design) -> {
            boolean writer = gas.rank() % 2 == 0;
            long[] contents = new long[longs * parts];
            MemorySegment buffer = MemorySegment.ofArray(contents);
            for (int round = 0; round < 12; round++) {
                if (writer) {
                    Arrays.fill(contents, 1000L * round + gas.rank());
                }
                window.lock(writer ? LockMode.EXCLUSIVE : LockMode.SHARED, 0);
                for (int part = 0; part < parts; part++) {
                    long at = (long) part * longs;
                    if (writer) {
                        window.put(0, at, buffer, 8 * at, 8L * longs);
                    } else {
                        window.get(0, at, buffer, 8 * at, 8L * longs);
                    }
                }
                window.unlock(0);
                for (long each : contents) {
                    assertEquals(contents[0], each);
                }
            }
        });
    }

    @EveryPath
    void shouldLetHoldersInTogetherWhenShared(String layout) {
        Jobs.run(layout, gas -> {
            Windows.use(Windows.allocate(gas, gas.world(), 8, 8,
                WindowOptions.DEFAULT.withLock(EpochDesign.IMMEDIATE)), window -> {
                window.lock(LockMode.SHARED, 0);
                gas.barrier(); // all hold it at once, or this never ends
                window.accumulate(0, 0, ReduceOp.SUM, ElementType.LONG, MemorySegment.ofArray(new long[] {3}), 0, 8);
                window.unlock(0);
                gas.barrier();
                if (gas.rank() == 0) {
                    assertEquals(3L * gas.rankCount(), window.local().get(LONG, 0));
                }
                gas.barrier();
            });
        });
    }

    @EveryPath
    void shouldReleaseWhatWasNeverUsedWhenUnlocked(String layout) {
        inEveryDesign(layout, 8, (gas, window, design) -> {
            for (int i = 0; i < 10; i++) {
                window.lock(LockMode.EXCLUSIVE, 0);
                window.unlock(0);
                window.lockAll();
                window.unlockAll();
                window.lock(LockMode.SHARED, 0, Assertion.NOCHECK);
                window.unlock(0);
            }
            window.lock(LockMode.EXCLUSIVE, 0);
            window.put(0, 0, MemorySegment.ofArray(new long[] {7}));
            window.unlock(0);
        });
    }

    @EveryPath
    void shouldAccessAllWhenUncheckedLocksAreUsedApart(String layout) {
        inEveryDesign(layout, 8L * 16, (gas, window, design) -> {
            int ranks = gas.rankCount();
            MemorySegment own = MemorySegment.ofArray(new long[] {gas.rank() + 1L});
            window.lockAll(Assertion.NOCHECK);
            for (int rank = 0; rank < ranks; rank++) {
                window.put(rank, gas.rank(), own);
            }
            window.unlockAll();
            gas.barrier();
            for (int rank = 0; rank < ranks; rank++) {
                assertEquals(rank + 1, window.local().get(LONG, 8L * rank));
            }
            gas.barrier();
            int right = (gas.rank() + 1) % ranks;
            MemorySegment got = Jobs.empty(8);
            window.lock(LockMode.EXCLUSIVE, right, Assertion.NOCHECK);
            window.put(right, 0, MemorySegment.ofArray(new long[] {-5}));
            window.get(right, ranks - 1L == 0 ? 0 : ranks - 1L, got);
            window.unlock(right);
            assertEquals(ranks == 1 ? -5 : ranks, got.get(LONG, 0));
            gas.barrier();
            assertEquals(-5, window.local().get(LONG, 0));
        });
    }

    @EveryPath
    void shouldCompleteRequestsWhenWaitedForOrTested(String layout) {
        inEveryDesign(layout, 4L * LARGE, (gas, window, design) -> {
            int right = (gas.rank() + 1) % gas.rankCount();
            int left = (gas.rank() + gas.rankCount() - 1) % gas.rankCount();
            MemorySegment old = Jobs.empty(8);
            window.lock(LockMode.SHARED, right);
            window.requestPut(right, 0, Jobs.random(gas.rank(), LARGE), 0, LARGE).await();
            Request small = window.requestPut(right, 2L * LARGE / 8, Jobs.random(9, 16), 8, 8);
            Request sum = window.requestAccumulate(right, 3L * LARGE / 8, ReduceOp.SUM, ElementType.LONG,
                MemorySegment.ofArray(new long[] {5}), 0, 8);
            Request fetch = window.requestGetAccumulate(right, 3L * LARGE / 8, ReduceOp.SUM, ElementType.LONG,
                MemorySegment.ofArray(new long[] {6}), 0, old, 0, 8);
            fetch.await();
            assertEquals(5, old.get(LONG, 0), "accumulates of one origin are in order");
            small.await();
            while (!sum.test()) {
                Thread.onSpinWait();
            }
            window.flush(right);
            MemorySegment back = Jobs.empty(LARGE);
            Request get = window.requestGet(right, 0, back, 0, LARGE);
            while (!get.test()) {
                Thread.onSpinWait();
            }
            Jobs.assertSame(Jobs.random(gas.rank(), LARGE), back, "read back before unlock");
            window.unlock(right);
            get.await();
            gas.barrier();
            assertEquals(11, window.local().get(LONG, 3L * LARGE));
            Jobs.assertSame(Jobs.random(left, LARGE), window.local().asSlice(0, LARGE), "put by the left");
            Jobs.assertSame(Jobs.random(9, 16).asSlice(8, 8), window.local().asSlice(2L * LARGE, 8), "small");
        });
    }

    @EveryPath
    void shouldHaveResultsOfRequestsWhenUnlockedWithoutWaitingForThem(String layout) {
        inEveryDesign(layout, LARGE, (gas, window, design) -> {
            int right = (gas.rank() + 1) % gas.rankCount();
            window.local().copyFrom(Jobs.random(gas.rank(), LARGE));
            gas.barrier();
            MemorySegment one = Jobs.empty(LARGE);
            MemorySegment other = Jobs.empty(LARGE);
            window.lock(LockMode.SHARED, right);
            window.requestGet(right, 0, one, 0, LARGE);
            window.requestGet(right, 0, other, 0, LARGE);
            window.unlock(right);
            Jobs.assertSame(Jobs.random(right, LARGE), one, "one");
            Jobs.assertSame(Jobs.random(right, LARGE), other, "other");
            gas.barrier();
        });
    }

    @EveryPath
    void shouldShowEffectsWhenFlushed(String layout) {
        inEveryDesign(layout, 2L * LARGE, (gas, window, design) -> {
            int right = (gas.rank() + 1) % gas.rankCount();
            int left = (gas.rank() + gas.rankCount() - 1) % gas.rankCount();
            window.lockAll();
            for (int round = 0; round < 4; round++) {
                MemorySegment source = Jobs.random(10L * gas.rank() + round, LARGE);
                window.put(right, 0, source);
                if (round == 0) {
                    window.flush(right);
                } else if (round == 1) {
                    window.flushAll();
                } else if (round == 2) {
                    window.flushLocal(right);
                    source.fill((byte) 0);
                    window.flush(right);
                } else {
                    window.flushLocalAll();
                    source.fill((byte) 0);
                    window.flushAll();
                }
                gas.barrier();
                window.sync();
                Jobs.assertSame(Jobs.random(10L * left + round, LARGE), window.local().asSlice(0, LARGE),
                    "round " + round);
                MemorySegment back = Jobs.empty(LARGE);
                window.get(right, 0, back);
                window.flushLocal(right);
                Jobs.assertSame(Jobs.random(10L * gas.rank() + round, LARGE), back, "read back " + round);
                gas.barrier();
            }
            window.unlockAll();
        });
    }

    @EveryPath
    void shouldCompleteEpochWhenTargetComputes(String layout) {
        AtomicBoolean computing = new AtomicBoolean(true);
        CountDownLatch others = new CountDownLatch(rankCount(layout) - 1);
        Jobs.run(layout, gas -> {
            try (Window window = Windows.allocate(gas, gas.world(), 64, 8, WindowOptions.DEFAULT);
                 Window deferred = Windows.allocate(gas, gas.world(), 64, 8,
                     WindowOptions.DEFAULT.withLock(EpochDesign.DEFERRED));
                 Window immediate = Windows.allocate(gas, gas.world(), 64, 8,
                     WindowOptions.DEFAULT.withLock(EpochDesign.IMMEDIATE))) {
                int target = gas.rankCount() - 1;
                gas.barrier();
                if (gas.rank() == target) {
                    while (computing.get()) { // no call into the library at all
                        Thread.onSpinWait();
                    }
                } else {
                    try {
                        for (Window each : new Window[] {window, deferred, immediate}) {
                            passive(each, target);
                        }
                    } finally {
                        others.countDown();
                        if (others.getCount() == 0) {
                            computing.set(false);
                        }
                    }
                    while (computing.get()) {
                        LockSupport.parkNanos(100_000);
                    }
                }
                gas.barrier();
                assertTrue(gas.rank() != target || window.local().get(LONG, 0) == 2L * (gas.rankCount() - 1));
            }
        });
    }

    private static int rankCount(String layout) {
        return TestJob.topology(layout).rankCount();
    }

    private static void passive(Window window, int target) {
        MemorySegment one = MemorySegment.ofArray(new long[] {1});
        MemorySegment old = Jobs.empty(8);
        window.lock(LockMode.EXCLUSIVE, target);
        window.accumulate(target, 0, ReduceOp.SUM, ElementType.LONG, one, 0, 8);
        window.unlock(target);
        window.lock(LockMode.SHARED, target);
        window.fetchAndOp(target, 0, ReduceOp.SUM, ElementType.LONG, one, old);
        window.put(target, 1 + window.group().rank(), one);
        window.unlock(target);
        assertTrue(old.get(LONG, 0) >= 1);
    }
}

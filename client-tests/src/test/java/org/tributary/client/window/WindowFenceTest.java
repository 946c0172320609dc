package org.tributary.client.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.EveryPath;
import org.tributary.client.Gas;
import org.tributary.client.Group;
import org.tributary.client.Jobs;
import org.tributary.wire.codec.LockMode;

/** Fences with and without assertions, in every design on every path. */
class WindowFenceTest {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final int LARGE = 200_000;

    private interface Check {
        void run(Gas gas, Window window, FenceDesign design) throws Exception;
    }

    private static void inEveryDesign(String layout, long bytes, Check check) {
        Jobs.run(layout, gas -> {
            for (FenceDesign design : FenceDesign.values()) {
                try {
                    Windows.use(Windows.allocate(gas, gas.world(), bytes, 8,
                        WindowOptions.DEFAULT.withFence(design)), window -> check.run(gas, window, design));
                } catch (AssertionError e) {
                    throw new AssertionError(design + ", rank " + gas.rank() + ": " + e.getMessage(), e);
                }
            }
        });
    }

    @EveryPath
    void shouldOrderEpochsWhenFencesFollowEachOther(String layout) {
        inEveryDesign(layout, 2L * LARGE, (gas, window, design) -> {
            int ranks = gas.rankCount();
            MemorySegment got = Jobs.empty(LARGE);
            window.fence();
            for (int epoch = 0; epoch < 12; epoch++) {
                int target = (gas.rank() + 1 + epoch) % ranks;
                int size = epoch % 3 == 0 ? LARGE : 64;
                window.put(target, 0, Jobs.random(100L * epoch + gas.rank(), size)); // over the last epoch's
                window.fence();
                int origin = Math.floorMod(gas.rank() - 1 - epoch, ranks);
                int reader = (target + 1) % ranks;
                window.get(reader, 0, got, 0, size);
                window.fence(Assertion.NOSTORE, Assertion.NOPUT);
                int putThere = Math.floorMod(reader - 1 - epoch, ranks);
                Jobs.assertSame(Jobs.random(100L * epoch + putThere, size), got.asSlice(0, size), "got " + epoch);
                Jobs.assertSame(Jobs.random(100L * epoch + origin, size), window.local().asSlice(0, size),
                    "local " + epoch);
                window.fence();
            }
            window.fence(Assertion.NOSUCCEED);
        });
    }

    @EveryPath
    void shouldShowDirectStoresWhenFenceOpensEpoch(String layout) {
        inEveryDesign(layout, LARGE, (gas, window, design) -> {
            MemorySegment got = Jobs.empty(LARGE);
            for (int epoch = 0; epoch < 6; epoch++) {
                MemorySegment.copy(Jobs.random(10L * epoch + gas.rank(), LARGE), 0, window.local(), 0, LARGE);
                window.fence(Assertion.NOPRECEDE, Assertion.NOPUT);
                int target = (gas.rank() + 1 + epoch) % gas.rankCount();
                window.get(target, 0, got);
                window.fence(Assertion.NOSTORE, Assertion.NOSUCCEED); // the target stores again after this
                Jobs.assertSame(Jobs.random(10L * epoch + target, LARGE), got, "got " + epoch);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"6*1", "2,1,2,1"})
    void shouldWaitForDataWhenItTakesLongerThanTheCollective(String layout) {
        int bytes = 1 << 20;
        inEveryDesign(layout, bytes, (gas, window, design) -> {
            int ranks = gas.rankCount();
            for (int epoch = 0; epoch < 15; epoch++) {
                window.fence(Assertion.NOPRECEDE);
                int target = (gas.rank() + 1 + epoch) % ranks;
                window.put(target, 0, Jobs.random(100L * epoch + gas.rank(), bytes));
                window.fence(Assertion.NOSUCCEED);
                Jobs.assertSame(Jobs.random(100L * epoch + Math.floorMod(gas.rank() - 1 - epoch, ranks), bytes),
                    window.local(), "epoch " + epoch);
            }
        });
    }

    @EveryPath
    void shouldWaitForNobodysPutsWhenNoneWerePromised(String layout) {
        inEveryDesign(layout, 64, (gas, window, design) -> {
            // Everyone puts to rank 0, so all others promise that nothing comes.
            for (int epoch = 1; epoch < 10; epoch++) {
                if (gas.rank() == 0) {
                    window.fence();
                } else {
                    window.fence(Assertion.NOPUT);
                }
                if (gas.rank() < 7) {
                    window.put(0, gas.rank(), MemorySegment.ofArray(new long[] {10L * epoch + gas.rank()}));
                }
                window.fence();
                for (int rank = 0; gas.rank() == 0 && rank < Math.min(7, gas.rankCount()); rank++) {
                    assertEquals(10L * epoch + rank, window.local().get(LONG, 8L * rank));
                }
            }
            window.fence(Assertion.NOSUCCEED);
        });
    }

    @EveryPath
    void shouldSynchronizeNothingElseWhenFencesAreEmpty(String layout) {
        inEveryDesign(layout, 8, (gas, window, design) -> {
            for (int i = 0; i < 20; i++) {
                window.fence(Assertion.NOPRECEDE);
                window.fence();
                window.fence(Assertion.NOPRECEDE, Assertion.NOSUCCEED);
                window.fence();
                window.fence(Assertion.NOSUCCEED);
            }
        });
    }

    @EveryPath
    void shouldWorkWhenGroupIsPartOfJob(String layout) {
        Jobs.run(layout, gas -> {
            Group some = gas.world().split(gas.rank() % 2, -gas.rank());
            for (FenceDesign design : FenceDesign.values()) {
                Windows.use(Windows.allocate(gas, some, 8L * some.size(), 8,
                    WindowOptions.DEFAULT.withFence(design)), window -> {
                    window.fence(Assertion.NOPRECEDE);
                    for (int rank : some.worldRanks()) {
                        window.put(rank, some.rank(), MemorySegment.ofArray(new long[] {gas.rank() + 1}));
                    }
                    window.fence(Assertion.NOSUCCEED);
                    for (int member = 0; member < some.size(); member++) {
                        assertEquals(some.worldRank(member) + 1, window.local().get(LONG, 8L * member));
                    }
                });
            }
            some.close();
        });
    }

    @EveryPath
    void shouldSayWhyWhenDesignWasChosen(String layout) {
        Jobs.run(layout, gas -> {
            try (Window window = Window.allocate(gas, gas.world(), 64, 8, WindowOptions.DEFAULT);
                 Window fixed = Window.allocate(gas, gas.world(), 64, 8, new WindowOptions(FenceDesign.DEFERRED,
                     EpochDesign.DEFERRED, EpochDesign.IMMEDIATE, false))) {
                MemorySegment eight = Jobs.random(1, 8);
                int right = (gas.rank() + 1) % gas.rankCount();
                window.fence();
                window.put(right, 0, eight);
                window.fence(Assertion.NOSUCCEED);
                explains(window.fenceChoice(), FenceDesign.values().length - 1);
                window.post(new int[] {(gas.rank() + gas.rankCount() - 1) % gas.rankCount()});
                window.start(new int[] {right});
                window.put(right, 0, eight);
                window.complete();
                window.await();
                explains(window.exposureChoice(), 2);
                gas.barrier();
                window.lock(LockMode.EXCLUSIVE, right);
                window.put(right, 0, eight);
                window.unlock(right);
                explains(window.lockChoice(), 2);
                fixed.fence();
                assertNull(fixed.fenceChoice());
                assertNull(fixed.exposureChoice());
                assertNull(fixed.lockChoice());
            }
        });
    }

    @EveryPath
    void shouldChooseWhatItsEstimatesSayWhenBytesGrow(String layout) {
        int most = 4 << 20;
        WindowOptions automatic = WindowOptions.DEFAULT;
        Jobs.run(layout, gas -> Windows.use(Window.allocate(gas, gas.world(), most, 8, automatic), window -> {
            MemorySegment source = Jobs.random(1, most);
            int right = (gas.rank() + 1) % gas.rankCount();
            int[] left = {(gas.rank() + gas.rankCount() - 1) % gas.rankCount()};
            for (int bytes = 64; bytes <= most; bytes *= 8) {
                window.fence();
                window.put(right, 0, source, 0, bytes);
                window.fence(Assertion.NOSUCCEED);
                explains(window.fenceChoice(), FenceDesign.values().length - 1);
                window.post(left);
                window.start(new int[] {right});
                window.put(right, 0, source, 0, bytes);
                window.complete();
                window.await();
                explains(window.exposureChoice(), 2);
                gas.barrier();
                window.lock(LockMode.SHARED, right);
                for (int part = 0; part < 4; part++) {
                    window.put(right, part * (bytes / 32), source, 0, bytes / 4);
                }
                window.unlock(right);
                explains(window.lockChoice(), 2);
            }
            window.lock(LockMode.SHARED, right);
            window.flush(right);
            window.unlock(right);
            String reason = window.lockChoice().inputs();
            assertTrue(gas.sameNode(right) || reason.contains("a flush or a request asks for it"), reason);
        }));
    }

    /** The cheapest, unless what that needs was not there; fences defer unless an eighth less is promised. */
    private static void explains(Choice choice, int designs) {
        assertNotNull(choice);
        if (!choice.inputs().contains("which they had not")) {
            double share = choice.inputs().contains("must promise 1/8 less") ? 7.0 / 8 : 1;
            double chosenUs = choice.estimatesUs().get(choice.design());
            assertTrue(choice.estimatesUs().entrySet().stream().allMatch(estimate -> estimate.getValue()
                >= chosenUs * (estimate.getKey().equals(choice.design()) ? 1 : share)), choice::toString);
            double deferredUs = choice.estimatesUs().getOrDefault("DEFERRED", Double.MAX_VALUE);
            assertTrue(choice.design().equals("DEFERRED") || designs < FenceDesign.values().length - 1
                || chosenUs < deferredUs * 7 / 8, choice::toString);
        }
        assertEquals(designs, choice.estimatesUs().size(), choice::toString);
        assertTrue(choice.estimatesUs().containsKey(choice.design()), choice::toString);
        assertTrue(choice.toString().startsWith(choice.design() + ", as the estimates are "), choice::toString);
        assertTrue(choice.inputs().contains("alpha "), choice::toString);
    }
}

package org.tributary.client.window;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import org.tributary.client.EveryPath;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.Jobs;

/** Post, start, complete and wait, in every design on every path. */
class WindowExposureTest {
    private static final int LARGE = 200_000;

    private interface Check {
        void run(Gas gas, Window window, EpochDesign design) throws Exception;
    }

    private static void inEveryDesign(String layout, long bytes, Check check) {
        Jobs.run(layout, gas -> {
            for (EpochDesign design : EpochDesign.values()) {
                try {
                    Windows.use(Windows.allocate(gas, gas.world(), bytes, 8,
                        WindowOptions.DEFAULT.withExposure(design)), window -> check.run(gas, window, design));
                } catch (AssertionError e) {
                    throw new AssertionError(design + ", rank " + gas.rank() + ": " + e.getMessage(), e);
                }
            }
        });
    }

    private static int right(Gas gas) {
        return (gas.rank() + 1) % gas.rankCount();
    }

    private static int left(Gas gas) {
        return (gas.rank() + gas.rankCount() - 1) % gas.rankCount();
    }

    @EveryPath
    void shouldPassDataAlongWhenNeighboursExpose(String layout) {
        inEveryDesign(layout, 2L * LARGE, (gas, window, design) -> {
            MemorySegment got = Jobs.empty(LARGE);
            for (int epoch = 0; epoch < 12; epoch++) {
                int size = epoch % 3 == 0 ? LARGE : 64;
                MemorySegment.copy(Jobs.random(7L * epoch + gas.rank(), size), 0, window.local(), LARGE, size);
                window.post(new int[] {left(gas)});
                window.start(new int[] {right(gas)});
                window.put(right(gas), 0, Jobs.random(epoch + 1000L * gas.rank(), size));
                window.get(right(gas), LARGE / 8, got, 0, size);
                window.complete();
                Jobs.assertSame(Jobs.random(7L * epoch + right(gas), size), got.asSlice(0, size), "got " + epoch);
                window.await();
                Jobs.assertSame(Jobs.random(epoch + 1000L * left(gas), size), window.local().asSlice(0, size),
                    "put " + epoch);
            }
        });
    }

    @EveryPath
    void shouldNotEndExposureWhenOneOriginIsStillIn(String layout) {
        inEveryDesign(layout, 64, (gas, window, design) -> {
            GlobalMemory flag = gas.allocate(8);
            int target = gas.rankCount() - 1;
            if (gas.rank() == target) {
                int[] origins = new int[target];
                for (int rank = 0; rank < target; rank++) {
                    origins[rank] = rank;
                }
                window.post(origins);
                for (int i = 0; i < 1_000; i++) {
                    assertFalse(window.test(), "origin 0 has not completed");
                }
                flag.setFlag(0, 0, 1);
                while (!window.test()) {
                    Thread.onSpinWait();
                }
                for (int rank = 0; rank < Math.min(target, 8); rank++) {
                    Jobs.assertSame(Jobs.random(rank, 8), window.local().asSlice(8L * rank, 8), "put by " + rank);
                }
            } else {
                window.start(new int[] {target});
                if (gas.rank() < 8) {
                    window.put(target, gas.rank(), Jobs.random(gas.rank(), 8));
                }
                if (gas.rank() == 0) {
                    flag.awaitFlag(0, 1, target);
                }
                window.complete();
            }
            gas.barrier();
            flag.close();
        });
    }

    @EveryPath
    void shouldNotAccessWhenTargetHasNotPosted(String layout) {
        inEveryDesign(layout, LARGE, (gas, window, design) -> {
            GlobalMemory flag = gas.allocate(8);
            if (gas.rank() == 0) {
                MemorySegment.copy(Jobs.random(1, LARGE), 0, window.local(), 0, LARGE);
            }
            gas.barrier();
            if (gas.rank() == 1) {
                flag.setFlag(0, 0, 1);
                window.start(new int[] {0});
                window.put(0, 0, Jobs.random(2, LARGE));
                window.complete();
            } else if (gas.rank() == 0) {
                flag.awaitFlag(0, 1, 1);
                for (int i = 0; i < 20; i++) { // the other one is at it meanwhile
                    Jobs.assertSame(Jobs.random(1, LARGE), window.local(), "before post");
                }
                window.post(new int[] {1});
                window.await();
                Jobs.assertSame(Jobs.random(2, LARGE), window.local(), "after wait");
            }
            gas.barrier();
            flag.close();
        });
    }

    @EveryPath
    void shouldNeedNoFlagWhenPostsAreCertain(String layout) {
        inEveryDesign(layout, LARGE, (gas, window, design) -> {
            for (int epoch = 0; epoch < 5; epoch++) {
                window.post(new int[] {left(gas)}, Assertion.NOCHECK);
                gas.barrier();
                window.start(new int[] {right(gas)}, Assertion.NOCHECK);
                window.put(right(gas), 0, Jobs.random(epoch + 100L * gas.rank(), LARGE));
                window.complete();
                window.await();
                Jobs.assertSame(Jobs.random(epoch + 100L * left(gas), LARGE), window.local(), "epoch " + epoch);
                window.post(new int[] {right(gas)}); // one that is checked between those that are not
                window.start(new int[] {left(gas)});
                window.put(left(gas), 0, Jobs.random(epoch + 200L * gas.rank(), LARGE));
                window.complete();
                window.await();
                Jobs.assertSame(Jobs.random(epoch + 200L * right(gas), LARGE), window.local(), "back " + epoch);
            }
        });
    }

    @EveryPath
    void shouldEndWhenGroupsAreEmptyOrUnused(String layout) {
        inEveryDesign(layout, 64, (gas, window, design) -> {
            window.post(new int[0]);
            assertTrue(window.test());
            window.post(new int[0]);
            window.start(new int[0]);
            window.complete();
            window.await();
            window.post(gas.world().worldRanks());
            window.start(gas.world().worldRanks());
            window.complete();
            window.await();
        });
    }
}

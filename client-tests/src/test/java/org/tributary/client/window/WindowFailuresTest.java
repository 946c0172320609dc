package org.tributary.client.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.Internals;
import org.tributary.client.Jobs;
import org.tributary.client.error.GasException;
import org.tributary.client.error.InvalidAddressException;
import org.tributary.client.error.JobAbortedException;
import org.tributary.client.segment.NewSegment;
import org.tributary.testsupport.TestedProviders;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/**
 * An operation of an epoch that fails at its target: the end of the epoch says so, and nobody else notices. Rank 1 has
 * lost its part, as if a member had freed what another one still uses; rank 2 has its own.
 */
class WindowFailuresTest {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final int BYTES = 400_000;
    private static final int LARGE = 300_000;
    private static final int LOST = 1;
    private static final int KEPT = 2;
    private static final MemorySegment ONE = MemorySegment.ofArray(new long[] {1});

    private interface Check {
        void run(Gas gas, Window window) throws Exception;
    }

    /** How an operation on the lost part fails. */
    private enum Failing {
        GET {
            @Override
            void issue(Window window) {
                window.get(LOST, 0, Jobs.empty(8));
            }
        },
        LARGE_GET { // by a network adapter, if there is one
            @Override
            void issue(Window window) {
                window.get(LOST, 0, Jobs.empty(LARGE));
            }
        },
        ACCUMULATE {
            @Override
            void issue(Window window) {
                accumulate(window, LOST);
            }
        },
        PUT_AND_GET {
            @Override
            void issue(Window window) {
                window.put(LOST, 1, ONE);
                window.get(LOST, 0, Jobs.empty(8));
            }
        };

        abstract void issue(Window window);
    }

    private static void accumulate(Window window, int rank) {
        window.accumulate(rank, 0, ReduceOp.SUM, ElementType.LONG, ONE, 0, 8);
    }

    private static <D> Stream<Arguments> with(D[] designs) {
        return Arrays.stream(designs).flatMap(design -> Stream.concat(
            Arrays.stream(Failing.values()).map(failing -> Arguments.of("3*1", design, failing)),
            TestedProviders.with("3*1").limit(1).map(layout -> Arguments.of(layout, design, Failing.LARGE_GET))));
    }

    private static Stream<Arguments> designs() {
        return with(EpochDesign.values());
    }

    private static Stream<Arguments> fenceDesigns() {
        return with(FenceDesign.values());
    }

    private static WindowOptions options(FenceDesign fence, EpochDesign design) {
        return new WindowOptions(fence, design, design, false);
    }

    /** Makes a window of memory that rank 1 loses. */
    private static void run(String layout, WindowOptions options, Check check) {
        Jobs.run(layout, gas -> {
            GlobalMemory memory = gas.allocate(BYTES);
            Window window = Window.create(gas, gas.world(), memory, 0, BYTES, 8, options);
            if (gas.rank() == 0) {
                memory.get(LOST, 0, Jobs.empty(LARGE)); // an adapter knows the part from now on
            }
            gas.barrier();
            if (gas.rank() == LOST) {
                NewSegment.free(Internals.access(gas), memory.id());
            }
            gas.barrier();
            check.run(gas, window);
            gas.barrier();
        });
    }

    /** The end of an epoch that does not wait for its targets does not know yet whether they refuse an accumulate. */
    private static void assertFails(Gas gas, Failing failing, Runnable end) {
        assertFails(failing != Failing.ACCUMULATE ? end : () -> {
            end.run();
            gas.fence(LOST);
        });
    }

    private static void assertFails(Runnable end) {
        GasException failure = assertThrows(GasException.class, end::run);
        assertFalse(failure instanceof JobAbortedException, failure::getMessage);
    }

    @ParameterizedTest
    @MethodSource("designs")
    void shouldGiveTheLockBackWhenAnOperationFails(String layout, EpochDesign design, Failing failing) {
        run(layout, options(FenceDesign.DEFERRED, design), (gas, window) -> {
            if (gas.rank() == 0) {
                window.lock(LockMode.EXCLUSIVE, LOST);
                failing.issue(window);
                assertFails(() -> window.unlock(LOST));
            }
            gas.barrier();
            window.lock(LockMode.EXCLUSIVE, LOST);
            window.unlock(LOST);
        });
    }

    @ParameterizedTest
    @MethodSource("designs")
    void shouldExecuteTheOthersOnceWhenOneOfAllTargetsRefuses(String layout, EpochDesign design, Failing failing) {
        run(layout, options(FenceDesign.DEFERRED, design), (gas, window) -> {
            if (gas.rank() == 0) {
                window.lockAll();
                failing.issue(window);
                accumulate(window, KEPT);
                assertFails(window::unlockAll);
                window.lockAll();
                accumulate(window, KEPT);
                window.unlockAll();
            }
            gas.barrier();
            assertEquals(gas.rank() == KEPT ? 2 : 0, window.local().get(LONG, 0));
            for (int rank = 0; rank < gas.rankCount(); rank++) {
                window.lock(LockMode.EXCLUSIVE, rank);
                window.unlock(rank);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("designs")
    void shouldEndEveryExposureWhenAnOperationFails(String layout, EpochDesign design, Failing failing) {
        run(layout, options(FenceDesign.DEFERRED, design), (gas, window) -> {
            for (int round = 1; round <= 2; round++) {
                if (gas.rank() == 0) {
                    window.start(new int[] {LOST, KEPT});
                    failing.issue(window);
                    accumulate(window, KEPT);
                    assertFails(gas, failing, window::complete);
                } else {
                    window.post(new int[] {0});
                    window.await();
                    assertEquals(gas.rank() == KEPT ? round : 0, window.local().get(LONG, 0));
                }
            }
        });
    }

    @ParameterizedTest
    @MethodSource("fenceDesigns")
    void shouldEndTheFenceOfOthersWhenAnOperationFails(String layout, FenceDesign design, Failing failing) {
        run(layout, options(design, EpochDesign.DEFERRED), (gas, window) -> {
            for (int round = 1; round <= 4; round++) {
                window.fence();
                Assertion[] last = round % 2 == 0 ? new Assertion[] {Assertion.NOSUCCEED} : new Assertion[0];
                if (gas.rank() == 0) {
                    failing.issue(window);
                    accumulate(window, KEPT);
                    assertFails(gas, failing, () -> window.fence(last));
                } else {
                    window.fence(last);
                    assertEquals(gas.rank() == KEPT ? round : 0, window.local().get(LONG, 0));
                }
                gas.barrier();
            }
        });
    }

    /** What waits in a queue has passed all checks when it was called. */
    @ParameterizedTest
    @EnumSource(EpochDesign.class)
    void shouldGiveTheLockBackWhenTheMemoryHasBeenClosed(EpochDesign design) {
        Jobs.run("3*1", gas -> {
            GlobalMemory memory = gas.allocate(BYTES);
            Window window = Window.create(gas, gas.world(), memory, 0, BYTES, 8,
                options(FenceDesign.DEFERRED, design));
            if (gas.rank() == 0) {
                window.lock(LockMode.EXCLUSIVE, LOST);
                window.put(LOST, 0, ONE);
                window.put(LOST, 1, ONE);
                memory.close();
                if (design == EpochDesign.IMMEDIATE) {
                    window.unlock(LOST);
                } else {
                    assertThrows(InvalidAddressException.class, () -> window.unlock(LOST));
                }
            } else {
                memory.close();
            }
            gas.barrier();
            window.lock(LockMode.EXCLUSIVE, LOST);
            window.unlock(LOST);
            gas.barrier();
        });
    }

    /** An access epoch to a rank that has left the job without a post. */
    @ParameterizedTest
    @EnumSource(EpochDesign.class)
    void shouldEndTheExposureOfOneTargetWhenAnotherHasLeft(EpochDesign design) {
        Jobs.run("3*1", gas -> {
            Window window = Windows.allocate(gas, gas.world(), 64, 8, options(FenceDesign.DEFERRED, design));
            if (gas.rank() == 0) {
                int[] both = {LOST, KEPT};
                if (design == EpochDesign.IMMEDIATE) {
                    assertThrows(JobAbortedException.class, () -> window.start(both));
                } else {
                    window.start(both);
                    accumulate(window, LOST);
                }
                assertThrows(JobAbortedException.class, window::complete);
                window.start(new int[] {LOST});
                accumulate(window, LOST);
                window.complete();
            } else if (gas.rank() == LOST) {
                window.post(new int[] {0});
                window.await();
                window.post(new int[] {0});
                window.await();
                assertEquals(design == EpochDesign.IMMEDIATE ? 1 : 2, window.local().get(LONG, 0));
            }
        });
    }

    @Test
    void shouldCloseAllOfTheWindowWhenAFailureIsToldByItsClose() {
        Jobs.run("3*1", gas -> {
            GlobalMemory memory = gas.allocate(BYTES);
            gas.barrier();
            if (gas.rank() == LOST) {
                NewSegment.free(Internals.access(gas), memory.id());
            }
            gas.barrier();
            Window window = Windows.allocate(gas, gas.world(), 64, 8, WindowOptions.DEFAULT);
            if (gas.rank() == 0) {
                memory.put(LOST, 0, ONE);
                assertThrows(InvalidAddressException.class, window::close);
            } else {
                window.close();
            }
            gas.barrier(); // with the same segments closed by all members
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldTellEachFailureInItsOwnEpochWhenThereAreSeveral(boolean all) {
        run("3*1", options(FenceDesign.DEFERRED, EpochDesign.DEFERRED), (gas, window) -> {
            if (gas.rank() == 0) {
                for (int round = 0; round < 2; round++) {
                    if (all) {
                        window.lockAll();
                    } else {
                        window.lock(LockMode.SHARED, LOST);
                    }
                    window.put(LOST, 0, Jobs.random(1, 3000));
                    window.put(LOST, 400, Jobs.random(1, 3000));
                    window.get(LOST, 800, Jobs.empty(8));
                    window.get(LOST, 801, Jobs.empty(8));
                    assertFails(all ? window::unlockAll : () -> window.unlock(LOST));
                }
                window.lock(LockMode.SHARED, KEPT);
                window.put(KEPT, 0, ONE);
                window.unlock(KEPT);
                window.lock(LockMode.SHARED, LOST);
                window.unlock(LOST);
            }
        });
    }
}

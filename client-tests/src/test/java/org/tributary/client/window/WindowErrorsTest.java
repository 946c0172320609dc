package org.tributary.client.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.function.Executable;
import org.tributary.client.EveryPlacement;
import org.tributary.client.Gas;
import org.tributary.client.Jobs;
import org.tributary.client.error.EpochException;
import org.tributary.client.error.GasException;
import org.tributary.client.error.InvalidAddressException;
import org.tributary.client.shape.Strided;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/** What is refused, how it is said, and that the window works afterwards. */
class WindowErrorsTest {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    private interface Check {
        void run(Gas gas, Style style, Window window) throws Exception;
    }

    private static void inEveryStyle(String layout, Check check) {
        Jobs.run(layout, gas -> {
            for (Style style : Style.values()) {
                try {
                    Windows.use(style.allocate(gas, 64, 4), window -> {
                        check.run(gas, style, window);
                        works(gas, style, window);
                    });
                } catch (AssertionError e) {
                    throw new AssertionError(style + ", rank " + gas.rank() + ": " + e.getMessage(), e);
                }
            }
        });
    }

    private static void works(Gas gas, Style style, Window window) throws Exception {
        for (int round = 0; round < 2; round++) {
            long value = 100L * round + gas.rank();
            int right = (gas.rank() + 1) % gas.rankCount();
            int left = (gas.rank() + gas.rankCount() - 1) % gas.rankCount();
            style.epoch(window, () -> window.put(right, 2, MemorySegment.ofArray(new long[] {value})));
            assertEquals(100L * round + left, window.local().get(LONG, 8));
        }
    }

    private static void refused(Window window, Class<? extends GasException> type, Executable call,
        String... words) {
        GasException refusal = assertThrows(type, call);
        assertTrue(refusal.getMessage().contains(window.name()), refusal::getMessage);
        for (String word : words) {
            assertTrue(refusal.getMessage().contains(word), () -> word + " in: " + refusal.getMessage());
        }
    }

    @EveryPlacement
    void shouldRefuseOperationsWhenOutsideAnyEpoch(String layout) {
        inEveryStyle(layout, (gas, style, window) -> {
            MemorySegment eight = Jobs.random(1, 8);
            int last = gas.rankCount() - 1;
            String[] words = {"rank " + last, "displacement 3", "outside any access epoch"};
            refused(window, EpochException.class, () -> window.put(last, 3, eight), words);
            refused(window, EpochException.class, () -> window.get(last, 3, eight), words);
            refused(window, EpochException.class,
                () -> window.accumulate(last, 3, ReduceOp.SUM, ElementType.INT, eight, 0, 8), words);
            refused(window, EpochException.class,
                () -> window.fetchAndOp(last, 3, ReduceOp.SUM, ElementType.INT, eight, eight), words);
            refused(window, EpochException.class,
                () -> window.compareAndSwap(last, 3, ElementType.INT, eight, eight, eight), words);
            refused(window, EpochException.class,
                () -> window.putStrided(last, 3, eight, 0, Strided.rows(4, 2, 4, 4)), words);
            refused(window, EpochException.class, () -> window.requestPut(last, 3, eight, 0, 8), words);
            refused(window, EpochException.class, () -> window.requestGet(last, 3, eight, 0, 8), words);
            refused(window, EpochException.class, () -> window.requestAccumulate(last, 3, ReduceOp.SUM,
                ElementType.INT, eight, 0, 8), words);
            refused(window, EpochException.class, () -> window.requestGetAccumulate(last, 3, ReduceOp.SUM,
                ElementType.INT, eight, 0, eight, 0, 8), words);
            refused(window, EpochException.class, () -> window.flush(last), "flush", "outside");
            refused(window, EpochException.class, window::flushAll, "flushAll", "outside");
            refused(window, EpochException.class, () -> window.flushLocal(last), "flushLocal", "outside");
            refused(window, EpochException.class, window::flushLocalAll, "flushLocalAll", "outside");
            refused(window, EpochException.class, window::complete, "complete", "outside");
            refused(window, EpochException.class, window::await, "await", "outside");
            refused(window, EpochException.class, window::test, "test", "outside");
            refused(window, EpochException.class, () -> window.unlock(last), "unlock of rank " + last, "outside");
            refused(window, EpochException.class, window::unlockAll, "unlockAll", "outside");
            refused(window, EpochException.class, () -> window.attach(null, 0, 8), "createDynamic");
        });
    }

    @EveryPlacement
    void shouldRefuseCallsWhenNestedInFence(String layout) {
        inEveryStyle(layout, (gas, style, window) -> {
            MemorySegment eight = Jobs.random(1, 8);
            int[] self = {gas.rank()};
            window.fence(Assertion.NOPRECEDE);
            window.put(gas.rank(), 0, eight);
            String inside = "in a fence epoch with operations";
            refused(window, EpochException.class, () -> window.fence(Assertion.NOPRECEDE), "NOPRECEDE", inside);
            refused(window, EpochException.class, () -> window.start(self), "start", inside);
            refused(window, EpochException.class, () -> window.post(self), "post", inside);
            refused(window, EpochException.class, () -> window.lock(LockMode.SHARED, 0), "lock of rank 0", inside);
            refused(window, EpochException.class, window::lockAll, "lockAll", inside);
            refused(window, EpochException.class, window::complete, "complete", inside);
            refused(window, EpochException.class, () -> window.unlock(0), "unlock of rank 0", inside);
            refused(window, EpochException.class, () -> window.flush(0), "flush", inside);
            refused(window, EpochException.class, () -> window.requestGet(0, 0, eight, 0, 8), "request", inside);
            refused(window, EpochException.class, window::close, "close", inside);
            window.fence();
            window.fence(Assertion.NOSUCCEED);
            refused(window, EpochException.class, () -> window.put(0, 1, eight), "outside any access epoch");
        });
    }

    @EveryPlacement
    void shouldRefuseCallsWhenNestedInStart(String layout) {
        inEveryStyle(layout, (gas, style, window) -> {
            MemorySegment eight = Jobs.random(1, 8);
            int[] self = {gas.rank()};
            int right = (gas.rank() + 1) % gas.rankCount();
            int[] twice = {gas.rank(), right, gas.rank()};
            refused(window, EpochException.class, () -> window.post(twice), "post with rank " + gas.rank(), "outside");
            refused(window, EpochException.class, () -> window.start(twice), "start with rank " + gas.rank(), "twice");
            window.post(self);
            refused(window, EpochException.class, () -> window.post(self), "post", "in an exposure epoch");
            refused(window, EpochException.class, window::fence, "fence", "in an exposure epoch");
            window.start(self);
            String inside = "in an access epoch begun by start, in an exposure epoch";
            refused(window, EpochException.class, () -> window.start(self), "start", inside);
            refused(window, EpochException.class, window::fence, "fence", inside);
            refused(window, EpochException.class, () -> window.lock(LockMode.SHARED, 0), "lock", inside);
            refused(window, EpochException.class, window::lockAll, "lockAll", inside);
            refused(window, EpochException.class, () -> window.put(right, 5, eight), "operation on rank " + right,
                "displacement 5", inside);
            window.put(gas.rank(), 1, eight);
            refused(window, EpochException.class, window::close, "close", inside);
            window.complete();
            refused(window, EpochException.class, window::close, "close", "in an exposure epoch");
            window.await();
            Jobs.assertSame(eight, window.local().asSlice(4, 8), "put to itself");
        });
    }

    @EveryPlacement
    void shouldRefuseCallsWhenNestedInLock(String layout) {
        inEveryStyle(layout, (gas, style, window) -> {
            MemorySegment eight = Jobs.random(1, 8);
            int right = (gas.rank() + 1) % gas.rankCount();
            int other = (gas.rank() + 2) % gas.rankCount() == right ? gas.rank() : (gas.rank() + 2) % gas.rankCount();
            window.lock(LockMode.SHARED, right);
            String inside = "with the parts of 1 ranks locked";
            refused(window, EpochException.class, () -> window.lock(LockMode.EXCLUSIVE, right),
                "second lock of rank " + right, inside);
            refused(window, EpochException.class, window::fence, "fence", inside);
            refused(window, EpochException.class, () -> window.start(new int[] {right}), "start", inside);
            refused(window, EpochException.class, window::lockAll, "lockAll", inside);
            refused(window, EpochException.class, window::unlockAll, "unlockAll", inside);
            refused(window, EpochException.class, () -> window.unlock(other), "unlock of rank " + other, inside);
            refused(window, EpochException.class, () -> window.flush(other), "flush of rank " + other, inside);
            refused(window, EpochException.class, () -> window.put(other, 7, eight), "operation on rank " + other,
                "displacement 7", inside);
            refused(window, EpochException.class, window::close, "close", inside);
            window.unlock(right);
            window.lockAll();
            inside = "with all parts locked";
            refused(window, EpochException.class, window::lockAll, "lockAll", inside);
            refused(window, EpochException.class, window::fence, "fence", inside);
            refused(window, EpochException.class, () -> window.lock(LockMode.SHARED, right), "lock", inside);
            refused(window, EpochException.class, () -> window.unlock(right), "unlock", inside);
            refused(window, EpochException.class, window::close, "close", inside);
            window.unlockAll();
            assertThrows(IllegalArgumentException.class, () -> window.lock(LockMode.NULL_VAL, right));
        });
    }

    @EveryPlacement
    void shouldRefuseAddressesWhenOutsideTheWindow(String layout) {
        inEveryStyle(layout, (gas, style, window) -> style.epoch(window, () -> {
            MemorySegment eight = Jobs.random(1, 8);
            for (int rank = 0; rank < gas.rankCount(); rank++) {
                int target = rank;
                String[] words = {"displacement 15", "unit 4", "rank " + rank, style.describes()};
                refused(window, InvalidAddressException.class, () -> window.put(target, 15, eight), words);
                refused(window, InvalidAddressException.class, () -> window.get(target, 15, eight), words);
                refused(window, InvalidAddressException.class,
                    () -> window.accumulate(target, 15, ReduceOp.SUM, ElementType.LONG, eight, 0, 8), words);
                refused(window, InvalidAddressException.class,
                    () -> window.compareAndSwap(target, 15, ElementType.LONG, eight, eight, eight), words);
                for (long bad : new long[] {-1, 17, 1L << 40, Long.MAX_VALUE, Long.MIN_VALUE}) {
                    refused(window, InvalidAddressException.class, () -> window.put(target, bad, eight),
                        "displacement " + bad);
                }
                refused(window, InvalidAddressException.class,
                    () -> window.putStrided(target, 1, eight, 0, Strided.rows(4, 2, 4, -8)), "displacement 1");
                refused(window, InvalidAddressException.class,
                    () -> window.getStrided(target, 14, eight, 0, Strided.rows(4, 2, 4, 8)), "displacement 14");
            }
            refused(window, InvalidAddressException.class, () -> window.put(gas.rankCount(), 0, eight),
                "rank " + gas.rankCount(), style.describes());
            refused(window, InvalidAddressException.class, () -> window.put(-1, 0, eight), "rank -1");
        }));
    }

    @EveryPlacement
    void shouldRefuseOperationsAtOnceWhenTheyCanNeverBeExecuted(String layout) {
        inEveryStyle(layout, (gas, style, window) -> style.epoch(window, () -> {
            MemorySegment eight = Jobs.random(1, 8);
            MemorySegment constant = Jobs.empty(8).asReadOnly();
            for (int rank = 0; rank < gas.rankCount(); rank++) {
                int target = rank;
                String[] words = {"rank " + rank, "displacement 1,", style.describes()};
                refused(window, InvalidAddressException.class,
                    () -> window.accumulate(target, 1, ReduceOp.SUM, ElementType.LONG, eight, 0, 8), words);
                refused(window, InvalidAddressException.class, () -> window.fetchAndOp(target, 1, ReduceOp.SUM,
                    ElementType.LONG, eight, constant), words);
                refused(window, InvalidAddressException.class,
                    () -> window.accumulate(target, 0, ReduceOp.SUM, ElementType.LONG, eight, 0, 4), "whole");
                refused(window, InvalidAddressException.class,
                    () -> window.accumulateStrided(target, 0, ReduceOp.SUM, ElementType.LONG, eight, 0,
                        Strided.rows(4, 2, 4, 4)), "whole");
                assertThrows(IndexOutOfBoundsException.class, () -> window.put(target, 0, eight, 4, 8));
                assertThrows(InvalidAddressException.class, () -> window.put(target, 0, eight, 0, -1));
                assertThrows(IllegalArgumentException.class, () -> window.get(target, 0, constant));
                assertThrows(IndexOutOfBoundsException.class, () -> window.get(target, 0, eight, 0, 16));
                assertThrows(IndexOutOfBoundsException.class,
                    () -> window.putStrided(target, 0, eight, 0, Strided.rows(4, 3, 4, 4)));
                assertThrows(IllegalArgumentException.class, () -> window.getAccumulate(target, 0, ReduceOp.SUM,
                    ElementType.LONG, eight, 0, constant, 0, 8));
                assertThrows(IllegalArgumentException.class,
                    () -> window.accumulate(target, 0, ReduceOp.BITWISE_OR, ElementType.DOUBLE, eight, 0, 8));
                assertThrows(IllegalArgumentException.class, () -> window.fetchAndOp(target, 0, ReduceOp.MAX,
                    ElementType.COMPLEX_FLOAT, eight, eight));
            }
        }));
    }

    /** With the thorough search for conflicts, too. */
    @EveryPlacement
    void shouldExecuteTheRightOperationWhenAWrongOneWasRefusedBefore(String layout) {
        MemorySegment eight = Jobs.random(1, 8);
        Strided wrong = Strided.rows(4, 3, 4, 4);
        Jobs.run(layout, gas -> {
            for (Style style : Style.values()) {
                for (boolean checked : new boolean[] {false, true}) {
                    Windows.use(Windows.allocate(gas, gas.world(), 64, 8, style.options().withChecks(checked)),
                        window -> {
                            int right = (gas.rank() + 1) % gas.rankCount();
                            style.epoch(window, () -> {
                                assertThrows(IndexOutOfBoundsException.class, () -> window.put(right, 0, eight, 4, 8));
                                window.put(right, 0, eight);
                                assertThrows(IndexOutOfBoundsException.class,
                                    () -> window.putStrided(right, 1, eight, 0, wrong));
                                window.put(right, 1, eight);
                                assertThrows(IndexOutOfBoundsException.class,
                                    () -> window.get(right, 2, eight, 0, 16));
                                window.put(right, 2, eight);
                            });
                            for (long word = 0; word < 3; word++) {
                                Jobs.assertSame(eight, window.local().asSlice(8 * word, 8), style + ", " + word);
                            }
                        });
                }
            }
        });
    }
}

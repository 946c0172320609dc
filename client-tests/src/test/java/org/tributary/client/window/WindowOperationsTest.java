package org.tributary.client.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.tributary.client.EveryPath;
import org.tributary.client.Gas;
import org.tributary.client.Jobs;
import org.tributary.client.shape.Ranges;
import org.tributary.client.shape.Strided;
import org.tributary.testsupport.ToleratesErrors;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/** Every operation, in every design of every synchronization, on every path. */
@ToleratesErrors("for a lock of accumulates") // a busy machine takes so long
class WindowOperationsTest {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final int UNIT = 16;
    /** Merged with others, a message of its own, several messages. */
    private static final int[] SIZES = {16, 4_000, 160_000};

    private interface Check {
        void run(Gas gas, Style style) throws Exception;
    }

    private static void inEveryStyle(String layout, Check check) {
        Jobs.run(layout, gas -> {
            for (Style style : Style.values()) {
                try {
                    check.run(gas, style);
                } catch (AssertionError e) {
                    throw new AssertionError(style + ", rank " + gas.rank() + ": " + e.getMessage(), e);
                }
            }
        });
    }

    @EveryPath
    void shouldPutToAndGetFromEveryRankWhenInEpoch(String layout) {
        inEveryStyle(layout, (gas, style) -> {
            int ranks = gas.rankCount();
            for (int size : SIZES) {
                Windows.use(style.allocate(gas, (long) size * ranks, UNIT), window -> {
                    style.epoch(window, () -> IntStream.range(0, ranks).forEach(rank -> window.put(rank,
                        (long) gas.rank() * size / UNIT, Jobs.random(100L * gas.rank() + rank, size))));
                    for (int rank = 0; rank < ranks; rank++) {
                        Jobs.assertSame(Jobs.random(100L * rank + gas.rank(), size),
                            window.local().asSlice((long) rank * size, size), size + " bytes from rank " + rank);
                    }
                    List<MemorySegment> got = new ArrayList<>();
                    style.epoch(window, () -> {
                        for (int rank = 0; rank < ranks; rank++) {
                            got.add(Jobs.empty((long) ranks * size + 1));
                            window.get(rank, 0, got.get(rank), 1, (long) ranks * size);
                        }
                    });
                    for (int rank = 0; rank < ranks; rank++) {
                        for (int origin = 0; origin < ranks; origin++) {
                            Jobs.assertSame(Jobs.random(100L * origin + rank, size),
                                got.get(rank).asSlice(1 + (long) origin * size, size), "got from rank " + rank);
                        }
                    }
                });
            }
        });
    }

    @EveryPath
    void shouldCombineLikeSerialModelWhenAllAccumulate(String layout) {
        inEveryStyle(layout, (gas, style) -> {
            int bytes = 480;
            int cases = ElementType.values().length * ReduceOp.values().length;
            Windows.use(style.allocate(gas, (long) bytes * cases, UNIT), window -> {
                MemorySegment model = Jobs.empty(window.bytes(gas.rank()));
                fillWith(window.local(), model, bytes, gas.rank());
                int last = gas.rankCount() - 1;
                style.epoch(window, () -> forEachCase((type, op, at) -> {
                    MemorySegment source = operand(type, op, bytes, gas.rank());
                    window.accumulate(last, (long) at * bytes / UNIT, op, type, source, 0, bytes);
                    window.accumulate(0, ((long) at * bytes + 2 * UNIT) / UNIT, op, type, source, UNIT, bytes / 2);
                }, gas.rank()));
                for (int origin = 0; origin < gas.rankCount(); origin++) {
                    int from = origin;
                    forEachCase((type, op, at) -> {
                        MemorySegment source = operand(type, op, bytes, from);
                        if (gas.rank() == last) {
                            Model.combine(op, type, model, (long) at * bytes, source, 0, bytes);
                        }
                        if (gas.rank() == 0) {
                            Model.combine(op, type, model, (long) at * bytes + 2 * UNIT, source, UNIT, bytes / 2);
                        }
                    }, from);
                }
                forEachCase((type, op, at) -> assertEquals(-1, Model.mismatch(type,
                    model.asSlice((long) at * bytes, bytes), window.local().asSlice((long) at * bytes, bytes)),
                    () -> op + " of " + type), 0);
            });
        });
    }

    private interface Case {
        void run(ElementType type, ReduceOp op, int number);
    }

    /** Only rank 0 replaces, as the order of several is not defined. */
    private static void forEachCase(Case action, int rank) {
        for (ElementType type : ElementType.values()) {
            for (ReduceOp op : ReduceOp.values()) {
                if (op.isDefinedFor(type) && (op != ReduceOp.REPLACE || rank == 0)) {
                    action.run(type, op, type.ordinal() * ReduceOp.values().length + op.ordinal());
                }
            }
        }
    }

    private static MemorySegment operand(ElementType type, ReduceOp op, int bytes, int rank) {
        return Model.elements(new Random(31L * rank + op.ordinal()), type, bytes, op == ReduceOp.PRODUCT);
    }

    private static void fillWith(MemorySegment window, MemorySegment model, int bytes, int rank) {
        forEachCase((type, op, at) -> {
            MemorySegment elements = Model.elements(new Random(rank), type, bytes, false);
            MemorySegment.copy(elements, 0, window, (long) at * bytes, bytes);
            MemorySegment.copy(elements, 0, model, (long) at * bytes, bytes);
        }, 0);
    }

    @EveryPath
    void shouldReturnOldValuesWhenAccumulatingWithResult(String layout) {
        inEveryStyle(layout, (gas, style) -> {
            int bytes = 20_000; // more than one held message
            Windows.use(style.allocate(gas, 3L * bytes, 8), window -> {
                window.local().fill((byte) 0);
                MemorySegment.copy(Jobs.random(gas.rank(), bytes), 0, window.local(), 0, bytes);
                int right = (gas.rank() + 1) % gas.rankCount();
                int left = (gas.rank() + gas.rankCount() - 1) % gas.rankCount();
                MemorySegment source = Jobs.random(50 + gas.rank(), bytes);
                MemorySegment old = Jobs.empty(bytes);
                MemorySegment read = Jobs.empty(bytes);
                style.epoch(window, () -> {
                    window.getAccumulate(right, 0, ReduceOp.SUM, ElementType.LONG, source, 0, old, 0, bytes);
                    window.getAccumulate(right, bytes / 8, ReduceOp.NO_OP, ElementType.LONG, source, 0, read, 0,
                        bytes);
                });
                Jobs.assertSame(Jobs.random(right, bytes), old, "old values");
                Jobs.assertSame(Jobs.empty(bytes), read, "values read");
                MemorySegment model = Jobs.random(gas.rank(), bytes);
                Model.combine(ReduceOp.SUM, ElementType.LONG, model, 0, Jobs.random(50 + left, bytes), 0, bytes);
                Jobs.assertSame(model, window.local().asSlice(0, bytes), "new values");
            });
        });
    }

    @EveryPath
    void shouldHandOutEachNumberOnceWhenAllFetchAndAdd(String layout) {
        List<Set<Long>> drawn = IntStream.range(0, Style.values().length)
            .<Set<Long>>mapToObj(i -> ConcurrentHashMap.newKeySet()).toList();
        inEveryStyle(layout, (gas, style) -> {
            int draws = 20;
            Windows.use(style.allocate(gas, 8, 8), window -> {
                MemorySegment one = MemorySegment.ofArray(new long[] {1});
                List<MemorySegment> results = IntStream.range(0, draws).mapToObj(i -> Jobs.empty(8)).toList();
                int last = gas.rankCount() - 1;
                style.epoch(window, () -> results.forEach(
                    result -> window.fetchAndOp(last, 0, ReduceOp.SUM, ElementType.LONG, one, result)));
                results.forEach(result -> assertTrue(drawn.get(style.ordinal()).add(result.get(LONG, 0))));
                if (gas.rank() == last) {
                    assertEquals((long) draws * gas.rankCount(), window.local().get(LONG, 0));
                }
            });
        });
    }

    @EveryPath
    void shouldLetOneWinWhenAllCompareAndSwap(String layout) {
        inEveryStyle(layout, (gas, style) -> {
            Windows.use(style.allocate(gas, 16L * ElementType.values().length, 16), window -> {
                List<MemorySegment> results = new ArrayList<>();
                style.epoch(window, () -> {
                    for (ElementType type : ElementType.values()) {
                        results.add(Jobs.empty(type.sizeInBytes()));
                        window.compareAndSwap(0, type.ordinal(), type, Jobs.empty(type.sizeInBytes()),
                            Jobs.random(1 + gas.rank(), type.sizeInBytes()), results.get(type.ordinal()));
                    }
                });
                for (ElementType type : ElementType.values()) {
                    MemorySegment result = results.get(type.ordinal());
                    long won = result.mismatch(Jobs.empty(type.sizeInBytes())) < 0 ? 1 + gas.rank() : 0;
                    long winner = gas.world().allreduce(ReduceOp.SUM, won);
                    assertTrue(winner >= 1 && winner <= gas.rankCount(), type + ": " + winner);
                    MemorySegment winning = Jobs.random(winner, type.sizeInBytes());
                    if (won == 0) {
                        Jobs.assertSame(winning, result, "what the others found of " + type);
                    }
                    if (gas.rank() == 0) {
                        Jobs.assertSame(winning, window.local().asSlice(16L * type.ordinal(), type.sizeInBytes()),
                            "what was swapped in of " + type);
                    }
                }
            });
        });
    }

    @EveryPath
    void shouldDoNothingWhenOperationIsEmpty(String layout) {
        inEveryStyle(layout, (gas, style) -> {
            Windows.use(style.allocate(gas, 64, 8), window -> {
                MemorySegment none = Jobs.empty(0);
                Strided shape = Strided.rows(8, 0, 8, 8);
                Ranges ranges = new Ranges(new long[0], new long[0], new int[0]);
                style.epoch(window, () -> {
                    for (int rank = 0; rank < gas.rankCount(); rank++) {
                        if (gas.rank() == 0) {
                            window.put(rank, 0, Jobs.random(1, 8));
                        }
                        window.put(rank, 8, none);
                        window.accumulate(rank, 3, ReduceOp.SUM, ElementType.LONG, none, 0, 0);
                        window.putStrided(rank, 2, none, 0, shape);
                        window.putVector(rank, 0, none, ranges);
                        window.getVector(rank, 0, none, ranges);
                        window.getAccumulate(rank, 3, ReduceOp.SUM, ElementType.LONG, none, 0, none, 0, 0);
                        window.getStrided(rank, 2, none, 0, shape);
                        window.get(rank, 8, none);
                    }
                });
                style.epoch(window, () -> {
                    for (int rank = 0; rank < gas.rankCount(); rank++) {
                        window.get(rank, 0, none);
                    }
                });
                style.epoch(window, () -> {
                    for (int rank = 0; rank < gas.rankCount(); rank++) {
                        window.putStrided(rank, 0, none, 0, shape);
                    }
                });
                Jobs.assertSame(Jobs.random(1, 8), window.local().asSlice(0, 8), "put before");
                Jobs.assertSame(Jobs.empty(56), window.local().asSlice(8), "nothing else");
            });
        });
    }
}

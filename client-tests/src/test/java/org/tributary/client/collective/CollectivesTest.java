package org.tributary.client.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/** Every collective against its serial model, over sizes of groups and data and ways to lie on nodes. */
final class CollectivesTest {
    private static final int CHUNK = 64;

    static Stream<Arguments> groups() {
        return Stream.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17).flatMap(size -> TestGroup.nodeMaps(size).stream())
            .map(map -> Arguments.of(Arrays.toString(map), map));
    }

    /** Nothing, one element, and around one, two and many chunks. */
    private static long[] elementCounts(ElementType type) {
        long chunk = CHUNK / type.sizeInBytes();
        return new long[] {0, 1, chunk - 1, chunk, chunk + 1, 2 * chunk, 2 * chunk + 1, 9 * chunk + 3};
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("groups")
    void shouldReduceLikeTheModelWhenAnyOperationMeetsAnyType(String name, int[] nodeOf) {
        TestGroup.run(nodeOf, CHUNK, TestGroup.EARLY, 1, 0, (self, collectives) -> {
            Calls calls = new Calls(self, nodeOf.length, collectives);
            int root = 0;
            for (ReduceOp op : ReduceOp.values()) {
                for (ElementType type : ElementType.values()) {
                    if (!Reduction.defined(op, type)) {
                        continue;
                    }
                    for (long elements : elementCounts(type)) {
                        calls.allreduce(op, type, elements, root % 2 == 0);
                        calls.reduce(root++ % nodeOf.length, op, type, elements);
                        calls.reduceScatter(op, type, elements % 20);
                    }
                }
            }
        });
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("groups")
    void shouldMoveBytesWhenAnySizeMeetsAnyRoot(String name, int[] nodeOf) {
        TestGroup.run(nodeOf, CHUNK, TestGroup.EARLY, 2, 0, (self, collectives) -> {
            Calls calls = new Calls(self, nodeOf.length, collectives);
            for (long bytes : new long[] {0, 1, 33, 40, 41, 63, 64, 65, 128, 129, 300, 1000}) {
                for (int root = 0; root < nodeOf.length; root++) {
                    calls.broadcast(root, bytes, root);
                }
                calls.allgather(bytes, bytes);
                calls.allToAll(bytes, bytes);
                calls.allgather(bytes / 10, bytes);
                calls.allToAll(bytes / 10, bytes);
            }
        });
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("groups")
    void shouldLeaveNoBarrierBeforeAllHaveEntered(String name, int[] nodeOf) {
        int rounds = 30;
        AtomicInteger[] entered = Stream.generate(AtomicInteger::new).limit(rounds).toArray(AtomicInteger[]::new);
        TestGroup.run(nodeOf, CHUNK, TestGroup.EARLY, 3, 100, (self, collectives) -> {
            for (AtomicInteger count : entered) {
                count.incrementAndGet();
                collectives.barrier();
                assertEquals(nodeOf.length, count.get(), "members that entered before " + self + " left");
            }
        });
    }

    @Test
    void shouldLeaveNoCollectiveBeforeAllHaveEnteredWhenThereIsNoData() {
        int size = 7;
        int kinds = 7;
        AtomicInteger[] entered = Stream.generate(AtomicInteger::new).limit(20L * kinds).toArray(AtomicInteger[]::new);
        MemorySegment none = Vectors.bytes(0);
        for (int[] nodeOf : TestGroup.nodeMaps(size)) {
            Arrays.stream(entered).forEach(count -> count.set(0));
            TestGroup.run(nodeOf, CHUNK, new Tuning(0, -1), 4, 100, (self, collectives) -> {
                for (int i = 0; i < entered.length; i++) {
                    entered[i].incrementAndGet();
                    switch (i % kinds) {
                        case 0 -> collectives.barrier();
                        case 1 -> collectives.broadcast(i % size, none);
                        case 2 -> collectives.reduce(i % size, ReduceOp.SUM, ElementType.INT, none, none);
                        case 3 -> collectives.allreduce(ReduceOp.SUM, ElementType.INT, none, none);
                        case 4 -> collectives.reduceScatter(ReduceOp.SUM, ElementType.INT, none, none);
                        case 5 -> collectives.allgather(none, none);
                        default -> collectives.allToAll(none, none);
                    }
                    assertEquals(size, entered[i].get(), "entered collective " + i + " when " + self + " left it");
                }
            });
        }
    }

    @Test
    void shouldGiveAllMembersTheSameBitsWhenSumsDependOnTheOrder() {
        for (int size : new int[] {3, 6, 7, 16}) {
            for (int[] nodeOf : TestGroup.nodeMaps(size)) {
                for (int elements : new int[] {5, 20, 100}) {
                    double[][] results = new double[size][elements];
                    TestGroup.run(nodeOf, CHUNK, TestGroup.EARLY, elements, 0, (self, collectives) -> {
                        double[] own = new Random(self).doubles(elements, -1e9, 1e9).map(x -> x * x * x).toArray();
                        collectives.allreduce(ReduceOp.SUM, ElementType.DOUBLE, MemorySegment.ofArray(own),
                            MemorySegment.ofArray(results[self]));
                    });
                    for (double[] result : results) {
                        assertEquals(-1, MemorySegment.ofArray(results[0]).mismatch(MemorySegment.ofArray(result)));
                    }
                    double exact = 0;
                    for (int member = 0; member < size; member++) {
                        exact += new Random(member).doubles(elements, -1e9, 1e9).map(x -> x * x * x).toArray()[0];
                    }
                    assertEquals(exact, results[0][0], 1e27 * size * 1e-15);
                }
            }
        }
    }

    @Test
    void shouldAgreeWhenChunksAreLargeAndTuningIsTheDefault() {
        for (int[] nodeOf : TestGroup.nodeMaps(6)) {
            TestGroup.run(nodeOf, 4096, Tuning.DEFAULT, 5, 0, (self, collectives) -> {
                Calls calls = new Calls(self, 6, collectives);
                for (int elements : new int[] {1, 511, 1023, 1024, 1025, 10_000}) {
                    calls.allreduce(ReduceOp.SUM, ElementType.DOUBLE, elements, true);
                    calls.reduceScatter(ReduceOp.MAX, ElementType.DOUBLE, elements / 6);
                    calls.reduce(elements % 6, ReduceOp.MIN, ElementType.LONG, elements);
                    calls.allgather(elements, elements);
                    calls.allToAll(elements, elements);
                    calls.broadcast(elements % 6, elements * 7L, elements);
                }
            });
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8, 9, 16, 20})
    void shouldExchangeBlocksOnBothSidesOfTheSizeThatIsSentDirectly(int size) {
        long relayed = Tuning.DEFAULT.smallBlockBytes() / Math.max(1, Hierarchy.log2(size));
        for (int[] nodeOf : TestGroup.nodeMaps(size)) {
            TestGroup.run(nodeOf, 4096, Tuning.DEFAULT, 7, 20, (self, collectives) -> {
                Calls calls = new Calls(self, size, collectives);
                for (long block : new long[] {relayed - 1, relayed, relayed + 1, 4096, 4097, 8192, 8193, 20_000}) {
                    calls.allToAll(block, block);
                }
            });
        }
    }

    @Test
    void shouldUseNativeAndUnalignedBuffersWhenGiven() {
        TestGroup.run(new int[] {0, 0, 1}, CHUNK, TestGroup.EARLY, 6, 0, (self, collectives) -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment buffer = arena.allocate(8 * 100 + 3).asSlice(3);
                buffer.fill((byte) 0);
                buffer.set(ValueLayout.JAVA_LONG_UNALIGNED, 8 * 99, self + 1);
                collectives.allreduce(ReduceOp.PRODUCT, ElementType.LONG, buffer, buffer);
                assertEquals(6, buffer.get(ValueLayout.JAVA_LONG_UNALIGNED, 8 * 99));
                assertTrue(buffer.asSlice(0, 8 * 99).mismatch(Vectors.bytes(8 * 99)) == -1);
            }
        });
    }
}

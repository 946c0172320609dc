package org.tributary.wire.shape;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Random;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tributary.wire.codec.ElementCode;
import org.tributary.wire.codec.ReduceCode;
import org.tributary.wire.shm.AccumulateLocks;

/** Accumulate against loops over numbers. All values are small integers, so that floating-point sums are exact. */
class AccumulatorTest {
    private static final long SEGMENT = 0x5555;
    private static final int MEMORY = 3 * AccumulateLocks.STRIPE_BYTES;

    private final MemorySegment table = Arena.ofAuto().allocate(AccumulateLocks.BYTES, 64);
    private final Accumulator accumulator = new Accumulator(
        new AccumulateLocks("a table", table, 1, token -> true, () -> { }));

    private static double get(ElementType type, MemorySegment memory, long at) {
        return switch (type) {
            case INT -> memory.get(ValueLayout.JAVA_INT_UNALIGNED, at);
            case LONG -> memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
            case FLOAT, COMPLEX_FLOAT -> memory.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at);
            case DOUBLE, COMPLEX_DOUBLE -> memory.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, at);
        };
    }

    private static void set(ElementType type, MemorySegment memory, long at, double value) {
        switch (type) {
            case INT -> memory.set(ValueLayout.JAVA_INT_UNALIGNED, at, (int) value);
            case LONG -> memory.set(ValueLayout.JAVA_LONG_UNALIGNED, at, (long) value);
            case FLOAT, COMPLEX_FLOAT -> memory.set(ValueLayout.JAVA_FLOAT_UNALIGNED, at, (float) value);
            case DOUBLE, COMPLEX_DOUBLE -> memory.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, at, value);
        }
    }

    private static long bits(ElementType type, double value) {
        return switch (type) {
            case INT, LONG -> (long) value;
            case FLOAT, COMPLEX_FLOAT -> Float.floatToRawIntBits((float) value);
            case DOUBLE, COMPLEX_DOUBLE -> Double.doubleToRawLongBits(value);
        };
    }

    private static MemorySegment numbers(ElementType type, int bytes, Random random) {
        MemorySegment memory = MemorySegment.ofArray(new byte[bytes]);
        for (int at = 0; at + type.componentBytes() <= bytes; at += type.componentBytes()) {
            set(type, memory, at, random.nextInt(201) - 100);
        }
        return memory;
    }

    private static boolean isComplex(ElementType type) {
        return type == ElementType.COMPLEX_FLOAT || type == ElementType.COMPLEX_DOUBLE;
    }

    private static void modelled(ElementType type, double re, double im, MemorySegment source, long from,
        MemorySegment target, long at) {
        double x = get(type, source, from);
        if (!isComplex(type)) {
            set(type, target, at, get(type, target, at) + re * x);
            return;
        }
        int component = type.componentBytes();
        double y = get(type, source, from + component);
        set(type, target, at, get(type, target, at) + re * x - im * y);
        set(type, target, at + component, get(type, target, at + component) + re * y + im * x);
    }

    private void everyLockIsFree() {
        assertEquals(-1, table.mismatch(MemorySegment.ofArray(new byte[(int) AccumulateLocks.BYTES])));
    }

    @Property(tries = 400, edgeCases = EdgeCasesMode.NONE)
    void shouldAddLikeLoopsWhenShapeAndPlaceAreAny(@ForAll ElementType type, @ForAll long seed,
        @ForAll @IntRange(min = 1, max = 300) int elements, @ForAll @IntRange(min = 1, max = 6) int count,
        @ForAll @IntRange(min = -800, max = 800) int gap, @ForAll @IntRange(max = 3) int pieces) {
        addLikeLoops(type, seed, elements, count, gap, pieces);
    }

    @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
    void shouldAddLikeLoopsWhenElementsAreSingle(@ForAll ElementType type, @ForAll long seed,
        @ForAll @IntRange(min = 1, max = 6) int count) {
        addLikeLoops(type, seed, 1, count, 1, 0);
        addLikeLoops(type, seed, 1, 1, 1, 0);
    }

    private void addLikeLoops(ElementType type, long seed, int elements, int count, int gap, int pieces) {
        Random random = new Random(seed);
        int size = type.sizeInBytes();
        int component = type.componentBytes();
        int block = elements * size;
        long stride = gap < 0 ? -block + (long) gap * component : block + (long) gap * component;
        long room = 6L * (300 * 16 + 800 * 8); // that the largest blocks need on either side
        MemorySegment target = numbers(type, 2 * (int) room + 1_000, random);
        MemorySegment expected = MemorySegment.ofArray(target.toArray(ValueLayout.JAVA_BYTE));
        MemorySegment source = numbers(type, 8 + block * count, random);
        int shift = random.nextInt(2) * 4; // the source may lie anywhere
        MemorySegment.copy(source.asSlice(0, block * count), 0, source, shift, block * count);
        double re = random.nextInt(9) - 4;
        double im = random.nextInt(9) - 4;
        long start = room + (long) component * random.nextInt(100);
        long fileOffset = (long) component * random.nextInt(10_000);
        for (int i = 0; i < count; i++) {
            for (int e = 0; e < elements; e++) {
                modelled(type, re, im, source, shift + ((long) i * elements + e) * size, expected,
                    start + i * stride + (long) e * size);
            }
        }
        StridedRegion region = new StridedRegion().begin(target, start, block).level(stride, count);
        long total = (long) elements * count;
        for (long done = 0; done < total;) {
            long piece = pieces == 0 ? total - done : 1 + random.nextLong(total - done);
            accumulator.combine(ReduceOp.SUM, type, bits(type, re), bits(type, im), source, shift + done * size,
                piece * size, region, SEGMENT, fileOffset);
            done += piece;
        }
        assertEquals(0, region.remaining());
        assertEquals(-1, expected.mismatch(target), "first byte that differs");
        everyLockIsFree();
    }

    @ParameterizedTest
    @EnumSource(ElementType.class)
    void shouldAddEachElementOnceWhenRangeSpansStripes(ElementType type) {
        int length = MEMORY / type.sizeInBytes() * type.sizeInBytes() - type.sizeInBytes();
        for (int offset = 0; offset <= type.sizeInBytes(); offset += type.componentBytes()) {
            MemorySegment target = Arena.ofAuto().allocate(2L * MEMORY, 64);
            MemorySegment source = numbers(type, length, new Random(4));
            accumulator.combine(ReduceOp.SUM, type, bits(type, 1), bits(type, 0), source, 0, length,
                new StridedRegion().begin(target, offset, length), SEGMENT, 0);
            assertEquals(-1, target.asSlice(offset, length).mismatch(source));
            assertEquals(-1, target.asSlice(offset + length).mismatch(
                MemorySegment.ofArray(new byte[2 * MEMORY - offset - length])));
            everyLockIsFree();
        }
    }

    @ParameterizedTest
    @EnumSource(ElementType.class)
    void shouldLoseNothingWhenTwoProcessesAddAcrossStripes(ElementType type) throws InterruptedException {
        int times = 20_000;
        MemorySegment target = Arena.ofAuto().allocate(2L * AccumulateLocks.STRIPE_BYTES, 64);
        long offset = AccumulateLocks.STRIPE_BYTES - 3L * type.sizeInBytes() + type.componentBytes();
        int length = 6 * type.sizeInBytes();
        MemorySegment source = MemorySegment.ofArray(new byte[length]);
        for (int at = 0; at < length; at += type.componentBytes()) {
            set(type, source, at, 1);
        }
        Thread[] threads = new Thread[2];
        for (int i = 0; i < 2; i++) {
            Accumulator own = new Accumulator(new AccumulateLocks("a table", table, i + 1, token -> true, () -> { }));
            threads[i] = Thread.ofPlatform().daemon().start(() -> {
                StridedRegion region = new StridedRegion();
                for (int n = 0; n < times; n++) {
                    own.combine(ReduceOp.SUM, type, bits(type, 1), bits(type, 0), source, 0, length,
                        region.begin(target, offset, length), SEGMENT, 0);
                }
            });
        }
        for (Thread thread : threads) {
            assertTrue(thread.join(Duration.ofSeconds(250)));
        }
        for (int at = 0; at < length; at += type.componentBytes()) {
            assertEquals(2 * times, get(type, target, offset + at));
        }
        everyLockIsFree();
    }

    /** One element by the definition of the operation. */
    private static void modelled(ReduceOp op, ElementType type, MemorySegment source, long from, MemorySegment target,
        long at) {
        double a = get(type, target, at);
        double x = get(type, source, from);
        int component = type.componentBytes();
        if (op == ReduceOp.PRODUCT && isComplex(type)) {
            double b = get(type, target, at + component);
            double y = get(type, source, from + component);
            set(type, target, at, a * x - b * y);
            set(type, target, at + component, a * y + b * x);
            return;
        }
        for (int c = 0; c < type.sizeInBytes(); c += component) {
            a = get(type, target, at + c);
            x = get(type, source, from + c);
            set(type, target, at + c, switch (op) {
                case SUM -> a + x;
                case PRODUCT -> a * x;
                case MIN -> Math.min(a, x);
                case MAX -> Math.max(a, x);
                case LOGICAL_AND -> a != 0 && x != 0 ? 1 : 0;
                case LOGICAL_OR -> a != 0 || x != 0 ? 1 : 0;
                case LOGICAL_XOR -> (a == 0) != (x == 0) ? 1 : 0;
                case BITWISE_AND -> (long) a & (long) x;
                case BITWISE_OR -> (long) a | (long) x;
                case BITWISE_XOR -> (long) a ^ (long) x;
                case REPLACE -> x;
                case NO_OP -> a;
            });
        }
    }

    private static void assertSameNumbers(ElementType type, MemorySegment expected, MemorySegment actual) {
        for (long at = 0; at + type.componentBytes() <= expected.byteSize(); at += type.componentBytes()) {
            if (get(type, expected, at) != get(type, actual, at)) { // zeros of either sign are the same
                assertEquals(get(type, expected, at), get(type, actual, at), "at " + at);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ReduceOp.class)
    void shouldCombineAsDefinedWhenOperationAndTypeAreAny(ReduceOp op) {
        for (ElementType type : ElementType.values()) {
            if (!op.isDefinedFor(type)) {
                continue;
            }
            Random random = new Random(op.ordinal());
            int size = type.sizeInBytes();
            int block = 25_000 / size * size;
            long stride = block + type.componentBytes();
            MemorySegment target = numbers(type, 2 * (int) stride + 64, random);
            MemorySegment expected = MemorySegment.ofArray(target.toArray(ValueLayout.JAVA_BYTE));
            MemorySegment source = numbers(type, 2 * block, random);
            MemorySegment before = MemorySegment.ofArray(new byte[2 * block]);
            for (int i = 0; i < 2 * block; i += size) {
                long at = type.componentBytes() + i / block * stride + i % block;
                MemorySegment.copy(expected, at, before, i, size);
                modelled(op, type, source, i, expected, at);
            }
            MemorySegment other = MemorySegment.ofArray(target.toArray(ValueLayout.JAVA_BYTE));
            StridedRegion region = new StridedRegion().begin(target, type.componentBytes(), block).level(stride, 2);
            accumulator.combine(op, type, type.one(), 0, source, 0, 2L * block, region, SEGMENT, 8192);
            assertSameNumbers(type, expected, target);
            MemorySegment fetched = MemorySegment.ofArray(new byte[2 * block]);
            for (int i = 0; i < 2; i++) {
                accumulator.fetchAndCombine(op, type, source, (long) i * block, block, fetched, (long) i * block,
                    other, type.componentBytes() + i * stride, SEGMENT, 8192);
            }
            assertSameNumbers(type, expected, other);
            assertEquals(-1, before.mismatch(fetched));
            everyLockIsFree();
        }
    }

    @ParameterizedTest
    @EnumSource(ElementType.class)
    void shouldSwapOnlyWhenTheElementIsTheExpectedOne(ElementType type) {
        int size = type.sizeInBytes();
        MemorySegment target = numbers(type, 2 * AccumulateLocks.STRIPE_BYTES, new Random(1));
        long at = AccumulateLocks.STRIPE_BYTES - type.componentBytes(); // complex ones lie across two stripes
        MemorySegment operands = MemorySegment.ofArray(new byte[2 * size]);
        MemorySegment.copy(target, at, operands, 0, size);
        for (int c = 0; c < size; c += type.componentBytes()) {
            set(type, operands, size + c, 777);
        }
        MemorySegment before = MemorySegment.ofArray(target.toArray(ValueLayout.JAVA_BYTE));
        MemorySegment result = MemorySegment.ofArray(new byte[size]);
        accumulator.compareAndSwap(type, operands, 0, result, 0, target, at, SEGMENT, 0);
        assertEquals(-1, result.mismatch(operands.asSlice(0, size)), "what was there");
        assertEquals(-1, target.asSlice(at, size).mismatch(operands.asSlice(size)));
        set(type, operands, size, 778); // not stored: the expected element is no longer there
        accumulator.compareAndSwap(type, operands, 0, result, 0, target, at, SEGMENT, 0);
        set(type, operands, size, 777);
        assertEquals(-1, result.mismatch(operands.asSlice(size)), "what was there");
        assertEquals(-1, target.asSlice(at, size).mismatch(operands.asSlice(size)));
        MemorySegment.copy(before, at, target, at, size);
        assertEquals(-1, before.mismatch(target), "nothing around it has changed");
        everyLockIsFree();
    }

    @Test
    void shouldKeepInfinitiesWhenComplexNumbersAreAddedUnscaled() {
        MemorySegment target = MemorySegment.ofArray(new double[] {1, 2});
        MemorySegment source = MemorySegment.ofArray(new double[] {3, Double.POSITIVE_INFINITY});
        accumulator.combine(ReduceOp.SUM, ElementType.COMPLEX_DOUBLE, ElementType.COMPLEX_DOUBLE.one(), 0, source,
            0, 16, new StridedRegion().begin(target, 0, 16), SEGMENT, 0);
        assertEquals(4, target.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, 0));
        assertEquals(Double.POSITIVE_INFINITY, target.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, 8));
    }

    @Test
    void shouldHaveTheirCodesWhenOperationsAreSent() {
        for (ReduceOp op : ReduceOp.values()) {
            assertEquals(op.ordinal(), op.code().value());
            assertEquals(op, ReduceOp.of(op.code()));
        }
        assertEquals(null, ReduceOp.of(ReduceCode.COMPARE_AND_SWAP));
        assertEquals(null, ReduceOp.of(ReduceCode.NULL_VAL));
    }

    @Test
    void shouldHaveTheirSizesAndCodesWhenTypesAreSent() {
        int[] sizes = {4, 8, 4, 8, 8, 16};
        int[] components = {4, 8, 4, 8, 4, 8};
        for (ElementType type : ElementType.values()) {
            assertEquals(sizes[type.ordinal()], type.sizeInBytes());
            assertEquals(components[type.ordinal()], type.componentBytes());
            assertEquals(type.ordinal(), type.code().value());
            assertEquals(type, ElementType.of(type.code()));
        }
        assertEquals(null, ElementType.of(ElementCode.NULL_VAL));
    }

    @Test
    void shouldHoldNoLockWhenMemoryCannotBeReadOrWritten() {
        MemorySegment target = Arena.ofAuto().allocate(4L * AccumulateLocks.STRIPE_BYTES, 64);
        MemorySegment small = MemorySegment.ofArray(new long[4]);
        long length = 2L * AccumulateLocks.STRIPE_BYTES;
        for (ReduceOp op : new ReduceOp[] {ReduceOp.SUM, ReduceOp.MAX, ReduceOp.REPLACE}) {
            assertThrows(IndexOutOfBoundsException.class, () -> accumulator.combine(op, ElementType.LONG, 1, 0, small,
                0, length, new StridedRegion().begin(target, 0, length), SEGMENT, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> accumulator.fetchAndCombine(op, ElementType.LONG,
                target, 0, 64, small, 0, target, AccumulateLocks.STRIPE_BYTES, SEGMENT, 0));
            // Not there any more, as the memory of a file that was cut off.
            MemorySegment gone;
            try (Arena arena = Arena.ofConfined()) {
                gone = arena.allocate(64);
            }
            assertThrows(IllegalStateException.class, () -> accumulator.combine(op, ElementType.LONG, 1, 0, target, 0,
                64, new StridedRegion().begin(gone, 0, 64), SEGMENT, 0));
            assertThrows(IllegalStateException.class, () -> accumulator.combine(op, ElementType.LONG, 1, 0, target, 0,
                8, new StridedRegion().begin(gone, 0, 8), SEGMENT, 0));
            assertThrows(IllegalStateException.class, () -> accumulator.combine(op, ElementType.LONG, 1, 0, gone, 0,
                8, new StridedRegion().begin(target, 0, 8), SEGMENT, 0));
            assertThrows(IllegalStateException.class, () -> accumulator.compareAndSwap(ElementType.LONG, small, 0,
                small, 16, gone, 0, SEGMENT, 0));
        }
        everyLockIsFree();
    }

    @Test
    void shouldStopAndGoOnWhereALockIsHeldWhenOnlyTrying() {
        int stripe = AccumulateLocks.STRIPE_BYTES;
        MemorySegment target = Arena.ofAuto().allocate(3L * stripe, 64);
        long[] ones = new long[3 * stripe / Long.BYTES];
        java.util.Arrays.fill(ones, 1);
        MemorySegment source = MemorySegment.ofArray(ones);
        AccumulateLocks other = new AccumulateLocks("a table", table, 2, token -> true, () -> { });
        int held = AccumulateLocks.lockOf(SEGMENT, stripe);
        other.acquire(held);
        StridedRegion region = new StridedRegion().begin(target, 0, 3L * stripe);
        assertEquals(stripe, accumulator.tryCombine(ReduceOp.SUM, ElementType.LONG, 1, 0, source, 0, 3L * stripe,
            region, SEGMENT, 0));
        assertEquals(2L * stripe, region.remaining());
        assertEquals(0, accumulator.tryCombine(ReduceOp.SUM, ElementType.LONG, 1, 0, source, stripe, 2L * stripe,
            region, SEGMENT, 0));
        assertEquals(0, accumulator.tryCombine(ReduceOp.SUM, ElementType.LONG, 1, 0, source, stripe, 8, region, SEGMENT,
            0));
        MemorySegment before = MemorySegment.ofArray(new long[16]);
        assertEquals(64, accumulator.tryFetchAndCombine(ReduceOp.NO_OP, ElementType.LONG, source, 0, 128, before, 0,
            target, stripe - 64, SEGMENT, 0));
        assertFalse(accumulator.tryCompareAndSwap(ElementType.LONG, source, 0, before, 0, target, stripe, SEGMENT, 0));
        assertFalse(accumulator.tryAcquire(SEGMENT, stripe - 8, 16));
        other.release(held);
        assertEquals(2L * stripe, accumulator.tryCombine(ReduceOp.SUM, ElementType.LONG, 1, 0, source, stripe,
            2L * stripe, region, SEGMENT, 0));
        assertEquals(-1, target.mismatch(source), "each once");
        everyLockIsFree();
    }
}

package org.tributary.wire.shape;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** Strided regions against nested loops. */
class StridedRegionTest {
    private static final int MEMORY = 4096;
    private static final int BASE = MEMORY / 2;

    /** A region around the middle of the memory. */
    record Shape(int block, List<int[]> levels) {
        /** Offset of each byte, in order; the first level runs fastest. */
        List<Integer> offsets() {
            List<Integer> blocks = List.of(BASE);
            for (int[] level : levels) {
                List<Integer> more = new ArrayList<>();
                for (int i = 0; i < level[1]; i++) {
                    for (int offset : blocks) {
                        more.add(offset + i * level[0]);
                    }
                }
                blocks = more;
            }
            List<Integer> bytes = new ArrayList<>();
            blocks.forEach(start -> {
                for (int i = 0; i < block; i++) {
                    bytes.add(start + i);
                }
            });
            return bytes;
        }

        StridedRegion begin(StridedRegion region, byte[] memory) {
            region.begin(MemorySegment.ofArray(memory), BASE, block);
            levels.forEach(level -> region.level(level[0], level[1]));
            return region;
        }

        @Override
        public String toString() {
            return block + levels.stream().map(level -> " [" + level[0] + " x " + level[1] + "]").toList().toString();
        }
    }

    @Provide
    Arbitrary<Shape> shapes() {
        Arbitrary<Integer> strides = Arbitraries.integers().between(-120, 120);
        Arbitrary<Integer> counts = Arbitraries.frequency(net.jqwik.api.Tuple.of(1, 0), net.jqwik.api.Tuple.of(3, 1),
            net.jqwik.api.Tuple.of(10, 2), net.jqwik.api.Tuple.of(4, 3));
        Arbitrary<List<int[]>> levels =
            Combinators.combine(strides, counts).as((stride, count) -> new int[] {stride, count}).list().ofMaxSize(5);
        return Combinators.combine(Arbitraries.integers().between(0, 40), levels, Arbitraries.integers().between(0, 3))
            .as((block, any, dense) -> new Shape(block, densified(block, any, dense)));
    }

    /** Makes the first levels continue what lies below them, so that they are merged. */
    private static List<int[]> densified(int block, List<int[]> levels, int dense) {
        int extent = block;
        for (int i = 0; i < Math.min(dense, levels.size()); i++) {
            levels.get(i)[0] = extent;
            extent *= levels.get(i)[1];
        }
        return extent > 300 ? levels.subList(0, Math.min(1, levels.size())) : levels;
    }

    private static byte[] random(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
    void shouldWalkLikeLoopsWhenStridesAreAny(@ForAll("shapes") Shape shape) {
        List<Integer> offsets = shape.offsets();
        StridedRegion region = shape.begin(new StridedRegion(), new byte[MEMORY]);
        assertEquals(offsets.size(), region.remaining());
        if (!offsets.isEmpty()) {
            assertEquals(offsets.stream().mapToInt(i -> i).min().orElseThrow(), region.low());
            assertEquals(offsets.stream().mapToInt(i -> i).max().orElseThrow() + 1, region.high());
        }
        for (int offset : offsets) {
            assertEquals(offset, region.position());
            assertTrue(region.contiguous() > 0);
            region.advance(1);
        }
        assertEquals(0, region.contiguous());
        assertEquals(0, region.remaining());
    }

    @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
    void shouldGatherLikeLoopsWhenCutAnywhere(@ForAll("shapes") Shape shape, @ForAll long seed) {
        byte[] memory = random(MEMORY, seed);
        List<Integer> offsets = shape.offsets();
        byte[] expected = new byte[offsets.size()];
        for (int i = 0; i < expected.length; i++) {
            expected[i] = memory[offsets.get(i)];
        }
        byte[] packed = new byte[expected.length];
        Random cuts = new Random(seed);
        StridedRegion region = shape.begin(new StridedRegion(), memory);
        for (int at = 0; at < packed.length;) {
            int piece = 1 + cuts.nextInt(packed.length - at);
            region.gather(MemorySegment.ofArray(packed), at, piece);
            at += piece;
        }
        assertArrayEquals(expected, packed);
    }

    @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
    void shouldScatterLikeLoopsWhenCutAnywhere(@ForAll("shapes") Shape shape, @ForAll long seed) {
        byte[] memory = random(MEMORY, seed);
        byte[] expected = memory.clone();
        List<Integer> offsets = shape.offsets();
        byte[] packed = random(offsets.size(), ~seed);
        for (int i = 0; i < packed.length; i++) {
            expected[offsets.get(i)] = packed[i];
        }
        Random cuts = new Random(seed);
        StridedRegion region = shape.begin(new StridedRegion(), memory);
        for (int at = 0; at < packed.length;) {
            int piece = 1 + cuts.nextInt(packed.length - at);
            region.scatter(MemorySegment.ofArray(packed), at, piece);
            at += piece;
        }
        assertArrayEquals(expected, memory);
    }

    @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
    void shouldCopyLikeLoopsWhenShapesDiffer(@ForAll("shapes") Shape to, @ForAll long seed) {
        List<Integer> offsets = to.offsets();
        byte[] source = random(2 * offsets.size() + 1, seed);
        byte[] memory = random(MEMORY, ~seed);
        byte[] expected = memory.clone();
        for (int i = 0; i < offsets.size(); i++) {
            expected[offsets.get(i)] = source[2 * i];
        }
        StridedRegion from = new StridedRegion().begin(MemorySegment.ofArray(source), 0, 1).level(2, offsets.size());
        to.begin(new StridedRegion(), memory).copyFrom(from);
        assertArrayEquals(expected, memory);
    }

    @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
    void shouldForgetTheLastWhenBegunAgain(@ForAll("shapes") Shape first, @ForAll("shapes") Shape second) {
        StridedRegion region = first.begin(new StridedRegion(), new byte[MEMORY]);
        if (region.remaining() > 1) {
            region.advance(1);
        }
        byte[] memory = random(MEMORY, 3);
        byte[] packed = new byte[second.offsets().size()];
        second.begin(region, memory).gather(MemorySegment.ofArray(packed), 0, packed.length);
        for (int i = 0; i < packed.length; i++) {
            assertEquals(memory[second.offsets().get(i)], packed[i]);
        }
    }

    @Test
    void shouldMergeWhenLevelsContinueTheBlock() {
        StridedRegion region = new StridedRegion().begin(MemorySegment.NULL, 0, 8).level(8, 4).level(32, 3);
        assertTrue(region.isContiguous());
        assertEquals(96, region.contiguous());
        assertFalse(region.level(97, 2).isContiguous());
        for (int i = 0; i < 7; i++) {
            region.level(1000, 2);
        }
        assertEquals(96 << 8, region.remaining());
        assertThrows(IllegalArgumentException.class, () -> region.level(1, 2));
    }

    @Test
    void shouldRefuseWhenNumbersAreTooLarge() {
        StridedRegion region = new StridedRegion();
        assertThrows(ArithmeticException.class, () -> region.begin(MemorySegment.NULL, 0, 1L << 40).level(0, 1L << 40));
        assertThrows(ArithmeticException.class,
            () -> region.begin(MemorySegment.NULL, 0, 1).level(Long.MAX_VALUE, 3));
        assertThrows(ArithmeticException.class,
            () -> region.begin(MemorySegment.NULL, 0, 1).level(Long.MIN_VALUE, 2).level(Long.MIN_VALUE, 2));
        assertThrows(IllegalArgumentException.class, () -> region.begin(MemorySegment.NULL, 0, 1).level(1, -1));
        assertEquals(Long.MAX_VALUE, region.begin(MemorySegment.NULL, Long.MAX_VALUE - 3, 8).high());
        assertEquals(5, region.begin(MemorySegment.NULL, -3, 8).high());
    }

    @Test
    void shouldHoldOnToNothingWhenReleased() {
        StridedRegion region = new StridedRegion().begin(MemorySegment.ofArray(new byte[8]), 0, 8);
        region.release();
        assertEquals(MemorySegment.NULL, region.memory());
        assertEquals(0, region.contiguous());
    }
}

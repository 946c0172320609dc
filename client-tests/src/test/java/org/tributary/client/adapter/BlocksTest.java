package org.tributary.client.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.tributary.client.shape.Ranges;
import org.tributary.client.shape.Shape;
import org.tributary.client.shape.Strided;

/** What the adapter moves, against plain loops. */
class BlocksTest {
    private static final int ROUNDS = 3000;

    /** A block as a loop finds it. */
    private record Block(long remote, long local, long length) {
    }

    private static List<Block> loop(Strided shape, int level, long remote, long local) {
        if (level < 0) {
            return List.of(new Block(remote, local, shape.blockBytes()));
        }
        List<Block> all = new ArrayList<>();
        for (long i = 0; i < shape.count(level); i++) {
            all.addAll(loop(shape, level - 1, remote + i * shape.remoteStride(level),
                local + i * shape.localStride(level)));
        }
        return all;
    }

    private static List<Block> loop(Ranges ranges) {
        List<Block> all = new ArrayList<>();
        for (int i = 0; i < ranges.count(); i++) {
            all.add(new Block(ranges.remoteOffset(i), ranges.localOffset(i), ranges.length(i)));
        }
        return all;
    }

    private static List<Block> taken(Blocks blocks, Random random) {
        List<Block> all = new ArrayList<>();
        while (blocks.hasMore()) {
            long remote = blocks.remote();
            long local = blocks.local();
            long length = blocks.take(1 + random.nextInt(5));
            for (long at = 0; at < length; at++) {
                all.add(new Block(remote + at, local + at, 1));
            }
        }
        return all;
    }

    private static List<Block> bytes(List<Block> blocks) {
        List<Block> all = new ArrayList<>();
        for (Block block : blocks) {
            for (long at = 0; at < block.length(); at++) {
                all.add(new Block(block.remote() + at, block.local() + at, 1));
            }
        }
        return all;
    }

    private static boolean areApart(List<Block> bytes, boolean remotely) {
        BitSet seen = new BitSet();
        for (Block each : bytes) {
            int place = 1_000_000 + (int) (remotely ? each.remote() : each.local());
            if (seen.get(place)) {
                return false;
            }
            seen.set(place);
        }
        return true;
    }

    private static Strided strided(Random random) {
        int levels = random.nextInt(4);
        long[] counts = new long[levels];
        long[] local = new long[levels];
        long[] remote = new long[levels];
        for (int i = 0; i < levels; i++) {
            counts[i] = random.nextInt(5) - (random.nextInt(8) == 0 ? 0 : -1);
            local[i] = random.nextInt(81) - 40;
            remote[i] = random.nextInt(401) - 200;
        }
        return new Strided(random.nextInt(12), counts, local, remote);
    }

    private static Ranges ranges(Random random) {
        int count = random.nextInt(7);
        long[] local = new long[count];
        long[] remote = new long[count];
        int[] lengths = new int[count];
        for (int i = 0; i < count; i++) {
            local[i] = i * 9L + random.nextInt(6);
            remote[i] = random.nextBoolean() ? 20L * i : random.nextInt(100);
            lengths[i] = random.nextInt(8);
        }
        return new Ranges(local, remote, lengths);
    }

    @Test
    void shouldHaveTheBytesOfALoop() {
        int apart = 0;
        for (int seed = 0; seed < ROUNDS; seed++) {
            Random random = new Random(seed);
            Shape shape = random.nextBoolean() ? strided(random) : ranges(random);
            List<Block> expected = bytes(shape instanceof Strided levels ? loop(levels, levels.levels() - 1, 1000, 500)
                : loop((Ranges) shape));
            Blocks blocks = Blocks.of(1000, 500, 0, shape);
            assertEquals(expected.size(), blocks.bytes(), "seed " + seed);
            for (boolean remotely : new boolean[] {true, false}) {
                boolean areSaidToBe = blocks.areApart(remotely);
                assertTrue(!areSaidToBe || areApart(expected, remotely), "seed " + seed + " " + remotely);
                apart += areSaidToBe && expected.size() > 20 ? 1 : 0;
            }
            long from = expected.stream().mapToLong(Block::local).min().orElse(0);
            long to = expected.stream().mapToLong(Block::local).max().orElse(-1) + 1;
            assertTrue(expected.isEmpty() || blocks.lowest() == from && blocks.highest() == to, "seed " + seed);
            assertEquals(expected.isEmpty() ? blocks.first() : expected.getFirst().remote(), blocks.first());
            assertEquals(expected, taken(blocks, random), "seed " + seed);
        }
        assertTrue(apart > ROUNDS / 20, apart + " were found to be apart");
    }

    @Test
    void shouldHaveOneBlockWhenBytesAreContiguous() {
        Blocks blocks = Blocks.of(7, 3, 100, null);
        assertTrue(blocks.hasMore() && blocks.areApart(true) && blocks.areApart(false));
        assertEquals(60, blocks.take(60));
        assertEquals(List.of(67L, 63L), List.of(blocks.remote(), blocks.local()));
        assertEquals(40, blocks.take(60));
        assertFalse(blocks.hasMore() || Blocks.of(7, 3, 0, null).hasMore());
    }

    @Test
    void shouldTellTheSizeOfABlock() {
        assertEquals(64, Strided.rows(64, 3, 64, 64).meanBlockBytes());
        assertEquals(0, Strided.rows(64, 0, 64, 64).meanBlockBytes());
        assertEquals(5, new Ranges(new long[2], new long[2], new int[] {10, 1}).meanBlockBytes());
        assertEquals(0, new Ranges(new long[0], new long[0], new int[0]).meanBlockBytes());
    }

    /** A row on the row before, or all on one place. */
    @Test
    void shouldNotBeApartWhenRowsShareBytes() {
        assertFalse(Blocks.of(0, 0, 0, Strided.rows(64, 3, 64, 63)).areApart(true));
        assertTrue(Blocks.of(0, 0, 0, Strided.rows(64, 3, 64, 63)).areApart(false));
        assertFalse(Blocks.of(0, 0, 0, Strided.rows(64, 3, 64, 0)).areApart(true));
        assertTrue(Blocks.of(0, 0, 0, Strided.rows(64, 1, 64, 0)).areApart(true));
        Ranges twice = Ranges.uniform(8, new long[] {0, 8}, new long[] {16, 16});
        assertFalse(Blocks.of(0, 0, 0, twice).areApart(true));
        assertTrue(Blocks.of(0, 0, 0, twice).areApart(false));
    }
}

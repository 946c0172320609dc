package org.tributary.client;

import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.tributary.client.shape.Strided;

/**
 * A random strided shape with the serial model of what it means: blocks that do not overlap on either side, strides of
 * either sign, and the two places at which the first block begins so that every block lies within its side.
 */
final class Shape {
    /** What happens to one block: byte offsets in the local and in the remote side. */
    interface Block {
        void at(long local, long remote);
    }

    final long block;
    final long[] counts;
    final Side local;
    final Side remote;

    private Shape(long block, long[] counts, Side local, Side remote) {
        this.block = block;
        this.counts = counts;
        this.local = local;
        this.remote = remote;
    }

    /** One side: strides, where the first block begins, and how many bytes hold all of them. */
    static final class Side {
        final long[] strides;
        long first;
        long extent;

        private Side(Random random, long block, long[] counts, int unit) {
            strides = new long[counts.length];
            long reach = block;
            for (int level = 0; level < counts.length; level++) {
                long stride = reach + (long) unit * random.nextInt(3);
                boolean backwards = random.nextInt(3) == 0;
                strides[level] = backwards ? -stride : stride;
                first += backwards ? stride * (counts[level] - 1) : 0;
                reach = stride * counts[level];
            }
            extent = reach;
        }
    }

    /** Up to {@code levels} levels; blocks and strides are multiples of {@code unit}; {@code most} bytes a side. */
    static Shape random(Random random, int levels, int unit, long largestBlock, long most) {
        while (true) {
            long block = unit * (1 + random.nextLong(Math.max(1, largestBlock / unit)));
            long[] counts = new long[random.nextInt(levels + 1)];
            for (int level = 0; level < counts.length; level++) {
                counts[level] = 1 + random.nextInt(counts.length > 4 ? 3 : 9);
            }
            Shape shape = new Shape(block, counts, new Side(random, block, counts, unit),
                new Side(random, block, counts, unit));
            if (shape.local.extent <= most && shape.remote.extent <= most) {
                return shape;
            }
        }
    }

    Strided strided() {
        return new Strided(block, counts, local.strides, remote.strides);
    }

    void forEachBlock(Block action) {
        forEachBlock(counts.length, local.first, remote.first, action);
    }

    private void forEachBlock(int levels, long at, long remoteAt, Block action) {
        if (levels == 0) {
            action.at(at, remoteAt);
            return;
        }
        for (long i = 0; i < counts[levels - 1]; i++) {
            forEachBlock(levels - 1, at + i * local.strides[levels - 1], remoteAt + i * remote.strides[levels - 1],
                action);
        }
    }

    /** The model of a put; the other way round, of a get. */
    void put(MemorySegment from, MemorySegment to) {
        forEachBlock((at, remoteAt) -> MemorySegment.copy(from, at, to, remoteAt, block));
    }

    void get(MemorySegment from, MemorySegment to) {
        forEachBlock((at, remoteAt) -> MemorySegment.copy(from, remoteAt, to, at, block));
    }

    @Override
    public String toString() {
        return "block " + block + ", counts " + java.util.Arrays.toString(counts) + ", local strides "
            + java.util.Arrays.toString(local.strides) + ", remote strides "
            + java.util.Arrays.toString(remote.strides);
    }
}

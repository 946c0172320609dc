package org.tributary.globalarrays.distribution;

import java.util.Arrays;

/**
 * A box of elements as the fewest possible levels of contiguous blocks: dimensions that follow each other without a gap
 * on both sides are merged.
 *
 * @param blockBytes    bytes of one contiguous block
 * @param counts        blocks at each level, innermost first; no level at all for one contiguous range
 * @param localStrides  bytes between the blocks of each level in the local buffer
 * @param remoteStrides bytes between the blocks of each level in the owner's memory
 */
public record StridedPlan(long blockBytes, long[] counts, long[] localStrides, long[] remoteStrides) {
    /**
     * Plans the transfer of a patch.
     *
     * @param local  bytes from one element to the next in each dimension of the local buffer, the innermost one being
     *               {@code elementBytes}
     * @param remote the same of the owner's memory
     */
    public static StridedPlan of(Patch patch, int elementBytes, long[] local, long[] remote) {
        long block = elementBytes;
        long[] counts = new long[patch.dimensions()];
        long[] locals = new long[patch.dimensions()];
        long[] remotes = new long[patch.dimensions()];
        int levels = 0;
        for (int d = patch.dimensions() - 1; d >= 0; d--) {
            long extent = patch.extent(d);
            if (extent == 1) {
                continue;
            }
            if (levels == 0 && local[d] == block && remote[d] == block) {
                block *= extent;
            } else if (levels > 0 && local[d] == counts[levels - 1] * locals[levels - 1]
                && remote[d] == counts[levels - 1] * remotes[levels - 1]) {
                counts[levels - 1] *= extent;
            } else {
                counts[levels] = extent;
                locals[levels] = local[d];
                remotes[levels] = remote[d];
                levels++;
            }
        }
        return new StridedPlan(block, Arrays.copyOf(counts, levels),
            Arrays.copyOf(locals, levels), Arrays.copyOf(remotes, levels));
    }

    /** Whether all of it is one contiguous block on both sides. */
    public boolean isContiguous() {
        return counts.length == 0;
    }
}

package org.tributary.globalarrays.distribution;

/** Blocks whose lengths differ by at most 1, the longer ones first. Found by a division, whatever their number. */
final class EvenBlocks implements Blocks {
    private final int count;
    private final long shorter;
    private final long longerBlocks;
    private final long longerEnd;

    /** Cuts {@code length} indices into {@code count <= length} blocks. */
    EvenBlocks(long length, int count) {
        this.count = count;
        shorter = length / count;
        longerBlocks = length % count;
        longerEnd = longerBlocks * (shorter + 1);
    }

    @Override
    public int count() {
        return count;
    }

    @Override
    public long start(int block) {
        return block * shorter + Math.min(block, longerBlocks);
    }

    @Override
    public int blockOf(long index) {
        return (int) (index < longerEnd ? index / (shorter + 1) : longerBlocks + (index - longerEnd) / shorter);
    }
}

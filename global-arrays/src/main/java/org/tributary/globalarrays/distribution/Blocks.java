package org.tributary.globalarrays.distribution;

/** How the indices of one dimension are cut into consecutive blocks, none of them empty. */
sealed interface Blocks permits EvenBlocks, GivenBlocks {
    /** Number of blocks, at least 1. */
    int count();

    /** First index of a block; for {@code block == count()}, the length of the dimension. */
    long start(int block);

    /** The block that an index of the dimension lies in. */
    int blockOf(long index);
}

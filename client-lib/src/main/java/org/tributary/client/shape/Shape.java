package org.tributary.client.shape;

/**
 * What a transfer moves when that is not one block of contiguous bytes, with offsets in the local buffer and in the
 * remote memory. Immutable and thread-safe.
 */
public sealed interface Shape permits Strided, Ranges {
    /** All bytes; one that lies in several blocks counts for each. */
    long bytes();

    /** Bytes of a block, in the mean, rounded down; 0 when there is nothing to move. */
    long meanBlockBytes();

    /** Where the remote side begins, relative to the first block of strided, and to the part's begin of ranges. */
    long remoteLow();

    /** Where the remote side ends, relative to the same. */
    long remoteHigh();

    /** Acts on every block of the remote side; {@code begin} is where the first block is. */
    void forEachRemoteBlock(long begin, BlockAction action);

    /** What is to be done with a block. */
    interface BlockAction {
        /** One that begins at that offset. */
        void at(long begin, long bytes);
    }
}

package org.tributary.client.collective;

import org.tributary.wire.shm.CollectiveLayout;

/**
 * Sizes at which collectives change their algorithm; they must be the same on all members.
 *
 * @param longVectorBytes  vectors from this size on are reduced and gathered by parts instead of as a whole, and on a
 *                         single node by all members side by side instead of through the leader
 * @param smallBlockBytes  all-to-all of n members sends blocks up to this size divided by log2 n by way of other
 *                         members in few messages, larger ones directly: see {@link AllToAll}
 */
record Tuning(long longVectorBytes, long smallBlockBytes) {
    static final Tuning DEFAULT = new Tuning(CollectiveLayout.LONG_VECTOR_BYTES,
        CollectiveLayout.SMALL_BLOCK_BYTES);
}

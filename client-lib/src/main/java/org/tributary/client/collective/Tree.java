package org.tributary.client.collective;

import java.lang.foreign.MemorySegment;

/**
 * One member's place in a tree over the group: a binomial tree within each node, rooted at the node's head, and a
 * binomial tree over the heads. The head of a node is its leader, or the root of the tree on the root's node.
 *
 * <p>Positions count from the root (modulo the size), and the parent of position v is v with its lowest bit, j,
 * cleared; that edge belongs to round j. So a member's rounds to its children lie below the one to its parent, and up
 * and down over one edge share a round without sharing a slot: up lies in the parent's inbox, down in the child's.
 * Streams are pipelined chunk by chunk over all levels.
 */
final class Tree {
    private final Hierarchy hierarchy;
    private final Transfers transfers;
    private final int self;
    private final MemorySegment staging;
    private final int[] children = new int[2 * Integer.SIZE];
    private final int[] childRounds = new int[2 * Integer.SIZE];
    private int childCount;
    private int parent;
    private int parentRound;

    /** A tree of the whole group, not rooted yet. {@code staging} holds a chunk and may be shared. */
    Tree(Hierarchy hierarchy, Transfers transfers, int self, MemorySegment staging) {
        this.hierarchy = hierarchy;
        this.transfers = transfers;
        this.self = self;
        this.staging = staging;
    }

    /** Makes this the tree of the whole group with that root. */
    Tree rootedAt(int root) {
        int node = hierarchy.nodeOf(self);
        int rootNode = hierarchy.nodeOf(root);
        if (placeWithinNode(node == rootNode ? root : hierarchy.leaderOf(node)) != 0) {
            return this;
        }
        int nodes = hierarchy.nodes();
        int position = Math.floorMod(node - rootNode, nodes);
        for (int bit = 0; isChild(position, bit, nodes); bit++) {
            int child = (int) ((rootNode + position + (1L << bit)) % nodes);
            addChild(hierarchy.leaderOf(child), hierarchy.localRounds() + bit);
        }
        if (position != 0) {
            int above = position & position - 1;
            parent = above == 0 ? root : hierarchy.leaderOf((int) (((long) rootNode + above) % nodes));
            parentRound = hierarchy.localRounds() + Integer.numberOfTrailingZeros(position);
        }
        return this;
    }

    /** Makes this the tree of the own node alone, rooted at its leader. */
    Tree ofNode() {
        placeWithinNode(hierarchy.leaderOf(hierarchy.nodeOf(self)));
        return this;
    }

    private int placeWithinNode(int head) {
        int node = hierarchy.nodeOf(self);
        int first = hierarchy.firstOf(node);
        int size = hierarchy.sizeOf(node);
        int headIndex = hierarchy.placeOf(head) - first;
        int position = Math.floorMod(hierarchy.placeOf(self) - first - headIndex, size);
        childCount = 0;
        parent = -1;
        for (int bit = 0; isChild(position, bit, size); bit++) {
            addChild(hierarchy.memberAt(first + (headIndex + position + (1 << bit)) % size), bit);
        }
        if (position != 0) {
            parent = hierarchy.memberAt(first + (headIndex + (position & position - 1)) % size);
            parentRound = Integer.numberOfTrailingZeros(position);
        }
        return position;
    }

    private static boolean isChild(int position, int bit, int size) {
        return position + (1L << bit) < size && (position & 1L << bit) == 0;
    }

    private void addChild(int child, int round) {
        children[childCount] = child;
        childRounds[childCount] = round;
        childCount++;
    }

    int childCount() {
        return childCount;
    }

    int child(int index) {
        return children[index];
    }

    int childRound(int index) {
        return childRounds[index];
    }

    int parent() {
        return parent;
    }

    int parentRound() {
        return parentRound;
    }

    /** Returns when all members below this one have arrived here, and tells the parent so. */
    void arrive() {
        for (int i = 0; i < childCount; i++) {
            transfers.awaitSignal(childRounds[i], children[i]);
        }
        if (parent >= 0) {
            transfers.signal(parentRound, parent);
        }
    }

    /** Returns when the root has called this, and lets the members below go. */
    void depart() {
        if (parent >= 0) {
            transfers.awaitSignal(parentRound, parent);
        }
        for (int i = childCount - 1; i >= 0; i--) { // the largest subtree first
            transfers.signal(childRounds[i], children[i]);
        }
    }

    /**
     * Combines all members' {@code source} at the root.
     *
     * @param target result, at the root; not used elsewhere. May be the source.
     */
    void reduce(Reduction reduction, MemorySegment source, MemorySegment target, long bytes) {
        long chunks = transfers.chunksOf(bytes);
        for (long k = 0; k < chunks; k++) {
            long offset = k * transfers.chunkBytes();
            long length = Math.min(transfers.chunkBytes(), bytes - offset);
            if (parent < 0) {
                MemorySegment.copy(source, offset, target, offset, length);
                combineChildren(reduction, target, offset, length, k, chunks);
            } else if (childCount == 0) {
                transfers.push(parentRound, parent, source, offset, length, k);
            } else {
                MemorySegment.copy(source, offset, staging, 0, length);
                combineChildren(reduction, staging, 0, length, k, chunks);
                transfers.push(parentRound, parent, staging, 0, length, k);
            }
        }
    }

    private void combineChildren(Reduction reduction, MemorySegment target, long at, long length, long k,
        long chunks) {
        for (int i = 0; i < childCount; i++) {
            long chunk = transfers.awaitChunk(childRounds[i], children[i], k);
            reduction.combine(target, at, transfers.inbox(), chunk, length);
            transfers.release(childRounds[i], children[i], k, chunks);
        }
    }

    /** Copies the first bytes of the root's buffer into that of every member. */
    void broadcast(MemorySegment buffer, long bytes) {
        long chunks = transfers.chunksOf(bytes);
        for (long k = 0; k < chunks; k++) {
            long offset = k * transfers.chunkBytes();
            long length = Math.min(transfers.chunkBytes(), bytes - offset);
            if (parent >= 0) {
                long chunk = transfers.awaitChunk(parentRound, parent, k);
                MemorySegment.copy(transfers.inbox(), chunk, buffer, offset, length);
                transfers.release(parentRound, parent, k, chunks);
            }
            for (int i = childCount - 1; i >= 0; i--) {
                transfers.push(childRounds[i], children[i], buffer, offset, length, k);
            }
        }
    }
}

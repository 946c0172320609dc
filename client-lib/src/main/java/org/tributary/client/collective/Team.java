package org.tributary.client.collective;

import java.lang.foreign.MemorySegment;

/** One member's part in the algorithms over one view of the group's nodes. */
final class Team {
    private final Hierarchy hierarchy;
    private final Transfers transfers;
    private final int self;
    private final int node;
    private final boolean leader;
    private final Tree tree;
    private final Circulant circulant;
    private final RecursiveDoubling doubling;
    private final EvenPartition elementsOfLeaders;
    private final NodePartition blocksOfNodes;
    private final ByteRange range;

    Team(Hierarchy hierarchy, Transfers transfers, int self, MemorySegment staging) {
        this.hierarchy = hierarchy;
        this.transfers = transfers;
        this.self = self;
        node = hierarchy.nodeOf(self);
        leader = hierarchy.leaderOf(node) == self;
        tree = new Tree(hierarchy, transfers, self, staging);
        circulant = new Circulant(hierarchy, transfers, self);
        doubling = new RecursiveDoubling(hierarchy, transfers, self);
        elementsOfLeaders = new EvenPartition(hierarchy.nodes());
        blocksOfNodes = new NodePartition(hierarchy);
        range = new ByteRange(transfers.chunkBytes());
    }

    Hierarchy hierarchy() {
        return hierarchy;
    }

    Tree tree(int root) {
        return tree.rootedAt(root);
    }

    /** Rounds that {@link #barrier} uses: the first ones. */
    int barrierRounds() {
        return hierarchy.localRounds() + hierarchy.leaderRounds();
    }

    /**
     * Returns when every member has called this: binomial trees within nodes, and between leaders the dissemination
     * barrier of Hensgen, Finkel and Manber (1988).
     */
    void barrier() {
        tree.ofNode().arrive();
        if (leader) {
            int leaders = hierarchy.nodes();
            int round = hierarchy.localRounds();
            for (int distance = 1; distance < leaders; distance *= 2) {
                transfers.signal(round, hierarchy.leaderOf((node + distance) % leaders));
                transfers.awaitSignal(round, hierarchy.leaderOf((node + leaders - distance) % leaders));
                round++;
            }
        }
        tree.depart();
    }

    /** Up the node, between leaders, down the node; {@code byParts} says how leaders do it. */
    void allreduce(Reduction reduction, MemorySegment send, MemorySegment receive, long bytes, boolean byParts) {
        tree.ofNode().reduce(reduction, send, receive, bytes);
        if (leader && byParts) {
            elementsOfLeaders.set(bytes / reduction.elementBytes(), reduction.elementBytes());
            circulant.reduceScatter(receive, elementsOfLeaders, reduction);
            circulant.allgather(receive, elementsOfLeaders);
        } else if (leader) {
            doubling.allreduce(receive, bytes, reduction);
        }
        tree.broadcast(receive, bytes);
    }

    /**
     * Up the node as whole vectors, between leaders by parts, down the node by blocks.
     *
     * @param vector   for all members' blocks
     * @param reordered for as many, used when members are not in node-major order
     */
    void reduceScatter(Reduction reduction, MemorySegment send, MemorySegment receive, long blockBytes, Scratch vector,
        Scratch reordered) {
        long bytes = blockBytes * hierarchy.size();
        tree.ofNode();
        MemorySegment buffer = leader ? vector.atLeast(bytes) : null;
        tree.reduce(reduction, send, buffer, bytes);
        if (leader) {
            if (!hierarchy.ordered()) {
                MemorySegment memberOrder = buffer;
                buffer = reordered.atLeast(bytes);
                for (int i = 0; i < hierarchy.size(); i++) {
                    MemorySegment.copy(memberOrder, hierarchy.memberAt(i) * blockBytes, buffer, i * blockBytes,
                        blockBytes);
                }
            }
            circulant.reduceScatter(buffer, blocksOfNodes.set(blockBytes), reduction);
            scatter(buffer, hierarchy.firstOf(node) * blockBytes, blockBytes);
            MemorySegment.copy(buffer, hierarchy.firstOf(node) * blockBytes, receive, 0, blockBytes);
        } else if (tree.childCount() == 0) {
            transfers.receive(tree.parentRound(), tree.parent(), receive, range.set(0, blockBytes), null);
        } else {
            long below = subtree() * blockBytes;
            buffer = vector.atLeast(below);
            transfers.receive(tree.parentRound(), tree.parent(), buffer, range.set(0, below), null);
            scatter(buffer, 0, blockBytes);
            MemorySegment.copy(buffer, 0, receive, 0, blockBytes);
        }
    }

    /** Sends children the blocks of their subtrees; the own one lies at {@code ownOffset}, the others follow. */
    private void scatter(MemorySegment buffer, long ownOffset, long blockBytes) {
        for (int i = tree.childCount() - 1; i >= 0; i--) {
            range.set(ownOffset + distance(i) * blockBytes, subtree(i) * blockBytes);
            transfers.send(tree.childRound(i), tree.child(i), buffer, range);
        }
    }

    /**
     * Up the node by blocks, between leaders by nodes, down the node as a whole.
     *
     * @param gathered for all members' blocks, used when members are not in node-major order
     */
    void allgather(MemorySegment send, MemorySegment receive, long blockBytes, Scratch gathered) {
        long bytes = blockBytes * hierarchy.size();
        MemorySegment buffer = hierarchy.ordered() ? receive : gathered.atLeast(bytes);
        long ownOffset = hierarchy.placeOf(self) * blockBytes;
        MemorySegment.copy(send, 0, buffer, ownOffset, blockBytes);
        tree.ofNode();
        for (int i = 0; i < tree.childCount(); i++) {
            range.set(ownOffset + distance(i) * blockBytes, subtree(i) * blockBytes);
            transfers.receive(tree.childRound(i), tree.child(i), buffer, range, null);
        }
        if (leader) {
            circulant.allgather(buffer, blocksOfNodes.set(blockBytes));
        } else {
            transfers.send(tree.parentRound(), tree.parent(), buffer, range.set(ownOffset, subtree() * blockBytes));
        }
        tree.broadcast(buffer, bytes);
        if (!hierarchy.ordered()) {
            for (int i = 0; i < hierarchy.size(); i++) {
                MemorySegment.copy(buffer, i * blockBytes, receive, hierarchy.memberAt(i) * blockBytes, blockBytes);
            }
        }
    }

    /** How far behind this member a child of the node's tree stands in node-major order. */
    private long distance(int child) {
        return 1L << tree.childRound(child);
    }

    /** Members in a child's subtree of the node's tree: consecutive ones in node-major order, from the child on. */
    private long subtree(int child) {
        return Math.min(distance(child), hierarchy.firstOf(node + 1) - hierarchy.placeOf(self) - distance(child));
    }

    /** Members in the own subtree of the node's tree. */
    private long subtree() {
        int children = tree.childCount();
        return children == 0 ? 1 : distance(children - 1) + subtree(children - 1);
    }
}

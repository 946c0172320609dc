package org.tributary.client;

import org.agrona.collections.Int2IntHashMap;

/** Which ranks a group has, in its order. The group of all ranks needs no table. Immutable and thread-safe. */
final class Members {
    private static final int NOT_A_MEMBER = -1;

    private final int self;
    private final int size;
    private final int[] worldRanks;
    private final Int2IntHashMap groupRanks;

    private Members(int self, int size, int[] worldRanks, Int2IntHashMap groupRanks) {
        this.self = self;
        this.size = size;
        this.worldRanks = worldRanks;
        this.groupRanks = groupRanks;
    }

    static Members world(int self, int size) {
        return new Members(self, size, null, null);
    }

    static Members none() {
        return new Members(NOT_A_MEMBER, 0, new int[0], new Int2IntHashMap(NOT_A_MEMBER));
    }

    /** A group of which {@code worldSelf} is a member or not. */
    static Members of(int worldSelf, int[] worldRanks) {
        Int2IntHashMap groupRanks = new Int2IntHashMap(NOT_A_MEMBER);
        for (int member = 0; member < worldRanks.length; member++) {
            if (groupRanks.put(worldRanks[member], member) != NOT_A_MEMBER) {
                throw new IllegalArgumentException("rank " + worldRanks[member] + " is named twice");
            }
        }
        return new Members(groupRanks.get(worldSelf), worldRanks.length, worldRanks.clone(), groupRanks);
    }

    int self() {
        return self;
    }

    int size() {
        return size;
    }

    int worldRank(int member) {
        if (member < 0 || member >= size) {
            throw new IllegalArgumentException("no member " + member + " in a group of " + size);
        }
        return worldRanks == null ? member : worldRanks[member];
    }

    int groupRank(int worldRank) {
        if (groupRanks == null) {
            return worldRank >= 0 && worldRank < size ? worldRank : NOT_A_MEMBER;
        }
        return groupRanks.get(worldRank);
    }
}

package org.tributary.client.segment;

import org.agrona.collections.Int2IntHashMap;

/** Which ranks a group has, in its order. Consecutive ranks need no table. Immutable and thread-safe. */
public record Members(int self, int size, int first, int[] worldRanks, Int2IntHashMap groupRanks) {
    private static final int NOT_A_MEMBER = -1;
    private static final long DIGEST_FACTOR = 0x9E3779B97F4A7C15L;

    public static Members world(int self, int size) {
        return new Members(self, size, 0, null, null);
    }

    public static Members none() {
        return new Members(NOT_A_MEMBER, 0, 0, null, null);
    }

    /** A group of which {@code worldSelf} is a member or not. */
    public static Members of(int worldSelf, int[] worldRanks) {
        Int2IntHashMap groupRanks = new Int2IntHashMap(NOT_A_MEMBER);
        for (int member = 0; member < worldRanks.length; member++) {
            if (groupRanks.put(worldRanks[member], member) != NOT_A_MEMBER) {
                throw new IllegalArgumentException("rank " + worldRanks[member] + " is named twice");
            }
        }
        int self = groupRanks.get(worldSelf);
        if (areConsecutive(worldRanks)) {
            return new Members(self, worldRanks.length, worldRanks.length == 0 ? 0 : worldRanks[0], null, null);
        }
        return new Members(self, worldRanks.length, 0, worldRanks.clone(), groupRanks);
    }

    private static boolean areConsecutive(int... ranks) {
        for (int member = 1; member < ranks.length; member++) {
            if (ranks[member] != ranks[0] + member) {
                return false;
            }
        }
        return true;
    }

    public int worldRank(int member) {
        if (member < 0 || member >= size) {
            throw new IllegalArgumentException("no member " + member + " in a group of " + size);
        }
        return worldRanks == null ? first + member : worldRanks[member];
    }

    public int groupRank(int worldRank) {
        if (groupRanks == null) {
            int member = worldRank - first;
            return member >= 0 && member < size ? member : NOT_A_MEMBER;
        }
        return groupRanks.get(worldRank);
    }

    /** A number that lists which differ hardly ever share; members in C make the same one. */
    public long digest() {
        long digest = size;
        for (int member = 0; member < size; member++) {
            digest = digest * DIGEST_FACTOR + worldRank(member) + 1;
        }
        return digest;
    }
}

package org.tributary.globalarrays;

import org.tributary.client.Group;

/** Translates between owners of a distribution, which are the ranks of the array's group, and world ranks. */
final class Ranks {
    private final int[] world;
    private final Group group;

    /** The members of a group, in its order. */
    Ranks(Group group) {
        this.group = group;
        this.world = group.worldRanks();
    }

    /** World rank of an owner. */
    int world(int owner) {
        return world[owner];
    }

    /** Owner number of a world rank, -1 for one outside the group. */
    int owner(int worldRank) {
        return group.groupRank(worldRank);
    }
}

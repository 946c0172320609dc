package org.tributary.client.window;

import java.util.BitSet;
import org.tributary.client.Group;
import org.tributary.client.error.InvalidAddressException;

/** Ranks that calls on a window name, as members of its group. Owned by one window. */
record GroupRanks(String window, long id, Group group, Epochs epochs) {
    /** The member that a rank is. */
    int of(int rank) {
        int member = group.groupRank(rank);
        if (member < 0) {
            throw new InvalidAddressException(window + ": no member", rank, id, 0, 0, group.size())
                .during(epochs.describe());
        }
        return member;
    }

    /** The members that several ranks are, each of them once, as a member that waits for them counts them. */
    int[] all(String call, int... ranks) {
        int[] members = new int[ranks.length];
        BitSet named = new BitSet(group.size());
        for (int i = 0; i < ranks.length; i++) {
            members[i] = of(ranks[i]);
            if (named.get(members[i])) {
                throw epochs.refuse(call + " with rank " + ranks[i] + " named twice");
            }
            named.set(members[i]);
        }
        return members;
    }
}

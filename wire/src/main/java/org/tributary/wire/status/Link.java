package org.tributary.wire.status;

import java.util.Set;
import java.util.TreeSet;

/** Ranks that wait for the same in the same call, or one rank. Made by {@link WaitGraph}. */
final class Link {
    final Set<Integer> ranks = new TreeSet<>();
    final Set<Party> waitsFor = new TreeSet<>();
    /** Whether another link waits for it. */
    boolean isAwaited;
    /** Whether only the ranks for which it waits can end that. */
    boolean isBound = true;

    int first() {
        return ranks.iterator().next();
    }
}

package org.tributary.launcher.step;

import java.util.Locale;
import org.tributary.wire.RankState;
import org.tributary.wire.status.NodeStatus.Rank;
import org.tributary.wire.status.ProcessState;

/** How a page counts a rank; the code is the ordinal. */
public enum RankDoes {
    COMPUTES, WAITS, STOPPED, DIED, LEFT, EXPECTED;

    private final String word = name().toLowerCase(Locale.ROOT);

    static RankDoes of(Rank rank) {
        if (rank.state() == RankState.DEPARTED || rank.isLeaving()) {
            return LEFT;
        }
        if (rank.state() == RankState.EXPECTED) {
            return EXPECTED;
        }
        if (rank.state() == RankState.DEAD || rank.process() == ProcessState.GONE) {
            return DIED;
        }
        return rank.process() == ProcessState.STOPPED ? STOPPED : rank.waits().isEmpty() ? COMPUTES : WAITS;
    }

    /** For the page. */
    public String word() {
        return word;
    }
}

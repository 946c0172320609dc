package org.tributary.miniapps.exchange;

import org.tributary.config.EnumText;

/** Designs of synchronization, of fences and of other epochs together, as command lines name them. */
public enum Design {
    /** Chosen by a cost model. */
    AUTO,
    /** Queued until the closing synchronization. */
    DEFERRED,
    /** Issued at once; not for fences, which have three kinds of that. */
    IMMEDIATE,
    /** Fence: issued at once; finish messages and pairwise flags. */
    IMMEDIATE_NAIVE,
    /** Fence: issued at once; finish messages and a barrier. */
    IMMEDIATE_OPT,
    /** Fence: issued at once and counted at the target; allreduce of counts and a barrier. */
    IMMEDIATE_NOTIFY;

    /** For example {@code immediate-naive}. */
    @Override
    public String toString() {
        return EnumText.hyphenated(this);
    }
}

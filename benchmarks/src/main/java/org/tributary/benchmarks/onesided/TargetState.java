package org.tributary.benchmarks.onesided;

import org.tributary.config.EnumText;

/** State of the target's process while operations on its memory are measured. */
enum TargetState {
    /** It waits in a barrier. */
    BLOCKED,
    /** It computes and never calls the library. */
    COMPUTING;

    /** As on the command line and in results. */
    @Override
    public String toString() {
        return EnumText.underscored(this);
    }
}

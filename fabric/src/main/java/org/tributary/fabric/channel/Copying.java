package org.tributary.fabric.channel;

import java.lang.invoke.VarHandle;

/**
 * When a thread makes progress for a provider that copies with the processor. A copy of {@code memcpy} may store the
 * first bytes last: another thread that sees the last byte must wait until the progress has ended, in which that came.
 * One thread makes progress; any may ask.
 */
public final class Copying {
    /** Odd while there is progress. */
    private volatile long count;

    /** Progress begins: bytes may come in any order. */
    public void begin() {
        count = count + 1; // one thread only
        VarHandle.fullFence(); // the stores of native code come after it
    }

    /** All bytes are there that have come so far. */
    public void end() {
        count = count + 1;
    }

    /** Grows when progress begins, and when it ends. */
    long count() {
        return count;
    }

    /** Whether a count was taken while there was progress. */
    static boolean isUnderWay(long count) {
        return (count & 1) != 0;
    }
}

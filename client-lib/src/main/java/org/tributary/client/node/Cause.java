package org.tributary.client.node;

import java.util.function.BooleanSupplier;
import org.tributary.wire.shm.WaitKind;

/** The cause of a wait for a word of shared memory, as others are told of it. */
public interface Cause {
    WaitKind kind();

    /** The segment that holds the word, or 0. */
    long segment();

    /** Number in the rank's {@linkplain org.tributary.wire.shm.WaitSlots wait slot} for a word at that offset. */
    default long number(long offset) {
        return offset;
    }

    /**
     * The thread, whose rank records, has waited since then, some looks in vain; not called when the wait fails.
     *
     * @param seenNs when it looked at the clock last while it waited
     */
    default void waited(long sinceNs, long seenNs) {
        // That is its affair.
    }

    /**
     * Asked now and then for the rank that is to store the word; throws when it never will, unless {@code enough}
     * becomes true before it knows.
     */
    default void doubt(int from, BooleanSupplier enough) {
        // It may.
    }

    /** A cause that knows no more. */
    static Cause of(WaitKind kind, long segment) {
        return new Plain(kind, segment);
    }

    /** See {@link #of}. */
    record Plain(WaitKind kind, long segment) implements Cause {
    }
}

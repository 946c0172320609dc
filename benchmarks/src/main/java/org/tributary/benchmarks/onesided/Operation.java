package org.tributary.benchmarks.onesided;

import java.io.IOException;
import org.tributary.benchmarks.measure.Repeatable;

/** A {@link Repeatable} that can tell whether its iterations did what they should: a fast wrong answer is no result. */
interface Operation extends Repeatable {
    @Override
    void once();

    @Override
    default void finish() {
    }

    /** Throws unless memory holds what all iterations since construction must have left. */
    void verify() throws IOException;
}

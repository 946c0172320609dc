package org.tributary.benchmarks.measure;

import java.io.IOException;

/** Something whose iterations are timed. */
public interface Repeatable {
    /** One iteration. */
    void once() throws IOException;

    /** Completes all iterations so far: part of the total time, of no iteration's. */
    default void finish() throws IOException {
    }
}

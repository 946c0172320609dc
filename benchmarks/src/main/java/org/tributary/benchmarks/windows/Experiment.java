package org.tributary.benchmarks.windows;

import java.io.IOException;

/** One part of the suite. */
interface Experiment {
    /** Measures everything; called by all ranks, those without anything to do included. */
    void run() throws IOException;

    /** How long it takes, in thirds of a contest. */
    int thirds();
}

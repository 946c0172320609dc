package org.tributary.benchmarks.loops;

import java.io.IOException;
import java.util.List;
import org.tributary.benchmarks.job.JvmJob;

/** All ranks of a job. */
final class Callers implements AutoCloseable {
    private final JvmJob job;
    private final List<Caller> ranks;

    /** Of that job, which is closed with this. */
    Callers(JvmJob job) {
        this.job = job;
        this.ranks = job.onAll(Caller::of);
    }

    Caller rank(int number) {
        return ranks.get(number);
    }

    @Override
    public void close() throws IOException {
        try (job) {
            job.onAll(rank -> {
                ranks.get(rank.gas().rank()).close();
                return null;
            });
        }
    }
}

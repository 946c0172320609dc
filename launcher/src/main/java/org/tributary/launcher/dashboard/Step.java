package org.tributary.launcher.dashboard;

import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.tributary.launcher.step.Digest;
import org.tributary.wire.shm.LatencyKind;
import org.tributary.wire.status.JobStatus;

/**
 * A job at one moment.
 *
 * @param timeMs    of the day
 * @param digest    of the nodes that were there
 * @param status    of those of its nodes and ranks that are known one by one
 * @param latencies of the last steps
 * @param problems  of nodes that are not there, one a line
 */
record Step(long timeMs, Digest digest, JobStatus status, Map<LatencyKind, Histogram> latencies,
            List<String> problems) {

    /** Whether a server may still run: not when all were killed, which leaves their files. */
    boolean isServed() {
        return digest.sums().nodes() == 0 || digest.sums().served() > 0;
    }
}

package org.tributary.benchmarks.onesided;

import org.tributary.benchmarks.measure.JsonObject;
import org.tributary.benchmarks.measure.Sample;

/**
 * What was measured of one case. Times are of iterations: of one operation, or of one window for the windowed ones.
 *
 * @param limit name of what it is compared with, null when there is nothing
 * @param ratio for a limit that is a time, time divided by limit; for one that is a bandwidth, bandwidth divided by
 *              limit; NaN without limit
 */
record Result(Case of, Sample sample, String limit, double ratio) {
    /**
     * In MB/s. Single operations by their median, as their times; windows by all the time until the last byte was at
     * the target, since no single window tells.
     */
    static double mbPerSecond(Case of, Sample sample) {
        return of.op().isWindow()
            ? sample.perSecond((double) Op.WINDOW * of.bytes()) / 1e6
            : sample.medianMbPerSecond(of.bytes());
    }

    double mbPerSecond() {
        return mbPerSecond(of, sample);
    }

    /** Operations, not windows, by all the time taken. */
    double opsPerSecond() {
        return sample.perSecond(of.op().perIteration());
    }

    /** Time of an operation by which repeated measurements of one case are compared, in microseconds. */
    double costUs() {
        return of.op().isWindow() ? 1e6 / opsPerSecond() : sample.medianUs();
    }

    /** Its line of a result file. */
    JsonObject toJson() {
        return new JsonObject().put("op", of.op().toString()).put("path", of.route().toString())
            .put("target", of.state().toString()).put("bytes", of.bytes()).put("iterations", sample.iterations())
            .put("medianUs", sample.medianUs()).put("p99Us", sample.p99Us()).put("maxUs", sample.maxUs())
            .put("mbPerSecond", mbPerSecond()).put("opsPerSecond", opsPerSecond())
            .put("limit", limit).put("ratio", ratio);
    }
}

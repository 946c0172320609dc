package org.tributary.benchmarks.onesided;

import org.tributary.benchmarks.measure.Sample;
import org.tributary.benchmarks.results.Table;

/**
 * Measurement of one case. Times are of iterations: of one operation, or of one window for the windowed ones.
 *
 * @param limit name of what it is compared with, null when there is nothing
 * @param ratio for a limit that is a time, time divided by limit; for one that is a bandwidth, bandwidth divided by
 *              limit; NaN without limit
 */
record Result(Case of, Sample sample, String limit, double ratio) {
    /** Beyond what two measurements of one thing differ by. */
    private static final double EXCEEDED = 1.02;

    /** In MB/s, by all the time until the last byte was at the target, as the bandwidth of limits. */
    static double mbPerSecond(Case of, Sample sample) {
        return sample.mbPerSecond((double) of.op().perIteration() * of.bytes());
    }

    double mbPerSecond() {
        return mbPerSecond(of, sample);
    }

    /** Operations, not windows, by all the time taken. */
    double opsPerSecond() {
        return sample.perSecond(of.op().perIteration());
    }

    /** Whether a bandwidth is larger than what is called its limit, which then is none. */
    boolean isLimitExceeded() {
        return limit != null && of.isComparedByBandwidth() && ratio > EXCEEDED;
    }

    /**
     * Time of an operation by which repeated measurements of one case are compared, in microseconds: as it is compared
     * with its limit.
     */
    double costUs() {
        return of.op().isWindow() || of.isComparedByBandwidth() ? 1e6 / opsPerSecond() : sample.medianUs();
    }

    /** Adds it to {@link Report}'s table. */
    void addTo(Table table) {
        table.row(of.op(), of.route(), of.state(), of.bytes(), sample.iterations(),
            sample.firstUs(), sample.medianUs(), sample.meanUs(), sample.p99Us(), sample.maxUs(), mbPerSecond(),
            opsPerSecond(), limit, ratio);
    }
}

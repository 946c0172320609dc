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

    /** Adds it to {@link Report}'s table. */
    void addTo(Table table) {
        table.row(of.op(), of.route(), of.state(), of.bytes(), sample.iterations(),
            sample.firstUs(), sample.medianUs(), sample.meanUs(), sample.p99Us(), sample.maxUs(), mbPerSecond(),
            opsPerSecond(), limit, ratio);
    }
}

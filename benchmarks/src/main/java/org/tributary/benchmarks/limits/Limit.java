package org.tributary.benchmarks.limits;

import org.tributary.benchmarks.measure.Sample;

/**
 * One measured limit.
 *
 * @param name  how results refer to it
 * @param bytes what one iteration of the sample moved, one way
 */
public record Limit(String name, long bytes, Sample sample) {
    /** Bandwidth in MB/s, by all the time. */
    public double mbPerSecond() {
        return sample.mbPerSecond(bytes);
    }
}

package org.tributary.benchmarks.limits;

import org.tributary.benchmarks.measure.Sample;

/**
 * One measured limit.
 *
 * @param name  how results refer to it
 * @param bytes what one iteration of the sample moved, one way
 */
public record Limit(String name, long bytes, Sample sample) {
    /** Bandwidth of the median iteration in MB/s. */
    public double mbPerSecond() {
        return sample.medianMbPerSecond(bytes);
    }
}

package org.tributary.benchmarks.limits;

import org.tributary.benchmarks.measure.JsonObject;
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

    /** Its line of a result file. */
    public JsonObject toJson() {
        return new JsonObject().put("limit", name).put("bytes", bytes).put("iterations", sample.iterations())
            .put("medianUs", sample.medianUs()).put("p99Us", sample.p99Us()).put("maxUs", sample.maxUs())
            .put("mbPerSecond", mbPerSecond());
    }
}

package org.tributary.benchmarks.cooperation;

import org.tributary.benchmarks.measure.JsonObject;

/**
 * A line of the results.
 *
 * @param part which figure
 * @param variant who cooperates how
 * @param x the processes, or the percentage of them that contend
 * @param value what was found, in the unit of the part
 * @param ratio to the direct variant; NaN for none
 * @param spread of the slowest rank to the median one; NaN for none
 * @param aim what shall hold; null for nothing
 * @param isMet whether it does
 */
record Result(String part, String variant, double x, double value, double ratio, double spread, String aim,
    boolean isMet) {
    static Result of(String part, Variant variant, double x, double value) {
        return new Result(part, variant.toString(), x, value, Double.NaN, Double.NaN, null, false);
    }

    Result with(double newRatio, double newSpread) {
        return new Result(part, variant, x, value, newRatio, newSpread, aim, isMet);
    }

    Result judged(String newAim, boolean met) {
        return new Result(part, variant, x, value, ratio, spread, newAim, met);
    }

    JsonObject toJson() {
        return new JsonObject().put("part", part).put("variant", variant).put("x", x).put("value", value)
            .put("ratio", ratio).put("spread", spread).put("aim", aim)
            .put("met", aim == null ? null : Boolean.valueOf(isMet));
    }
}

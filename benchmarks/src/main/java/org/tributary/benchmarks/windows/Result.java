package org.tributary.benchmarks.windows;

import java.util.LinkedHashMap;
import java.util.Map;
import org.tributary.benchmarks.measure.JsonObject;

/**
 * A line of the results.
 *
 * @param variant which of the part's measurements
 * @param design  how it was synchronized, or what it is compared with
 * @param members ranks that took part
 * @param bytes   of a message, 0 where there is none
 * @param ratio   NaN when there is nothing to compare with
 * @param ratioTo what of, null when there is nothing
 * @param reach   what the ratio shall be, null when that is not said
 * @param more    further figures, by name
 */
record Result(Part part, String variant, String design, int members, long bytes, Outcome outcome, double ratio,
              String ratioTo, Reach reach, Map<String, Double> more) {

    /** Without a comparison. */
    static Result of(Part part, String variant, String design, int members, long bytes, Outcome outcome) {
        return new Result(part, variant, design, members, bytes, outcome, Double.NaN, null, null, Map.of());
    }

    /** The same with a comparison. */
    Result comparedWith(String what, double quotient, Reach wanted) {
        return new Result(part, variant, design, members, bytes, outcome, quotient, what, wanted, more);
    }

    /** The same of another variant. */
    Result ofVariant(String name) {
        return new Result(part, name, design, members, bytes, outcome, ratio, ratioTo, reach, more);
    }

    /** The same with a further figure. */
    Result with(String name, double value) {
        Map<String, Double> extended = new LinkedHashMap<>(more);
        extended.put(name, value);
        return new Result(part, variant, design, members, bytes, outcome, ratio, ratioTo, reach, extended);
    }

    /** Whether the ratio is as it shall be; null when that is not said. */
    Boolean isMet() {
        return reach == null ? null : Boolean.valueOf(reach.isMet(ratio));
    }

    /** The coordinate on the plot's horizontal axis. */
    double x() {
        return part.axis() == Part.Axis.BYTES ? bytes : members;
    }

    /** The coordinate on the plot's vertical axis. */
    double y() {
        return switch (part.quantity()) {
            case TIME -> outcome.medianUs();
            case RATIO -> ratio;
            case PERCENT -> ratio * 100;
            case MESSAGES -> outcome.messages();
        };
    }

    /** Its line of a result file. */
    JsonObject toJson() {
        JsonObject json = new JsonObject().put("part", part.toString()).put("variant", variant).put("design", design)
            .put("members", members).put("bytes", bytes).put("iterations", outcome.iterations())
            .put("medianUs", outcome.medianUs()).put("p99Us", outcome.p99Us())
            .put("requests", outcome.requests()).put("answers", outcome.answers())
            .put("ratio", ratio).put("ratioTo", ratioTo)
            .put("reach", reach == null ? null : reach.toString()).put("met", isMet());
        more.forEach(json::put);
        return json;
    }
}

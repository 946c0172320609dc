package org.tributary.client.window;

import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * An automatic choice of a design for an epoch, with its reason.
 *
 * @param design      name of the design
 * @param estimatesUs the cost of each design by the cost model, in microseconds
 * @param inputs      the inputs of the model, with units
 */
public record Choice(String design, Map<String, Double> estimatesUs, String inputs) {
    /** A sentence that names the choice and its reason. */
    @Override
    public String toString() {
        return design + ", as the estimates are " + estimatesUs.entrySet().stream()
            .map(entry -> String.format(Locale.ROOT, "%s %.1f us", entry.getKey(), entry.getValue()))
            .collect(Collectors.joining(", ")) + ", for " + inputs;
    }
}

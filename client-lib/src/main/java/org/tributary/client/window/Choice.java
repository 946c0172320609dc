package org.tributary.client.window;

import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What was chosen automatically for an epoch, and why.
 *
 * @param design      name of the design
 * @param estimatesUs what each design would cost by the cost model, in microseconds
 * @param inputs      what the model was given, with units
 */
public record Choice(String design, Map<String, Double> estimatesUs, String inputs) {
    /** A sentence that says what was chosen and why. */
    @Override
    public String toString() {
        return design + ", as the estimates are " + estimatesUs.entrySet().stream()
            .map(entry -> String.format(Locale.ROOT, "%s %.1f us", entry.getKey(), entry.getValue()))
            .collect(Collectors.joining(", ")) + ", for " + inputs;
    }
}

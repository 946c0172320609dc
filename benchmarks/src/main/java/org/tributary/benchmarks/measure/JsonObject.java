package org.tributary.benchmarks.measure;

import java.util.Locale;

/** Writes one flat JSON object (RFC 8259) on one line; members appear in the order they were added. */
public final class JsonObject {
    private final StringBuilder text = new StringBuilder("{");

    /** A string, or null. */
    public JsonObject put(String name, String value) {
        return member(name, value == null ? "null" : quoted(value));
    }

    /** An integer. */
    public JsonObject put(String name, long value) {
        return member(name, Long.toString(value));
    }

    /** A number with three decimals; what is no number, such as a ratio without a limit, becomes null. */
    public JsonObject put(String name, double value) {
        return member(name, Double.isFinite(value) ? String.format(Locale.ROOT, "%.3f", value) : "null");
    }

    /** True, false, or null. */
    public JsonObject put(String name, Boolean value) {
        return member(name, String.valueOf(value));
    }

    private JsonObject member(String name, String value) {
        text.append(text.length() == 1 ? "" : ", ").append(quoted(name)).append(": ").append(value);
        return this;
    }

    private static String quoted(String value) {
        StringBuilder quoted = new StringBuilder(value.length() + 2).append('"');
        for (char c : value.toCharArray()) {
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ') {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    /** The line, without its end. */
    @Override
    public String toString() {
        return text + "}";
    }
}

package org.tributary.config;

import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes maps, collections, texts, numbers and truth values as JSON. */
public final class Json {
    private Json() {
    }

    /** The text of a value; null becomes {@code null}, and so does a number that is none or infinite. */
    public static String of(Object value) {
        return switch (value) {
            case null -> "null";
            case Map<?, ?> map -> map.entrySet().stream()
                .map(entry -> quote(entry.getKey().toString()) + ": " + of(entry.getValue()))
                .collect(Collectors.joining(", ", "{", "}"));
            case Collection<?> all -> all.stream().map(Json::of).collect(Collectors.joining(", ", "[", "]"));
            case Double number when !Double.isFinite(number) -> "null";
            case Float number when !Float.isFinite(number) -> "null";
            case Number number -> number.toString();
            case Boolean flag -> flag.toString();
            default -> quote(value.toString());
        };
    }

    /** A text with what JSON does not allow in it escaped. */
    public static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ') {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}

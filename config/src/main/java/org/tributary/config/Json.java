package org.tributary.config;

import java.util.Collection;
import java.util.Map;

/** Writes maps, collections, texts, numbers and truth values as JSON. */
public final class Json {
    private Json() {
    }

    /** The text of a value; null becomes {@code null}, and so does a number that is none or infinite. */
    public static String of(Object value) {
        StringBuilder text = new StringBuilder();
        add(value, text);
        return text.toString();
    }

    private static void add(Object value, StringBuilder to) {
        switch (value) {
            case null -> to.append("null");
            case String text -> quote(text, to);
            case Map<?, ?> map -> addMap(map, to);
            case Collection<?> all -> addAll(all, to);
            case Double number when !Double.isFinite(number) -> to.append("null");
            case Float number when !Float.isFinite(number) -> to.append("null");
            case Number number -> to.append(number);
            case Boolean flag -> to.append(flag);
            default -> quote(value.toString(), to);
        }
    }

    private static void addMap(Map<?, ?> map, StringBuilder to) {
        String before = "{";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            to.append(before);
            quote(entry.getKey().toString(), to);
            to.append(": ");
            add(entry.getValue(), to);
            before = ", ";
        }
        to.append(map.isEmpty() ? "{}" : "}");
    }

    private static void addAll(Collection<?> all, StringBuilder to) {
        String before = "[";
        for (Object value : all) {
            to.append(before);
            add(value, to);
            before = ", ";
        }
        to.append(all.isEmpty() ? "[]" : "]");
    }

    /** A text with what JSON does not allow in it escaped. */
    public static String quote(String text) {
        StringBuilder quoted = new StringBuilder();
        quote(text, quoted);
        return quoted.toString();
    }

    private static void quote(String text, StringBuilder to) {
        to.append('"');
        int done = 0; // what needs no escape is copied as a whole: most texts need none
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\' || c < ' ') {
                to.append(text, done, i).append(c < ' ' ? String.format("\\u%04x", (int) c) : "\\" + c);
                done = i + 1;
            }
        }
        to.append(text, done, text.length()).append('"');
    }
}

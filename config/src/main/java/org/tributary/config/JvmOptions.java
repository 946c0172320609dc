package org.tributary.config;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The options without which a JVM cannot be a rank or a server; kept in one file, which tests use as well. */
public final class JvmOptions {
    private JvmOptions() {
    }

    public static List<String> required() {
        return read(JvmOptions.class, "jvm-options");
    }

    /** Those of a file beside a class, in its order, comments left out. */
    public static List<String> read(Class<?> neighbour, String name) {
        try (InputStream file = neighbour.getResourceAsStream(name)) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8).lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

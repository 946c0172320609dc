package org.tributary.wire.record;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Lines of hexadecimal digits against which the C client is held, too. */
final class RecordVectors {
    private RecordVectors() {
    }

    /** Of {@code records} or {@code kernel-keys}. */
    static List<String> lines(String name) {
        try (InputStream in = RecordVectors.class.getResourceAsStream("/org/tributary/wire/" + name + ".txt")) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII).lines()
                .filter(line -> !line.startsWith("#")).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

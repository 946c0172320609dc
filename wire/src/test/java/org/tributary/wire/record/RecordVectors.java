package org.tributary.wire.record;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The records of one stream, one line of hexadecimal digits each; the C client is held against the same file. */
final class RecordVectors {
    private RecordVectors() {
    }

    static List<String> lines() {
        try (InputStream in = RecordVectors.class.getResourceAsStream("/org/tributary/wire/records.txt")) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII).lines()
                .filter(line -> !line.startsWith("#")).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

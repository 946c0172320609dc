package org.tributary.benchmarks.windows;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class PlotsTest {
    private static final long MOST_BYTES = 30_000;

    @TempDir
    private Path directory;

    @Test
    void shouldDrawEveryVariantWhenWritten() throws Exception {
        List<Result> results = new ArrayList<>();
        for (String design : List.of("DEFERRED", "AUTO")) {
            for (long bytes = 1 << 10; bytes <= 4 << 20; bytes *= 2) {
                results.add(result(Part.OVERLAP, "epoch", design, bytes));
            }
            results.add(result(Part.LOCK_MESSAGES, "shared", design, 16));
        }
        results.add(Result.of(Part.OVERLAP, "transfer", "AUTO", 2, 8, outcome())); // no ratio, nothing to draw

        new Plots(directory).write(results);

        try (Stream<Path> files = Files.list(directory)) {
            assertEquals(List.of("lock-messages-shared.svg", "overlap-epoch.svg"),
                files.map(file -> file.getFileName().toString()).sorted().toList());
        }
        Path lines = directory.resolve("overlap-epoch.svg");
        assertTrue(Files.size(lines) < MOST_BYTES, "small enough for documentation");
        Element drawing = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(lines.toFile())
            .getDocumentElement();
        assertEquals("svg", drawing.getTagName());
        NodeList texts = drawing.getElementsByTagName("text");
        assertTrue(IntStream.range(0, texts.getLength()).mapToObj(i -> texts.item(i).getTextContent()).toList()
            .containsAll(List.of("DEFERRED", "AUTO", "overlap-epoch", "1K", "4M", "50")));
    }

    private static Result result(Part part, String variant, String design, long bytes) {
        return Result.of(part, variant, design, 2, bytes, outcome()).comparedWith("epoch", 0.5, null);
    }

    private static Outcome outcome() {
        return new Outcome(1_000, 2_000, 10, 1, 1);
    }
}

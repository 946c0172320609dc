package org.tributary.benchmarks.results;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class ResultPagesTest {
    private static final Path DOCS = Path.of("..", "docs");
    private static final Path RESULTS = DOCS.resolve("results");
    private static final String HOW = " is out of date: mvn -pl benchmarks -am test -Dtributary.updateDocs=true";

    @Test
    void shouldBeCurrentWhenResultsChange() throws IOException {
        if (Boolean.getBoolean("tributary.updateDocs")) {
            new CommandLine(new BenchReport()).execute("--results", RESULTS.toString(), "--out", DOCS.toString());
        }
        SortedMap<String, String> files = BenchReport.files(RESULTS);
        for (String file : files.keySet()) {
            Path page = DOCS.resolve(file);
            assertTrue(Files.exists(page), page + HOW);
            assertEquals(files.get(file), Files.readString(page), page + HOW);
        }
        List<Path> others = new ArrayList<>(list(RESULTS, ".md"));
        others.addAll(list(DOCS.resolve("plots"), ".svg"));
        others.removeIf(file -> files.containsKey(DOCS.relativize(file).toString()));
        assertEquals(List.of(), others, "pages and plots of no file of results: remove them");
    }

    private static List<Path> list(Path folder, String suffix) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(suffix)).toList();
        }
    }
}

package org.tributary.benchmarks.results;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of the shell functions that write files of results. */
class ResultsScriptTest {
    private static final Path FUNCTIONS = Path.of("src/main/sh/results.sh").toAbsolutePath();

    @TempDir
    private Path directory;

    @Test
    void shouldLeaveNoFileWhenComparisonFails() throws Exception {
        assertEquals(3, run("results_options . --json r.json; exit 3"));

        assertEquals(List.of("output"), names());
    }

    @Test
    void shouldFailBeforeItMeasuresWhenFileCannotBeWritten() throws Exception {
        assertTrue(run("results_options . --json nowhere/r.json; exit 0") != 0);
    }

    @Test
    void shouldReplaceFileAtOnceWhenItIsWritten() throws Exception {
        Path file = Files.writeString(directory.resolve("r.json"), "older results");
        Path old = Files.createLink(directory.resolve("old"), file);

        assertEquals(0, run("results_options . --json r.json; echo TABLES | results_write \"$json\" T S M c p x"));

        assertEquals("older results", Files.readString(old), "nobody sees a part of the new ones in its place");
        assertTrue(Files.readString(file).contains("TABLES"));
        assertEquals(List.of("old", "output", "r.json"), names());
    }

    private int run(String script) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("sh", "-euc", ". " + FUNCTIONS + "; " + script)
            .directory(directory.toFile()).redirectErrorStream(true)
            .redirectOutput(directory.resolve("output").toFile()).start();
        int code = process.waitFor();
        String output = Files.readString(directory.resolve("output"), StandardCharsets.UTF_8);
        assertTrue(code != 127, output);
        return code;
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}

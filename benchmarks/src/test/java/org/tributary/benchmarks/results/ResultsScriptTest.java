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

    /** Where they had a comma, awk would take a time of 0.9 s for none. */
    @Test
    void shouldHaveNumbersWithDecimalPointsWhateverTheLanguage() throws Exception {
        assertEquals(0, run("sh -c 'echo $LC_ALL'"));

        assertEquals("C\n", output());
    }

    @Test
    void shouldMakeMediansInTheOrderOfTheCases() throws Exception {
        assertEquals(0, run("""
            printf '%s\n' 'b 2 peer 10' 'b 2 own 0.25' 'a peer 4' 'b 2 peer 9.5' 'b 2 own 2e-1' 'a own 100' 'a own 20' \
                'b 2 own 3' 'a own 0' 'b 2 peer 100' 'b 2 peer 11' | results_medians peer own"""));

        assertEquals("b 2 10.5 0.25\na 4 20\n", output());
    }

    @Test
    void shouldMeasureBothInTurn() throws Exception {
        assertEquals(0, run("run() { echo \"$*\"; }; results_turns 2 peer own lj 4"));

        assertEquals("peer lj 4\nown lj 4\npeer lj 4\nown lj 4\n", output());
    }

    @Test
    void shouldRemoveItsFolderWhenTheScriptFails() throws Exception {
        assertEquals(3, run("shared=/none; results_work x; [ -L \"$work/host\" ]; exit 3"));

        assertEquals(List.of("output"), names());
    }

    private String output() throws IOException {
        return Files.readString(directory.resolve("output"), StandardCharsets.UTF_8);
    }

    private int run(String script) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("sh", "-euc", ". " + FUNCTIONS + "; " + script)
            .directory(directory.toFile()).redirectErrorStream(true)
            .redirectOutput(directory.resolve("output").toFile());
        builder.environment().put("LC_ALL", "de_DE.UTF-8");
        builder.environment().put("TMPDIR", directory.toString());
        int code = builder.start().waitFor();
        assertTrue(code != 127, output());
        return code;
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}

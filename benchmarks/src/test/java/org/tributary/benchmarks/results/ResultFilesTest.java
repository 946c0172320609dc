package org.tributary.benchmarks.results;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.config.ConfigException;

class ResultFilesTest {
    static final String GOOD = """
        {"name": "r", "kind": "benchmark", "title": "R", "shows": "s", "commit": "c", "machine": "m", "command": "x",
         "tables": [{"columns": [{"name": "what"}, {"name": "size", "unit": "bytes"}, {"name": "time", "unit": "us"},
           {"name": "ratio", "unit": "x", "better": "less"}],
          "rows": [["put", 8, 7.20, 0.98], ["get", 32768, [1.11, 1.20], null]],
          "plots": [{"name": "p", "title": "P", "x": "size", "y": ["time"]}]}]}
        """;

    @TempDir
    private Path directory;

    @Test
    void shouldKeepDigitsWhenRead() throws IOException {
        List<List<Object>> rows = read(GOOD).tables().getFirst().rows();

        assertEquals("[[put, 8, 7.20, 0.98], [get, 32768, [1.11, 1.20], null]]", rows.toString());
    }

    @Test
    void shouldReadWhatWasWrittenWhenWordsNeedEscapes() throws IOException {
        Path file = directory.resolve("one-sided.json");
        Table table = Table.of("t", Column.words("a \"b\" \\ \n|"), Column.of("n", "us"))
            .row("<x>", Double.NaN).row(true, 123_456.789).row("0.0001234567", 0.0001234567).row("0", 0L)
            .row("100000", 100_000);

        new Run(file, false, "benchmark", "shows", "command").write(new PrintStream(new ByteArrayOutputStream()),
            List.of(table), "method");

        Results results = ResultFiles.read(file);
        assertEquals("one-sided", results.name());
        assertEquals("One sided", results.title());
        assertEquals("method", results.method());
        assertEquals(table.columns(), results.tables().getFirst().columns());
        assertEquals("[[<x>, null], [true, 123457], [0.0001234567, 0.0001235], [0, 0], [100000, 100000]]",
            results.tables().getFirst().rows().toString());
        assertEquals(Files.readString(file), ResultFiles.text(results));
        assertTrue(results.machine().contains("GiB"), results.machine());
    }

    @Test
    void shouldKeepWordsWhenFileIsWrittenAgain() throws IOException {
        Path file = write("r.json",
            GOOD.replace("\"kind\"", "\"notes\": [\"n\"], \"transcribed\": true, \"kind\""));

        Run run = new Run(file, false, "benchmark", "shows", "command");
        assertEquals("R", ResultFiles.read(file).title(), "still there if the benchmark fails");
        run.write(new PrintStream(new ByteArrayOutputStream()), List.of(Table.of("t", Column.words("w")).row("x")),
            "m");

        Results results = ResultFiles.read(file);
        assertEquals(List.of("R", "s", "m", "command", List.of("n"), false), List.of(results.title(), results.shows(),
            results.method(), results.command(), results.notes(), results.isTranscribed()));
        assertEquals("[[x]]", results.tables().getFirst().rows().toString());
    }

    @Test
    void shouldLeaveNoFileWhenBenchmarkFails() throws IOException {
        Path file = directory.resolve("r.json");

        new Run(file, false, "benchmark", "shows", "command");

        assertEquals(List.of(), names());
    }

    @Test
    void shouldReplaceFileAtOnceWhenItIsWritten() throws IOException {
        Path file = write("r.json", GOOD);
        Path link = Files.createSymbolicLink(Files.createDirectory(directory.resolve("links")).resolve("r.json"), file);
        Path old = Files.createLink(directory.resolve("old"), file);

        Run run = new Run(link, false, "benchmark", "shows", "command");
        run.keep(List.of(Table.of("t", Column.words("w")).row("x")), "m");

        assertEquals(GOOD, Files.readString(old), "nobody sees a part of the new ones in the place of the old ones");
        assertTrue(Files.isSymbolicLink(link));
        assertTrue(Files.readString(file).contains("[\"x\"]"));
        assertEquals(List.of("links", "old", "r.json"), names());
    }

    @Test
    void shouldRefuseBeforeItMeasuresWhenFileCannotBeWritten() {
        Path file = directory.resolve("nowhere/r.json");

        assertThrows(IOException.class, () -> new Run(file, false, "benchmark", "shows", "command"));
    }

    @Test
    void shouldWriteIntoItWhenFileIsADevice() throws IOException {
        Path device = Path.of("/dev/null");

        new Run(device, false, "benchmark", "shows", "command").keep(List.of(), "m");

        assertFalse(Files.isRegularFile(device));
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "`\"kind\"` | `\"knd\"` | unknown field 'knd'; the nearest known is 'kind'",
        "`\"unit\": \"us\"` | `\"uint\": \"us\"` | unknown field 'tables[0].columns[2].uint'",
        "`[\"put\"` | `[\"put\"]` | no JSON of this form",
        "`}]}]}` | `}]}]` | no JSON of this form",
        "`\"c\"` | `c` | no JSON of this form",
        "`[{\"name\": \"what` | `[7, {\"name\": \"what` | no JSON of this form",
        "`7.20` | `\"7.20 ms\"` | 'time': '7.20 ms' is no number of the column's unit, us",
        "`[1.11, 1.20]` | `[1.11, true]` | 'true' is no number of the column's unit",
        "`\"put\"` | `{}` | {} is no number, words, true or false",
        "`[[\"put\", 8, 7.20, 0.98], [\"get\", 32768, [1.11, 1.20], null]]` | `[]`"
            + " | tables[0] has no columns or no rows",
        "`0.98` | `0.98, 5` | tables[0].rows[0] has 5 cells for 4 columns",
        "`[\"time\"]` | `[\"time\", \"ratio\"]` | mixed units [us, x] on one axis",
        "`[\"time\"]` | `[\"tim\"]` | no columns [tim]",
        "`[\"time\"]` | `[\"what\"]` | x and y need columns with a unit",
        "`[\"time\"]` | `[]` | plot 'p': needs a name, x, and y",
        "`[\"get\", 32768, [1.11, 1.20], null]` | `null` | tables[0].rows[1] is null",
        "`less` | `fewer` | better is one of [more, less]",
        "`\"size\"` | `\"what\"` | columns without a name of their own: what",
        "`\"name\": \"r\"` | `\"name\": \"q\"` | name is 'q', and the file's 'r'",
        "`benchmark` | `story` | kind is story, not one of [benchmark, campaign]",
        "`\"commit\": \"c\", ` | `` | no commit, and a table without a column 'commit'",
        "`\"machine\": \"m\", ` | `` | no machine",
    })
    void shouldSayWhatAndWhereWhenFileCannotBeUsed(String good, String bad, String message) {
        assertTrue(GOOD.contains(good), good);

        ConfigException refused = assertThrows(ConfigException.class, () -> read(GOOD.replace(good, bad)));

        assertTrue(refused.getMessage().contains(message), refused::getMessage);
        assertTrue(refused.getMessage().startsWith(directory.resolve("r.json") + ": "), refused::getMessage);
    }

    @Test
    void shouldNameEveryProblemWhenThereAreSeveral() throws IOException {
        write("r.json", GOOD.replace("\"m\"", "\"\"").replace("benchmark", "story"));
        write("q.json", "");

        ConfigException refused = assertThrows(ConfigException.class, () -> ResultFiles.readAll(directory));

        assertEquals(List.of("q.json: empty, as a run leaves it that ended early: remove it, or measure"
            + " again", "r.json: no machine", "r.json: kind is story, not one of"
            + " [benchmark, campaign]"), refused.problems().stream()
            .map(problem -> problem.substring(directory.toString().length() + 1)).toList());
    }

    @Test
    void shouldSayWhatIsMissingWhenThereAreNoFiles() {
        assertThrows(ConfigException.class, () -> ResultFiles.readAll(directory), "no *.json");
        assertThrows(ConfigException.class, () -> ResultFiles.readAll(directory.resolve("nowhere")), "no folder");
        assertThrows(ConfigException.class, () -> ResultFiles.read(directory.resolve("none.json")), "no readable file");
    }

    private Results read(String text) throws IOException {
        return ResultFiles.read(write("r.json", text));
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text);
    }

    @Test
    void shouldPrintAimsOnlyWhenAskedFor() throws IOException {
        Table table = Table.of("Puts", Column.words("path"), Column.of("median", "us"), Column.words("aim"),
            Column.words("met")).row("remote", 7.5, "at most 5", false).row("node", 1, null, null)
            .row("own", 2, "at most 5", true);
        assertEquals("", printed(false, table));
        assertEquals(List.of("", "Aims:", "  NOT met  at most 5: Puts: path remote, median 7.5 us",
            "  met      at most 5: Puts: path own, median 2 us"), printed(true, table).lines().toList());
        assertEquals(List.of("", "There are no aims for this benchmark."),
            printed(true, Table.of("Puts", Column.words("path")).row("remote")).lines().toList());
    }

    private static String printed(boolean judged, Table table) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new Run(null, judged, "puts", "shows", "command").write(new PrintStream(out, true), List.of(table), "method");
        return out.toString();
    }
}

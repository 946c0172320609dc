package org.tributary.benchmarks.results;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.config.ConfigException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import picocli.CommandLine;

class BenchReportTest {
    private static final long MOST_BYTES = 30_000;

    @TempDir
    private Path directory;
    private Path results;

    @BeforeEach
    void writeResults() throws Exception {
        results = Files.createDirectories(directory.resolve("in/results"));
        Files.writeString(results.resolve("r.json"), ResultFilesTest.GOOD);
    }

    @Test
    void shouldShowEveryFigureAndTheLossesWhenPageIsMade() throws Exception {
        String page = BenchReport.files(results).get("results/r.md");

        assertTrue(page.contains("""
            | what | size, bytes | time, us | ratio, x |
            | --- | ---: | ---: | ---: |
            | put | 8 | 7.20 | 0.98 |
            | get | 32,768 | 1.11, 1.20 | - |

            Won, in part, **lost**: 'ratio' 1, 0, **0**.
            """), page);
        assertTrue(page.contains("- Commit: c\n- Command: `x`\n- Machine: m\n- Figures: [r.json](r.json)\n"), page);
        assertTrue(page.contains("![P](../plots/p.svg)"), page);
    }

    @Test
    void shouldMarkLossesAndChoosePrefixesWhenCellsAskForIt() throws Exception {
        replace("0.98", "1.98", "\"us\"", "\"ns\"", "7.20", "270.1E6", "[1.11, 1.20]", "[109, 5.8E3]", "\"put\"",
            "false", "\"get\"", "\"a|b<\"");

        String page = BenchReport.files(results).get("results/r.md");

        assertTrue(page.contains("| **no** | 8 | 270.1 ms | **1.98** |\n"), page);
        assertTrue(page.contains("| a\\|b&lt; | 32,768 | 109 ns, 5.8 us | - |\n"), page);
        assertTrue(page.contains("\nWon, in part, **lost**: 'what' 0, 1, **1**; 'ratio' 0, 0, **1**.\n"), page);
        assertTrue(BenchReport.files(results).get("results.md").contains("| [R](results/r.md) | s | 0 | 1 | 2 | c |"));
    }

    @Test
    void shouldLeaveOutEmptyColumnsAndFoldLongTablesWhenPageIsMade() throws Exception {
        replace("[\"put\", 8, 7.20, 0.98]", "[\"put\", 8, 7.20, null]" + ", [\"put\", 8, 7.20, null]".repeat(60));

        String page = BenchReport.files(results).get("results/r.md");

        assertTrue(page.contains("""
            <details><summary>62 rows</summary>

            | what | size, bytes | time, us |
            | --- | ---: | ---: |
            | put | 8 | 7.20 |
            """), page);
        assertTrue(page.contains("| get | 32,768 | 1.11, 1.20 |\n\n</details>\n"), page);
    }

    @Test
    void shouldMarkFilesWhenFiguresWereCopied() throws Exception {
        assertTrue(BenchReport.files(results).get("results.md").contains("| [R](results/r.md) | s |"));

        replace("\"kind\"", "\"transcribed\": true, \"kind\"");

        assertTrue(BenchReport.files(results).get("results.md").contains("| [R](results/r.md) * | s |"));
    }

    @Test
    void shouldWriteTheSameBytesWhenRunTwice() throws Exception {
        assertEquals(0, execute("--results", results.toString(), "--out", directory.resolve("a").toString()));
        assertEquals(0, execute("--results", results.toString(), "--out", directory.resolve("b").toString()));

        for (String file : List.of("results.md", "results/r.md", "plots/p.svg")) {
            assertEquals(Files.readString(directory.resolve("a").resolve(file)),
                Files.readString(directory.resolve("b").resolve(file)));
        }
    }

    @Test
    void shouldWriteNothingWhenFileCannotBeUsed() throws Exception {
        Files.writeString(results.resolve("s.json"), "{");

        assertThrows(ConfigException.class, () -> BenchReport.files(results));
        assertFalse(execute("--results", results.toString(), "--out", directory.resolve("a").toString()) == 0);
        assertFalse(Files.exists(directory.resolve("a")));
    }

    @Test
    void shouldRefuseWhenTwoPlotsHaveOneName() throws Exception {
        Files.writeString(results.resolve("s.json"), ResultFilesTest.GOOD.replace("\"r\"", "\"s\""));
        assertTrue(assertThrows(ConfigException.class, () -> BenchReport.files(results)).getMessage()
            .contains("another plot is called 'p'"));
    }

    @Test
    void shouldDrawEverySeriesWhenPlotted() throws Exception {
        Table table = Table.of("overlap", Column.words("design"), Column.of("size", "bytes"),
            Column.ratio("hidden", null));
        for (String design : List.of("DEFERRED", "AUTO")) {
            for (long bytes = 1 << 10; bytes <= 4 << 20; bytes *= 2) {
                table.row(design, bytes, bytes == 2048 ? Double.NaN : 0.5); // no ratio, nothing to draw
            }
        }

        Path file = Files.writeString(directory.resolve("p.svg"),
            Drawing.svg(Plot.of("overlap-epoch", "size", "hidden", "design", false), table));

        assertTrue(Files.size(file) < MOST_BYTES, "small enough for documentation");
        Element drawing = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile())
            .getDocumentElement();
        assertEquals("svg", drawing.getTagName());
        NodeList texts = drawing.getElementsByTagName("text");
        assertTrue(IntStream.range(0, texts.getLength()).mapToObj(i -> texts.item(i).getTextContent()).toList()
            .containsAll(List.of("DEFERRED", "AUTO", "overlap-epoch", "1K", "4M", "0.50", "hidden, x", "size, bytes")));
    }

    private void replace(String... pairs) throws Exception {
        String text = ResultFilesTest.GOOD;
        for (int i = 0; i < pairs.length; i += 2) {
            text = text.replace(pairs[i], pairs[i + 1]);
        }
        Files.writeString(results.resolve("r.json"), text);
    }

    private static int execute(String... arguments) {
        PrintWriter nowhere = new PrintWriter(new StringWriter());
        return new CommandLine(new BenchReport()).setOut(nowhere).setErr(nowhere).execute(arguments);
    }
}

package org.tributary.launcher.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Times of several machines on one timeline. */
class ClocksTest {
    private static final String JOB = "job.1";
    private static final long S = 1_000_000_000L;

    @TempDir
    private Path folder;

    private Clocks clocks(Clocks.Reading... readings) throws IOException {
        Clocks.write(folder, JOB, List.of(readings));
        return Clocks.read(folder, JOB);
    }

    private static TraceFile file(int rank, String boot, long monotonicNs, long realNs) {
        return new TraceFile(Path.of("f"), JOB, rank, rank, 2, monotonicNs, realNs, 0, boot, 0);
    }

    @Test
    void shouldGoFromOneReadingToTheOtherWhenAClockDrifts() throws IOException {
        Clocks clocks = clocks(new Clocks.Reading("b", 1100 * S, 5 * S + 4000, 300),
            new Clocks.Reading("b", 1000 * S, 5 * S, 200), new Clocks.Reading("c", 7, -3, 0));
        assertEquals(1005 * S, clocks.ofLauncher("b", 1000 * S));
        assertEquals(1055 * S + 2000, clocks.ofLauncher("b", 1050 * S));
        assertEquals(1105 * S + 4000, clocks.ofLauncher("b", 1100 * S));
        assertEquals(995 * S, clocks.ofLauncher("b", 990 * S)); // no further than what was read
        assertEquals(4, clocks.ofLauncher("c", 7));
        assertEquals(300, clocks.errorNs("b"));
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(List.of(folder.resolve("job.1.clocks")), files.toList());
        }
    }

    @Test
    void shouldTakeTheBetterReadingWhenTwoDifferByMoreThanClocksDrift() throws IOException {
        Clocks clocks = clocks(new Clocks.Reading("b", S, 5000, 9000), new Clocks.Reading("b", S + 1000, 100, 50));
        assertEquals(S + 600, clocks.ofLauncher("b", S + 500));
    }

    @Test
    void shouldShowRanksOfTwoMachinesAtOnceWhenTheirClocksWereRead() throws IOException {
        TraceFile here = file(0, "a", 10 * S, 77 * S);
        TraceFile there = file(1, "b", 500 * S, 99 * S); // its CLOCK_REALTIME is wrong
        Timeline read = new Timeline(List.of(here, there), clocks(new Clocks.Reading("a", 9 * S, 0, 0),
            new Clocks.Reading("b", 499 * S, -490 * S + 5, 40), new Clocks.Reading("z", 1, 1, 999)));
        assertEquals(0, read.sinceStartNs(here, 10 * S));
        assertEquals(S + 5, read.sinceStartNs(there, 501 * S));
        assertEquals(OptionalLong.of(40), read.errorNs());
        Timeline guessed = new Timeline(List.of(here, there), clocks(new Clocks.Reading("b", 499 * S, 5, 40)));
        assertEquals(23 * S, guessed.sinceStartNs(there, 501 * S));
        assertEquals(OptionalLong.empty(), guessed.errorNs());
    }

    @Test
    void shouldHaveNoneWhenThereIsNoFile() throws IOException {
        assertFalse(Clocks.read(folder, JOB).has("b"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "tributary clocks 2", "tributary clocks 1\nb 1 2", "tributary clocks 1\nb x 2 3",
        "tributary clocks 1\nb -1 2 3", "tributary clocks 1\nb 1 2 -3"})
    void shouldSayWhatIsWrongWhenAFileIsDamaged(String content) throws IOException {
        Files.writeString(folder.resolve("job.1.clocks"), content);
        String message = assertThrows(IOException.class, () -> Clocks.read(folder, JOB)).getMessage();
        assertTrue(message.startsWith(folder.resolve("job.1.clocks") + " is damaged"), message);
    }
}

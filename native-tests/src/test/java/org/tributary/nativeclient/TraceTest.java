package org.tributary.nativeclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code tributary trace} says of ranks in C: what the program {@code tracing} did. */
final class TraceTest {
    private static final String LAYOUT = "1,1";
    /** Rank 1 computes for 0.8 s while rank 0 waits, which may come later to that on a busy machine. */
    private static final double WAITED_S = 0.1;
    private static final Pattern RANK_1 = Pattern.compile("(?m)^1 +1 .* ([0-9.]+) (s|ms)$");

    @BeforeEach
    void assumeBuilt() {
        NativeBuild.assumeBuilt();
    }

    private static String trace(Jobs jobs, Path folder) throws Exception {
        List<String> command = new ArrayList<>(Jobs.launcher());
        command.addAll(List.of("trace", folder.toString()));
        return jobs.start(command).succeed();
    }

    private static String events(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return Files.readString(files.filter(file -> file.toString().endsWith(".json")).findAny().orElseThrow());
        }
    }

    private static void assertRow(String row, String summary) {
        assertTrue(summary.matches("(?s).*\n" + row + " .*"), () -> row + " is not in:\n" + summary);
    }

    /** Seconds that the other rank waited for rank 1; which one starts later is up to the machine. */
    private static double othersWaitedForRank1(String summary) {
        Matcher row = RANK_1.matcher(summary);
        assertTrue(row.find(), summary);
        return Double.parseDouble(row.group(1)) * (row.group(2).equals("s") ? 1 : 1e-3);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldSayWhatRanksDidWhenTheyHaveEnded(boolean isKilled) throws Exception {
        try (Jobs jobs = new Jobs()) {
            Path folder = jobs.work().resolve("new/folder");
            List<String> options = List.of("--trace", folder.toString());
            Jobs.Running job = isKilled ? jobs.run(LAYOUT, options, NativeBuild.sanitizedProgram("tracing"), "die")
                : jobs.run(LAYOUT, options, NativeBuild.sanitizedProgram("tracing"));
            int code = job.exitCode();
            if (isKilled) {
                assertNotEquals(0, code, job::output);
            } else {
                assertEquals(0, code, job::output);
            }
            String summary = trace(jobs, folder);
            assertRow("get +80", summary);
            assertRow("atomic +20", summary);
            assertRow("barrier +\\d+", summary);
            assertRow("collective +\\d+ .* rank \\d \\(\\d+ %\\)\n.*", summary);
            assertTrue(othersWaitedForRank1(summary) >= WAITED_S, summary);
            assertEquals(isKilled, summary.contains("did not leave the job in good order"), summary);
            if (!isKilled) {
                assertRow("put +1204", summary);
            }
            jobs.assertNothingLeft();
        }
    }

    @Test
    void shouldCountAllCollectivesOfANodeAndSayWhichWereLongWhenMostAreShort() throws Exception {
        try (Jobs jobs = new Jobs()) {
            Path folder = jobs.work().resolve("node");
            jobs.run("2", List.of("--trace", folder.toString()), NativeBuild.sanitizedProgram("tracing"), "node")
                .succeed();
            String summary = trace(jobs, folder);
            assertRow("all to all +6000 +46.88 KiB", summary);
            String events = events(folder);
            // Of at least 100 ms, after a thousand other calls.
            assertTrue(events.lines().anyMatch(line -> line.contains("\"name\": \"barrier\"")
                && line.matches(".*\"dur\": \\d{6,}\\..*\"operations\": 1,.*\"number\": \\d{4}\\D.*")), events);
            jobs.assertNothingLeft();
        }
    }

    @Test
    void shouldRefuseToAttachWhenTheFolderIsNone() throws Exception {
        try (Jobs jobs = new Jobs()) {
            Path file = Files.createFile(jobs.work().resolve("file"));
            Jobs.Running job = jobs.run(LAYOUT, List.of(), "/usr/bin/env", "TRIBUTARY_TRACE=" + file,
                NativeBuild.program("tracing"));
            assertNotEquals(0, job.exitCode());
            assertTrue(job.output().contains("cannot record: " + file), job::output);
            jobs.assertNothingLeft();
        }
    }
}

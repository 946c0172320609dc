package org.tributary.benchmarks.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.benchmarks.job.LauncherCommand;
import org.tributary.wire.shm.LockedDirectory;

/** With scripts for launchers. */
class WatchedJobTest {
    private static final String WORK = "echo observed: BEGIN; echo observed: PUT 1.5; echo observed: FETCH_AND_ADD 2;"
        + " echo observed: BARRIER 3; echo observed: JACOBI 1e-3; echo observed: END; cat; ";

    @Test
    void shouldTakeRatesAndEndTheJobWhenItHasSaidThemAll() throws Exception {
        Outcome outcome = WatchedJob.run(script(WORK), Watching.NOT, 0.001);

        assertEquals(List.of(1.5, 2.0, 3.0, 0.001), List.of(outcome.of(Kind.PUT), outcome.of(Kind.FETCH_AND_ADD),
            outcome.of(Kind.BARRIER), outcome.of(Kind.JACOBI)));
        assertTrue(outcome.launcherCores() >= 0, outcome::toString);
    }

    @Test
    void shouldFailWhenTheLauncherFailsOrSaysTooLittle() {
        assertTrue(refused(WORK + "exit 3", Watching.NOT).contains("exit code 3"));
        assertTrue(refused("true", Watching.NOT).contains("not said all"));
        assertTrue(refused(WORK, Watching.BY_PAGE).contains("not said all"));
        assertTrue(refused(WORK, Watching.BY_TRACE).contains("not said all"));
    }

    @Test
    void shouldReadThePageUntilTheJobHasDoneItsWorkWhenItIsShown() throws Exception {
        try (EventPage page = new EventPage("event: history\n")) {
            Outcome outcome = WatchedJob.run(script("echo tributary: dashboard: " + page.url() + "; " + WORK),
                Watching.BY_PAGE, 0.001);

            assertEquals(1.5, outcome.of(Kind.PUT));
            assertEquals("GET /token/events HTTP/1.1", page.request());
        }
    }

    /** The next launcher removes what is not locked. */
    @Test
    void shouldHoldTheFolderOfTracesLockedAndRemoveItWhenItRecords(@TempDir Path directory) throws Exception {
        Path seen = directory.resolve("seen");
        Outcome outcome = WatchedJob.run(script("[ \"$2\" = --trace ] && ls \"$3\" > " + seen
            + " && echo \"$3\" >> " + seen + "; for turns in 'PUT 0.9' 'FETCH_AND_ADD 1' 'BARRIER 1.1'; do"
            + " echo observed: TURNS $turns; done; " + WORK), Watching.BY_TRACE, 0.001);
        assertEquals(List.of(0.9, 1.0, 1.1), Turns.KINDS.stream().map(outcome::inTurns).toList());
        List<String> lines = Files.readAllLines(seen);
        assertTrue(lines.getFirst().startsWith(LockedDirectory.LOCK_PREFIX), lines::toString);
        assertTrue(lines.getLast().matches(".*/tributary-job-[A-Za-z0-9._-]{1,48}"), lines::toString);
        assertTrue(Files.notExists(Path.of(lines.getLast())));
    }

    private static LauncherCommand script(String text) {
        return new LauncherCommand(List.of("sh", "-c", text, "sh"));
    }

    private static String refused(String script, Watching watching) {
        return assertThrows(IOException.class, () -> WatchedJob.run(script(script), watching, 0.001)).getMessage();
    }
}

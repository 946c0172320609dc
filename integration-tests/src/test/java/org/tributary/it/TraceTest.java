package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code tributary trace} says of jobs whose ranks record: what they did. */
class TraceTest {
    private static final int RANKS = 2;
    /** Of the 300 ms that rank 1 is late, on a machine that may do other things. */
    private static final long LEAST_WAIT_US = 100_000;

    private final Place place = new Place();
    private final Path folder = place.work().resolve("new/folder");

    @AfterEach
    void close() {
        place.close();
    }

    private Running run(String... arguments) {
        return run(2, arguments);
    }

    private Running run(int nodes, String... arguments) {
        String classes = Path.of(TracedProgram.class.getProtectionDomain().getCodeSource().getLocation().getPath())
            .toString();
        return place.tributary(Stream.concat(Stream.of("run", "--nodes", Integer.toString(nodes),
            "--ranks-per-node", Integer.toString(RANKS / nodes), "--trace", "new/folder", "--class-path", classes,
            TracedProgram.class.getName()), Stream.of(arguments)).toArray(String[]::new));
    }

    private String trace() throws InterruptedException {
        Running trace = place.tributary("trace", folder.toString());
        assertEquals(0, trace.exitCode(), trace::toString);
        assertEquals("", trace.err());
        return String.join("\n", trace.out());
    }

    /** Of all ranks. */
    private static void assertCounts(String summary) {
        for (String row : List.of("get +" + RANKS * TracedProgram.GETS, "put +" + RANKS * (TracedProgram.PUTS + 2),
            "atomic +" + RANKS * TracedProgram.ADDS)) {
            assertTrue(summary.matches("(?s).*\n" + row + " .*"), () -> row + " is not in:\n" + summary);
        }
    }

    private List<JsonObject> events() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            Path json = files.filter(file -> file.toString().endsWith(".json")).findAny().orElseThrow();
            return JsonParser.parseString(Files.readString(json)).getAsJsonObject().getAsJsonArray("traceEvents")
                .asList().stream().map(JsonElement::getAsJsonObject).toList();
        }
    }

    @Test
    void shouldSayWhatRanksDidWhenTheyHaveLeft() throws Exception {
        Running job = run();
        assertEquals(0, job.exitCode(), job::toString);
        String summary = trace();
        assertTrue(summary.contains(": 2 of 2 ranks, ") && !summary.contains("good order"), summary);
        assertCounts(summary);
        List<JsonObject> events = events();
        for (JsonObject event : events) {
            boolean isMeta = event.get("ph").getAsString().equals("M");
            assertTrue(isMeta || event.get("ph").getAsString().equals("X") && event.get("ts").getAsDouble() >= 0
                && event.get("dur").getAsDouble() >= 0 && !event.get("cat").getAsString().isEmpty(), event::toString);
            assertTrue(event.get("pid").getAsInt() < RANKS && event.get("tid").getAsInt() >= 0
                && event.get("name").isJsonPrimitive() && event.get("args").isJsonObject(), event::toString);
        }
        assertTrue(events.stream().anyMatch(event -> event.get("name").getAsString().equals("wait: collective")
            && event.get("pid").getAsInt() == 0 && event.get("dur").getAsDouble() > LEAST_WAIT_US
            && event.getAsJsonObject("args").get("rank").getAsInt() == 1), events::toString);
        place.assertNothingLeft();
    }

    @Test
    void shouldCountAllCollectivesOfANodeAndSayWhichWereLongWhenMostAreShort() throws Exception {
        Running job = run(1, "node");
        assertEquals(0, job.exitCode(), job::toString);
        String summary = trace();
        String row = "all to all +" + RANKS * TracedProgram.EXCHANGES + " +46.88 KiB";
        assertTrue(summary.matches("(?s).*\n" + row + " .*"), () -> row + " is not in:\n" + summary);
        assertTrue(events().stream().anyMatch(event -> event.get("name").getAsString().equals("barrier")
            && event.get("pid").getAsInt() == 0 && event.get("dur").getAsDouble() > LEAST_WAIT_US
            && event.getAsJsonObject("args").get("operations").getAsInt() == 1
            && event.getAsJsonObject("args").get("number").getAsInt() > TracedProgram.EXCHANGES / 2), summary);
        place.assertNothingLeft();
    }

    /** It waits for a queue that nobody writes to, in the middle of its file. */
    @ParameterizedTest
    @ValueSource(strings = {"INT", "KILL"})
    void shouldLeaveTheTracesAloneWhenInterrupted(String signal) throws Exception {
        Files.createDirectories(folder);
        Path queue = folder.resolve("job.0.trace");
        assertEquals(0, new ProcessBuilder("mkfifo", queue.toString()).start().waitFor());
        Running trace = place.tributary("trace", folder.toString());
        place.await("no file is being written", () -> Place.entries(folder).size() == 2);
        Place.signal(signal, trace.pid());
        assertEquals(signal.equals("INT") ? 130 : 137, trace.exitCode(), trace::toString);
        if (signal.equals("KILL")) {
            assertEquals(2, Place.entries(folder).size(), "the next one removes it");
            Files.delete(queue);
            Files.write(queue, new byte[] {1});
            assertNotEquals(0, place.tributary("trace", folder.toString()).exitCode(), "that is no trace");
        }
        assertEquals(List.of(queue), Place.entries(folder));
    }

    @Test
    void shouldSayWhatRanksDidUntilThenWhenOneWasKilled() throws Exception {
        Running job = run("die");
        assertNotEquals(0, job.exitCode(), job::toString);
        String summary = trace();
        assertTrue(summary.contains("did not leave the job in good order, or have not left yet: ranks 0"), summary);
        assertTrue(summary.matches("(?s).*\nget +" + RANKS * TracedProgram.GETS + " .*"), summary);
        assertTrue(summary.matches("(?s).*\nbarrier +\\d+ .*"), summary);
        place.assertNothingLeft();
    }
}

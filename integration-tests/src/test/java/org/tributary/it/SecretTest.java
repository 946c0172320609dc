package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tributary.config.ProcessFiles;

/** A user who sees a process sees its environment and its arguments: none of them holds the secret of its job. */
class SecretTest {
    private final Place place = new Place();

    @AfterEach
    void close() {
        place.close();
    }

    @Test
    void shouldBeInAFileOfItsOwnerAloneAndInNoEnvironmentWhenJobRuns() throws Exception {
        Running job = place.tributary("run", "--nodes", "2", "--ranks-per-node", "2", "--class-path",
            Path.of("target/test-classes").toAbsolutePath().toString(), "org.tributary.it.Program", "all-in-barrier");
        for (int rank = 0; rank < 4; rank++) {
            job.awaitLine("\\[" + rank + "] ready rank.*");
        }
        List<ProcessHandle> processes = place.processes();
        assertEquals(7, processes.size(), "launcher, servers, ranks: " + processes);
        Path file = Path.of(processes.stream().flatMap(SecretTest::environment)
            .filter(entry -> entry.startsWith("TRIBUTARY_SECRET_FILE=")).findFirst().orElseThrow().split("=", 2)[1]);
        String secret = Files.readString(file).strip();
        assertTrue(secret.matches("[0-9a-f]{64}"), "32 bytes");
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        for (ProcessHandle process : processes) {
            ProcessFiles files = ProcessFiles.of(process);
            assertFalse(files.text("environ").contains(secret), () -> "environment of " + process.info());
            assertFalse(files.text("cmdline").contains(secret), () -> "arguments of " + process.info());
            assertFalse(environment(process).anyMatch(entry -> entry.startsWith("TRIBUTARY_SECRET=")));
        }
        Place.signal("KILL", job.pid());
        place.assertNothingLeft();
        assertFalse(Files.exists(file), "the secret outlives its job");
    }

    private static Stream<String> environment(ProcessHandle process) {
        return Stream.of(ProcessFiles.of(process).text("environ").split("\0"));
    }
}

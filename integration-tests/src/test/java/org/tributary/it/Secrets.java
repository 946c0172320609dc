package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.tributary.config.ProcessFiles;

/** A user who sees a process sees its environment and its arguments: none of them holds the secret of its job. */
final class Secrets {
    private Secrets() {
    }

    /** The secret of the job of so many processes is in a file of its owner alone, which is returned. */
    static Path fileOf(Place place, int count) throws IOException {
        List<ProcessHandle> processes = place.processes();
        assertEquals(count, processes.size(), "launcher, servers, ranks: " + processes);
        Path file = Path.of(processes.stream().flatMap(Secrets::environment)
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
        return file;
    }

    private static Stream<String> environment(ProcessHandle process) {
        return Stream.of(ProcessFiles.of(process).text("environ").split("\0"));
    }
}

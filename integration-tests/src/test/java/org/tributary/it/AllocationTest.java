package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Jobs in an allocation of Slurm whose commands are scripts; {@link SlurmTest} has a real one. */
class AllocationTest {
    private final Place place = new Place();

    @AfterEach
    void close() {
        place.close();
    }

    @Test
    void shouldAskSlurmOnceAndNameItsCommandWhenThatFails() throws Exception {
        Path asked = place.work().resolve("asked");
        writeTool("scontrol", "echo \"$*\" >>" + asked + "; echo n0; echo n1");
        writeTool("srun", "echo no such step >&2; exit 3");
        ProcessBuilder builder = place.builder(Stream.concat(Place.launcher().stream(), Stream.of("run", "--", "true"))
            .toList());
        builder.environment().put("PATH", place.work() + ":" + System.getenv("PATH"));
        builder.environment().put("SLURM_JOB_ID", "1");
        builder.environment().put("SLURM_JOB_NODELIST", "n[0-1]");
        Running job = place.start(builder);
        assertEquals(2, job.exitCode(), job::toString);
        for (String host : List.of("n0", "n1")) {
            assertTrue(job.err().contains("\n  " + host + ": no such step (srun exited with code 3)"), job::toString);
        }
        assertEquals(List.of("show hostnames n[0-1]"), Files.readAllLines(asked));
        place.assertNothingLeft();
    }

    private void writeTool(String name, String script) throws IOException {
        Path tool = Files.writeString(place.work().resolve(name), "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(tool, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}

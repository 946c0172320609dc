package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The script {@code tributary} in a folder of sources of its own, with a Maven that only takes its time and fails. */
class BuildProgressTest {
    private static final String MAVEN = """
        #!/bin/sh
        echo "[INFO] Building Tributary: configuration 0.1.0-SNAPSHOT    [2/14]"
        echo "[INFO] Building Tributary: mini applications 0.1.0-SNAPSHOT [3/14]"
        sleep 12
        echo "[ERROR] no network"
        exit 1
        """;

    private final Place place = new Place();

    @AfterEach
    void close() {
        place.close();
    }

    @Test
    void shouldSayHowFarTheBuildIsAndWhyItFailed() throws Exception {
        Path root = place.work();
        Files.copy(Path.of("..", "tributary"), root.resolve("tributary"));
        Path scripts = Files.createDirectories(root.resolve("launcher/src/main/sh"));
        Files.copy(Path.of("..", "launcher/src/main/sh/start.sh"), scripts.resolve("start.sh"));
        Path tools = Files.createDirectory(root.resolve("tools"));
        Path maven = Files.writeString(tools.resolve("mvn"), MAVEN);
        Files.setPosixFilePermissions(maven, PosixFilePermissions.fromString("rwxr-xr-x"));
        ProcessBuilder builder = place.builder(List.of("/bin/sh", "tributary", "run"));
        builder.environment().put("PATH", tools + ":" + System.getenv("PATH"));
        builder.environment().put("TRIBUTARY_JAVA_HOME", System.getProperty("java.home"));
        Running command = place.start(builder);
        assertEquals(1, command.exitCode(), command::toString);
        List<String> lines = command.err().lines().toList();
        assertEquals("building Tributary (first use)…", lines.getFirst());
        assertTrue(lines.get(1).matches("building Tributary: 10 s, part 3/14: mini applications"), lines::toString);
        assertTrue(lines.contains("[ERROR] no network"), lines::toString);
        assertEquals("tributary: the build failed", lines.getLast());
    }
}

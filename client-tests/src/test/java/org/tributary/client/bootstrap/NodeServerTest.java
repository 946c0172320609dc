package org.tributary.client.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.config.JobVariables;
import org.tributary.config.Settings;

class NodeServerTest {
    @TempDir
    private Path folder;

    private static boolean isSecret(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().contains("tributary-secret");
        } catch (IOException e) {
            return false; // of the listing itself
        }
    }

    private static long secrets() throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.filter(NodeServerTest::isSecret).count();
        }
    }

    private void program(String name, String text) throws IOException {
        Path file = Files.writeString(folder.resolve(name), text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void shouldLeaveNoSecretOpenWhenTheServerCannotBeStarted() throws IOException {
        program("tributary", "#!/no/such/shell\n");
        program("setsid", "#!/no/such/shell\n");
        Settings settings = Settings.builder().set("shm.directory=" + folder).build();
        Plan plan = new Plan("secrets", new byte[32], "1", true, null);
        Map<String, String> environment = Map.of(JobVariables.HOME, folder.toString(), "PATH", folder.toString());
        long before = secrets();
        assertThrows(IOException.class, () -> NodeServer.start(plan, 0, environment, settings));
        assertEquals(before, secrets());
    }

    @Test
    void shouldCountPortsUpWhenBlanksStandAroundThem() throws IOException {
        Path ports = folder.resolve("ports");
        program("tributary", "#!/bin/sh\necho $TRIBUTARY_SERVER_PORT $TRIBUTARY_SERVER_METRICS_PORT > " + ports
            + "\nexit 3\n");
        Settings settings = Settings.builder().set("shm.directory=" + folder).build();
        Plan plan = new Plan("ports", new byte[32], "1,1", true, null);
        NodeServer server = NodeServer.start(plan, 1, Map.of(JobVariables.HOME, folder.toString(),
            "TRIBUTARY_SERVER_PORT", " 7411", "TRIBUTARY_SERVER_METRICS_PORT", "7500\r"), settings);
        assertThrows(IOException.class, () -> server.awaitReady(1, TimeUnit.MINUTES.toNanos(1)));
        server.end();
        assertEquals("7412 7501\n", Files.readString(ports));
    }
}

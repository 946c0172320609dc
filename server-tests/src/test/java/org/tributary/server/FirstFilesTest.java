package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.server.testing.TestServers;

class FirstFilesTest {
    /** What agents say that a host needs. */
    @ParameterizedTest
    @CsvSource({"collective.chunk=16k, notify.max-sources=1024", "collective.chunk=128k, notify.max-sources=2",
        "cooperation.mode=combine, cooperation.scope=node"})
    void shouldKnowTheRoomThatServersTakeAtTheirStart(String setting, String other) throws IOException {
        Topology topology = Topology.of(3, 1);
        Settings settings = Settings.builder().set(setting).set(other).build();
        try (TestServers job = TestServers.start(topology, setting, other)) {
            for (int node = 0; node < topology.nodeCount(); node++) {
                assertEquals(pages(job.directory(node)), FirstFiles.bytes(settings, topology, node), "node " + node);
            }
        }
    }

    /** But for the note beside the inboxes, without which the job goes on. */
    private static long pages(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(Files::isRegularFile)
                .filter(file -> !file.getFileName().toString().startsWith("parts-"))
                .mapToLong(file -> file.toFile().length())
                .map(bytes -> (bytes + 4095) / 4096 * 4096).sum();
        }
    }
}

package org.tributary.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.benchmarks.encryption.EncryptionBenchmark;
import org.tributary.benchmarks.fabric.FabricBenchmark;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Topology;

/** Of benchmarks that rank 0 measures alone: two at once would measure each other, and write one file. */
class OtherRanksTest {
    private static final byte[] SECRET = new byte[32];

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(classes = {EncryptionBenchmark.class, FabricBenchmark.class})
    void shouldDoNothingWhenRankIsNotTheFirst(Class<?> benchmark) throws Exception {
        Path json = directory.resolve("r.json");
        ProcessBuilder builder = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp", System.getProperty("java.class.path"), benchmark.getName(), "--rounds", "1", "--json",
            json.toString()).redirectErrorStream(true);
        builder.environment().putAll(JobEnvironment.builder().jobId("others").secret(SECRET)
            .topology(Topology.uniform(2, 1)).serversFile(directory.resolve("servers")).node(1).rank(1).build()
            .toEnvironment());

        Process rank = builder.start();
        String printed;
        try (BufferedReader lines = rank.inputReader(StandardCharsets.UTF_8)) {
            printed = lines.lines().collect(Collectors.joining("\n"));
        }

        assertEquals("", printed);
        assertEquals(0, rank.waitFor());
        assertFalse(Files.exists(json));
    }
}

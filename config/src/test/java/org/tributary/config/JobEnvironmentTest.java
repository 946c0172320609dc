package org.tributary.config;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobEnvironmentTest {
    private static final String SECRET = "00112233445566778899aabbccddeeff";

    @TempDir
    private Path directory;

    @Test
    void shouldReadBackWhenRankHandedOn() {
        JobEnvironment rank = JobEnvironment.builder().jobId("j-1").secret(new byte[32])
            .topology(Topology.of(2, 3))
            .rank(4).servers(List.of("127.0.0.1:4000", "[::1]:4001")).supervised(true).build();
        JobEnvironment read = JobEnvironment.forRank(rank.toEnvironment());
        assertEquals("j-1", read.jobId());
        assertArrayEquals(new byte[32], read.secret());
        assertEquals(Topology.of(2, 3), read.topology());
        assertEquals(1, read.node());
        assertEquals(4, read.rank());
        assertEquals(List.of("127.0.0.1:4000", "[::1]:4001"), read.servers());
        assertTrue(read.supervised());
        assertFalse(read.toString().contains("0000"));
    }

    @Test
    void shouldHaveNoRankWhenServer() {
        JobEnvironment server = JobEnvironment.forServer(environment("1*2", Map.of("TRIBUTARY_NODE", "0")));
        assertEquals(-1, server.rank());
        assertEquals(List.of(), server.servers());
        assertFalse(server.supervised());
    }

    @Test
    void shouldReadAddressesWhenFileIsCompletedLater() throws IOException {
        Path file = directory.resolve("servers");
        JobEnvironment server = JobEnvironment.forServer(
            environment("2*1", Map.of("TRIBUTARY_NODE", "1", "TRIBUTARY_SERVERS_FILE", file.toString())));
        assertEquals(List.of(), server.servers());
        Files.writeString(file, "a:1\nb:2");
        assertEquals(List.of(), server.servers());
        Files.writeString(file, "a:1\nb:22\n");
        assertEquals(List.of("a:1", "b:22"), server.servers());
        Files.delete(file);
        assertEquals(List.of("a:1", "b:22"), server.servers());
    }

    @Test
    void shouldTakeRankOfLauncherWhenOwnIsMissing() {
        assertEquals(3, JobEnvironment.forRank(environment("1*4", Map.of("SLURM_PROCID", "3"))).rank());
        assertEquals(2, JobEnvironment.forRank(
            environment("1*4", Map.of("SLURM_PROCID", "0", "PMI_RANK", "2"))).rank());
        assertEquals(1, JobEnvironment.forRank(
            environment("1*4", Map.of("OMPI_COMM_WORLD_RANK", "1", "PMI_RANK", "2", "SLURM_PROCID", "0"))).rank());
        assertEquals(0, JobEnvironment.forServer(environment("1*4", Map.of("SLURM_NODEID", "0"))).node());
    }

    @Test
    void shouldReadSecretFileWhenOnlyOwnerCanRead() throws IOException {
        Path file = Files.writeString(directory.resolve("secret"), SECRET + "\n");
        Map<String, String> environment = environment("1", Map.of("TRIBUTARY_RANK", "0"));
        environment.remove("TRIBUTARY_SECRET");
        environment.put("TRIBUTARY_SECRET_FILE", file.toString());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        ConfigException e = assertThrows(ConfigException.class, () -> JobEnvironment.forRank(environment));
        assertTrue(e.getMessage().contains("rw-r-----"), e.getMessage());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        JobEnvironment rank = JobEnvironment.forRank(environment);
        assertEquals(16, rank.secret().length);
        assertEquals(file.toString(), rank.toEnvironment().get("TRIBUTARY_SECRET_FILE"));
    }

    @Test
    void shouldReportEveryProblemWhenSeveral() {
        ConfigException e = assertThrows(ConfigException.class, () -> JobEnvironment.forRank(Map.of(
            "TRIBUTARY_JOB_ID", "a/b", "TRIBUTARY_SECRET", "abcd", "TRIBUTARY_LAYOUT", "2*2", "TRIBUTARY_RANK", "4",
            "TRIBUTARY_SERVERS", "onlyone:1", "TRIBUTARY_SUPERVISED", "yes")));
        assertEquals(5, e.problems().size(), e.getMessage());
        assertFalse(e.getMessage().contains("abcd"), "the secret must not be shown");
        ConfigException nothing = assertThrows(ConfigException.class, () -> JobEnvironment.forRank(Map.of()));
        assertEquals(5, nothing.problems().size(), nothing.getMessage());
        assertTrue(nothing.getMessage().contains("start the program with `tributary run`"), nothing.getMessage());
        ConfigException server = assertThrows(ConfigException.class, () -> JobEnvironment.forServer(Map.of()));
        assertFalse(server.getMessage().contains("tributary run"), server.getMessage());
    }

    @Test
    void shouldRefuseWhenNodeContradictsRank() {
        assertThrows(ConfigException.class,
            () -> JobEnvironment.forRank(environment("1,1", Map.of("TRIBUTARY_RANK", "1", "TRIBUTARY_NODE", "0",
                "TRIBUTARY_SERVERS", "a:1,b:2"))));
    }

    @Test
    void shouldRefuseWhenAddressIsNone() {
        for (String address : List.of("a", "a:", ":1", "a:0", "a:65536", "::1:80", "a b:1", "a:-1")) {
            assertThrows(ConfigException.class, () -> JobEnvironment.forRank(
                environment("1", Map.of("TRIBUTARY_RANK", "0", "TRIBUTARY_SERVERS", address))), address);
        }
    }

    private static Map<String, String> environment(String layout, Map<String, String> more) {
        Map<String, String> environment = new HashMap<>(more);
        environment.put("TRIBUTARY_JOB_ID", "test");
        environment.put("TRIBUTARY_SECRET", SECRET);
        environment.put("TRIBUTARY_LAYOUT", layout);
        return environment;
    }
}

package org.tributary.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsTest {
    @TempDir
    private Path directory;

    @Test
    void shouldHaveDocumentedValuesWhenNothingGiven() {
        Settings settings = Settings.defaults();
        assertEquals(WaitPreset.SHARED, settings.waitPreset());
        assertEquals(50_000, settings.waitSpinNs());
        assertEquals(100_000, settings.serverSpinNs());
        assertEquals(Path.of("/dev/shm"), settings.shmDirectory());
        assertEquals("0.0.0.0", settings.serverBindAddress());
        assertEquals(0, settings.serverPort());
        assertEquals(-1, settings.serverMetricsPort());
        assertEquals("127.0.0.1", settings.serverMetricsAddress());
        assertEquals(10_000_000_000L, settings.connectTimeoutNs());
        assertEquals(30_000_000_000L, settings.connectionSilenceTimeoutNs());
        assertEquals(30_000_000_000L, settings.attachTimeoutNs());
        assertEquals(16 << 20, settings.messageMaxPayload());
        assertEquals(64 << 10, settings.clientBuffer());
        assertEquals(256 << 10, settings.serverReceiveBuffer());
        assertEquals(0, settings.socketBuffer());
        assertEquals(16 << 10, settings.collectiveChunk());
        assertEquals(1024, settings.notifyMaxSources());
        assertEquals(CooperationMode.NONE, settings.cooperationMode());
        assertEquals(CooperationScope.PROCESS, settings.cooperationScope());
        assertEquals(0, settings.cooperationGroupSize());
        assertEquals(Optional.empty(), settings.cooperationGroups());
        assertEquals(100_000, settings.cooperationWindowNs());
        assertEquals(0, settings.serverThreads());
        assertEquals(64 << 10, settings.cooperationChannelBytes());
        assertEquals(1L << 30, settings.cooperationServerBytes());
        assertEquals(16 << 10, settings.cooperationBulkThreshold());
        assertEquals(8, settings.cooperationDirectConnections());
        assertEquals(64, settings.cooperationServerConnections());
        assertFalse(settings.cooperationReorderFloatingPoint());
        assertEquals(2_000_000_000L, settings.jobGraceNs());
        assertEquals(FailurePolicy.EXIT, settings.jobOnFailure());
        assertEquals(Map.of(), settings.toEnvironment());
    }

    @Test
    void shouldPreferLaterSourceWhenSeveralGiven() throws IOException {
        Path file = Files.writeString(directory.resolve("t.conf"), """
            # a comment
            server.port = 1000

            job.grace = 3s
            collective.chunk=4k
            """);
        Settings settings = Settings.builder()
            .file(file)
            .environment(Map.of("TRIBUTARY_JOB_GRACE", "4s", "TRIBUTARY_COLLECTIVE_CHUNK", "8k", "PATH", "/bin"))
            .set("collective.chunk=32k")
            .build();
        assertEquals(1000, settings.serverPort());
        assertEquals(4_000_000_000L, settings.jobGraceNs());
        assertEquals(32 << 10, settings.collectiveChunk());
        Map<String, String> sources = new HashMap<>();
        settings.describe().forEach(entry -> sources.put(entry.key(), entry.source()));
        assertEquals("file " + file + ":2", sources.get("server.port"));
        assertEquals("environment TRIBUTARY_JOB_GRACE", sources.get("job.grace"));
        assertEquals("set", sources.get("collective.chunk"));
        assertEquals("default", sources.get("attach.timeout"));
    }

    @Test
    void shouldSpinLongWhenDedicated() {
        Settings settings = Settings.builder().set("wait.preset=dedicated").set("server.spin=1ms").build();
        assertEquals(10_000_000_000L, settings.waitSpinNs());
        assertEquals(1_000_000, settings.serverSpinNs());
        assertEquals(Map.of("TRIBUTARY_WAIT_PRESET", "dedicated", "TRIBUTARY_SERVER_SPIN", "1ms"),
            settings.toEnvironment());
    }

    @Test
    void shouldArriveAtEqualSettingsWhenHandedOnThroughEnvironment() {
        Settings settings = Settings.builder()
            .set("wait.preset", "dedicated").set("wait.spin", "50us").set("shm.directory", "/tmp/x")
            .set("server.bind-address", "127.0.0.1").set("job.on-failure", "throw").build();
        Settings read = Settings.builder().environment(settings.toEnvironment()).build();
        assertEquals(values(settings), values(read));
    }

    @Test
    void shouldLeaveOutCommentsWhenTheyFollowAValue() throws IOException {
        Path file = Files.writeString(directory.resolve("t.conf"), """
              # a comment
            server.port = 1000 # of ours
            wait.spin = 10us\t#fast
            shm.directory = /a#b   # default
            server.interface = ib0 # ib1
            """);
        Settings settings = Settings.builder().file(file).build();
        assertEquals(1000, settings.serverPort());
        assertEquals(10_000, settings.waitSpinNs());
        assertEquals(Path.of("/a#b"), settings.shmDirectory());
        assertEquals(Optional.of("ib0"), settings.serverInterface());
    }

    @Test
    void shouldReadBackWhenTheFileIsWhatIsShown() throws IOException {
        Settings settings = Settings.builder().set("wait.preset=dedicated").set("job.grace=3s").build();
        StringBuilder shown = new StringBuilder();
        settings.describe().forEach(entry -> shown.append(entry.key()).append(" = ").append(entry.value())
            .append("  # ").append(entry.source()).append('\n'));
        Settings read = Settings.builder().file(Files.writeString(directory.resolve("t.conf"), shown)).build();
        assertEquals(values(settings), values(read));
    }

    @Test
    void shouldSayWhyWhenAFileCannotBeRead() throws IOException {
        Path absent = directory.resolve("absent");
        Path latin = Files.write(directory.resolve("latin"), new byte[] {'#', ' ', (byte) 0xFC});
        ConfigException e = assertThrows(ConfigException.class,
            () -> Settings.builder().file(absent).file(latin).file(directory).build());
        assertEquals(List.of("cannot read the configuration file " + absent + ": no such file or folder",
            "cannot read the configuration file " + latin + ": it is no text in UTF-8",
            "cannot read the configuration file " + directory + ": Is a directory"), e.problems());
    }

    @Test
    void shouldReportEveryProblemWhenSeveral() {
        ConfigException e = assertThrows(ConfigException.class, () -> Settings.builder()
            .file(directory.resolve("absent"))
            .environment(Map.of("TRIBUTARY_WAIT_SPNI", "1us", "TRIBUTARY_RANK", "3"))
            .set("server.prot=1").set("nonsense").set("server.port=70000").set("job.grace=soon")
            .set("shm.directory=relative").set("wait.preset=lazy").build());
        List<String> problems = e.problems();
        assertEquals(8, problems.size(), e.getMessage());
        assertTrue(e.getMessage().contains("'TRIBUTARY_WAIT_SPIN'"), e.getMessage());
        assertTrue(e.getMessage().contains("'server.port'"), e.getMessage());
        assertTrue(e.getMessage().contains("server.port: 70000 is outside 0 to 65535"), e.getMessage());
        assertTrue(e.getMessage().contains("'lazy' is not one of shared, dedicated"), e.getMessage());
    }

    @Test
    void shouldRefuseWhenPortsCollide() {
        assertThrows(ConfigException.class,
            () -> Settings.builder().set("server.port=9000").set("server.metrics-port=9000").build());
    }

    @Test
    void shouldFindNoProblemWhenCountedPortsDoNotMeet() {
        assertEquals(List.of(), Settings.defaults().portProblems(100));
        assertEquals(List.of(), Settings.builder().set("server.metrics-port=0").build().portProblems(100));
        assertEquals(List.of(), Settings.builder().set("server.port=9000").set("server.metrics-port=9002").build()
            .portProblems(2));
        assertEquals(List.of(), Settings.builder().set("server.port=65535").set("server.metrics-port=65534").build()
            .portProblems(1));
    }

    @Test
    void shouldReportEveryProblemWhenCooperationContradictsItself() {
        ConfigException e = assertThrows(ConfigException.class, () -> Settings.builder()
            .set("cooperation.mode=gather").set("cooperation.group-size=4").set("cooperation.groups=0-3")
            .set("cooperation.bulk-threshold=32k").set("cooperation.window=11ms").build());
        assertEquals(List.of(
            "cooperation.mode: 'gather' is not one of none, forward, aggregate, combine (set)",
            "cooperation.window: 11ms is outside 0 to 10ms (set)",
            "cooperation.group-size = 4 and cooperation.groups = 0-3 are both set; give one",
            "cooperation.bulk-threshold = 32k is more than a quarter of cooperation.channel-bytes = 64k"),
            e.problems());
    }

    @Test
    void shouldReportBothWhenSettingsAreWrongAndDoNotFit() {
        ConfigException e = assertThrows(ConfigException.class, () -> Settings.builder()
            .set("cooperation.window=11ms").set("cooperation.group-size=5").build(settings -> {
                assertEquals(5, settings.cooperationGroupSize());
                assertEquals(100_000, settings.cooperationWindowNs(), "its default");
                throw new ConfigException(List.of("too few nodes", "too few ranks"));
            }));
        assertEquals(List.of("cooperation.window: 11ms is outside 0 to 10ms (set)", "too few nodes", "too few ranks"),
            e.problems());
    }

    @Test
    void shouldRefuseWhenRingIsNoPowerOfTwo() {
        assertEquals(1 << 15, Settings.builder().set("cooperation.ring-bytes=32k").build().cooperationRingBytes());
        ConfigException e = assertThrows(ConfigException.class, () -> Settings.builder()
            .set("cooperation.mode=gather").set("cooperation.ring-bytes=48k").build());
        assertEquals(2, e.problems().size(), e.getMessage());
        assertTrue(e.getMessage().contains("cooperation.ring-bytes: 48k is no power of 2 (set)"), e.getMessage());
        assertThrows(ConfigException.class, () -> Settings.builder().set("cooperation.ring-bytes=32m").build());
    }

    @Test
    void shouldKeepOptionsFewWhenTheyGrow() {
        assertTrue(Option.values().length < 40);
    }

    @Test
    void shouldUseAnAdapterWhenOneIsWantedAndNodesCanReachIt() {
        assertFalse(Settings.defaults().usesFabric(2));
        Settings auto = Settings.builder().set("network.fabric=auto").build();
        assertTrue(auto.usesFabric(2));
        assertFalse(auto.usesFabric(1));
        for (String other : List.of("network.encryption=aes-gcm", "cooperation.mode=forward")) {
            assertFalse(Settings.builder().set("network.fabric=auto").set(other).build().usesFabric(2), other);
        }
        assertTrue(Settings.builder().set("network.fabric=shm").build().usesFabric(2));
    }

    @Test
    void shouldRefuseWhenAnAdapterWouldGoAroundEncryptionOrCooperation() {
        ConfigException e = assertThrows(ConfigException.class, () -> Settings.builder().set("network.fabric=verbs")
            .set("network.encryption=ktls").set("cooperation.mode=combine").build());
        assertEquals(List.of("network.fabric = verbs moves data in the clear, and network.encryption = ktls does not"
            + " allow that; give one", "network.fabric = verbs goes from ranks directly to servers, and"
            + " cooperation.mode = combine does not; give one"), e.problems());
        assertThrows(ConfigException.class, () -> Settings.builder().set("network.fabric=myrinet").build());
    }

    @Test
    void shouldTakeADesignBehindTheNumberOfChannels() {
        assertEquals(ChannelDesign.VARIABLE_BOTTOM, Settings.defaults().fabricChannelDesign());
        for (ChannelDesign design : ChannelDesign.values()) {
            Settings settings = Settings.builder().set("fabric.channels=8:" + design).build();
            assertEquals(8, settings.fabricChannels());
            assertEquals(design, settings.fabricChannelDesign());
            assertEquals(values(settings), values(Settings.builder().environment(settings.toEnvironment()).build()));
        }
        ConfigException e = assertThrows(ConfigException.class, () -> Settings.builder()
            .set("fabric.channels=8:top").build());
        assertEquals(List.of("fabric.channels: 'top' is not one of fixed-top, fixed-bottom, variable-top,"
            + " variable-bottom (set)"), e.problems());
        for (String bad : List.of("129:fixed-top", "8:", ":fixed-top", "8:fixed-top:fixed-top", "-1", "8:fixed-top:",
            "8:fixed-top:8k", "8:fixed-top:20k", "8:fixed-top:1016k", "8:variable-bottom:72k", "8:fixed-top:16k:")) {
            assertThrows(ConfigException.class, () -> Settings.builder().set("fabric.channels=" + bad).build(), bad);
        }
    }

    @Test
    void shouldTakeTheSizeOfABlockBehindTheDesign() {
        assertEquals(32 << 10, Settings.defaults().fabricChannelBytes());
        assertEquals(256 << 10, Settings.builder().set("fabric.channels=8:fixed-bottom").build().fabricChannelBytes());
        for (String good : List.of("8:fixed-top:16k", "8:fixed-bottom:1008k", "8:variable-bottom:64k")) {
            Settings settings = Settings.builder().set("fabric.channels=" + good).build();
            assertEquals(good, valueOf("fabric.channels=" + good));
            assertEquals(values(settings), values(Settings.builder().environment(settings.toEnvironment()).build()));
        }
        assertEquals("8", valueOf("fabric.channels=8:variable-bottom:32k"));
        assertEquals("8:fixed-top", valueOf("fabric.channels=8:fixed-top:256k"));
        ConfigException e = assertThrows(ConfigException.class, () -> valueOf("fabric.channels=8:variable-top:12k"));
        assertEquals(List.of("fabric.channels: a block of variable-top has 16k to 64k in steps of 8k, not 12k (set)"),
            e.problems());
    }

    private static String valueOf(String channels) {
        return Settings.builder().set(channels).build().describe().stream()
            .filter(each -> each.key().equals("fabric.channels")).findFirst().orElseThrow().value();
    }

    private static List<String> values(Settings settings) {
        return settings.describe().stream().map(entry -> entry.key() + "=" + entry.value()).toList();
    }
}

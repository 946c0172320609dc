package org.tributary.nativeclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.ConfigException;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.cooperation.CooperationOptions;
import org.tributary.cooperation.Routes;
import org.tributary.wire.Agreement;
import org.tributary.wire.Frames;
import org.tributary.wire.shm.AccumulateLocks;
import org.tributary.wire.shm.CollectiveLayout;
import org.tributary.wire.shm.NotifyTable;

/** Parts of the C client that need no job, and numbers that must be the same in C and in Java. */
final class UnitTest {
    private static Jobs slow;
    private static Jobs.Running unit;
    private static Jobs.Running sanitizedLinks;
    private static Jobs.Running racedLinks;

    /** They wait more than they compute, and so run beside each other and the other tests. */
    @BeforeAll
    static void startWhatWaits() throws IOException {
        NativeBuild.assumeBuilt();
        slow = new Jobs();
        unit = slow.start(List.of(NativeBuild.sanitizedProgram("unit").toString()));
        sanitizedLinks = slow.start(List.of(NativeBuild.sanitizedProgram("links").toString()));
        racedLinks = slow.start(List.of(NativeBuild.racedProgram("links").toString()));
    }

    @AfterAll
    static void close() throws IOException {
        if (slow != null) {
            slow.close();
        }
    }

    private static String outputOf(String... argument) throws Exception {
        List<String> command = new ArrayList<>(List.of(NativeBuild.sanitizedProgram("unit").toString()));
        command.addAll(List.of(argument));
        try (Jobs jobs = new Jobs()) {
            return jobs.start(command).succeed();
        }
    }

    @Test
    void shouldHoldUpNobodyWithOtherConnectionsWhenOneIsStuck() throws Exception {
        assertTrue(sanitizedLinks.succeed().contains("links: all well"));
        assertTrue(racedLinks.succeed().contains("links: all well"));
    }

    @Test
    void shouldUseOnlyEarlierFoldersAndNoCircleWhenAFileCallsAnother() throws Exception {
        try (Jobs jobs = new Jobs()) {
            String output = jobs.start(List.of("ctest", "--test-dir", NativeBuild.program("").toString(),
                "--output-on-failure", "-R", "^folders")).succeed();
            assertTrue(output.contains("100% tests passed, 0 tests failed out of 3"), output);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shm"})
    void shouldReadAndWriteMemoryOfOthersThroughLibfabric(String provider) throws Exception {
        assumeTrue(Files.exists(NativeBuild.fabric()), "libfabric-dev was missing when the C client was built");
        try (Jobs jobs = new Jobs()) {
            assertTrue(jobs.start(List.of(NativeBuild.fabric().toString(), provider)).succeed()
                .contains("fabric: all well"));
        }
    }

    @Test
    void shouldAskLibfabricForAnAddressWhenTheProviderKnowsIt() throws Exception {
        assumeTrue(Files.exists(NativeBuild.fabric()), "libfabric-dev was missing when the C client was built");
        try (Jobs jobs = new Jobs()) {
            assertTrue(jobs.start(List.of(NativeBuild.fabric().resolveSibling("finding").toString())).succeed()
                .contains("finding: all well"));
        }
    }

    @Test
    void shouldPassItsOwnChecks() throws Exception {
        assertTrue(unit.succeed().contains("all well"));
    }

    @Test
    void shouldLayOutSharedMemoryAsJavaDoes() throws Exception {
        StringBuilder expected = new StringBuilder();
        for (int size = 1; size <= 9; size++) {
            CollectiveLayout layout = new CollectiveLayout(size, 1000);
            expected.append("inbox.%d %d %d %d %d %d%n".formatted(size, layout.rounds(), layout.bytes(),
                layout.flagOffset(layout.rounds() - 1, 3, 1), layout.chunkOffset(0, 1, 0),
                layout.ackOffset(layout.rounds() - 1, 1)));
        }
        for (long segment = 0; segment < 5; segment++) {
            long id = segment << 32 | segment;
            expected.append("lock.%d %d %d%n".formatted(segment, AccumulateLocks.lockOf(id, 0),
                AccumulateLocks.lockOf(id, 123456789)));
        }
        for (int capacity = 1; capacity < 2000; capacity = 3 * capacity + 1) {
            expected.append("notify.%d %d %d %d%n".formatted(capacity, NotifyTable.bytes(capacity),
                slotOf(7, capacity), slotOf(123_456, capacity)));
        }
        assertEquals(expected.toString(), outputOf("layout"));
    }

    /** Where an empty table counts a source. */
    private static long slotOf(int source, int capacity) {
        MemorySegment memory = MemorySegment.ofArray(new long[(int) NotifyTable.bytes(capacity) / Long.BYTES]);
        assertTrue(new NotifyTable(memory, capacity).add(source));
        return memory.mismatch(MemorySegment.ofArray(new byte[(int) memory.byteSize()])) / NotifyTable.ENTRY_BYTES;
    }

    @ParameterizedTest
    @ValueSource(strings = {"records", "kernel-keys"})
    void shouldMakeWhatJavaMakesOfASecret(String what) throws Exception {
        // made and read by RecordsTest and KernelTlsTest of org.tributary.wire.record as well
        Path vectors = Path.of("../wire/src/test/resources/org/tributary/wire", what + ".txt");
        List<String> expected = Files.readAllLines(vectors).stream().filter(line -> !line.startsWith("#")).toList();
        assertEquals(expected, outputOf(what).lines().toList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "4 collective.chunk=33000 cooperation.mode=aggregate", "2,2,3*1 collective.chunk=1m",
        "1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2 cooperation.groups=0-3;4-25 notify.max-sources=77",
        "cyclic:4(x2),3 collective.chunk=1m", "map:0,1,0,1", "map:2*0,2*1,0,1,1",
        "map:1,0,0,1,2*2,3,3,2,3,1,1,0,2,2,0,3,2,0",
        "1024*12,7 cooperation.group-size=32 cooperation.reorder-floating-point=yes cooperation.channel-bytes=1024k"})
    void shouldCompareWhatJavaComparesWhenItConnects(String job) throws Exception {
        List<String> words = List.of(job.split(" "));
        List<String> arguments = new ArrayList<>(List.of("agreement"));
        arguments.addAll(words);
        Settings.Builder settings = Settings.builder();
        words.subList(1, words.size()).forEach(settings::set);
        assertEquals(Agreement.of(settings.build(), Topology.parse(words.getFirst())).toString(),
            outputOf(arguments.toArray(String[]::new)));
    }

    /** Without providers of network.fabric, which only Java refuses beside others: ranks in C use none. */
    @Test
    void shouldRefuseTheSameSettingsAsJavaWhenTwoComeTogether() throws Exception {
        List<String> assignments = List.of("cooperation.group-size=0", "cooperation.group-size=2",
            "cooperation.groups=consecutive", "cooperation.groups=0;1", "cooperation.channel-bytes=64k",
            "cooperation.channel-bytes=128k", "cooperation.bulk-threshold=0", "cooperation.bulk-threshold=16k",
            "cooperation.bulk-threshold=16385", "cooperation.bulk-threshold=1g", "cooperation.mode=none",
            "cooperation.mode=combine", "cooperation.scope=node", "cooperation.direct-connections=0",
            "cooperation.reorder-floating-point=yes", "network.encryption=aes-gcm", "network.encryption=ktls",
            "network.fabric=none", "network.fabric=auto", "collective.chunk=16m", "client.buffer=4k",
            "socket.buffer=1g", "notify.max-sources=1", "wait.preset=dedicated", "wait.spin=0", "attach.timeout=1ms",
            "connect.timeout=1h", "connection.silence-timeout=24h", "job.on-failure=throw", "shm.directory=/tmp");
        List<String> arguments = new ArrayList<>(List.of("pairs"));
        arguments.addAll(assignments);
        String expected = assignments.stream().flatMap(one -> assignments.stream()
            .map(other -> one + " " + other + (areTaken(one, other) ? " good\n" : " bad\n")))
            .collect(Collectors.joining());
        assertTrue(expected.contains(" bad\n"), expected);
        assertEquals(expected, outputOf(arguments.toArray(String[]::new)));
    }

    private static boolean areTaken(String... assignments) {
        Settings.Builder settings = Settings.builder();
        List.of(assignments).forEach(settings::set);
        try {
            settings.build();
            return true;
        } catch (ConfigException e) {
            return false;
        }
    }

    @Test
    void shouldReadLayoutsAsJavaDoes() throws Exception {
        List<String> layouts = List.of("1", "2*4,4(x3),1", " 3 , 2 * 2", "cyclic:2*4", "cyclic ( 2 ): 2*4",
            "cyclic(9):2*4", "cyclic:1,5", "cyclic(3):7,2,5", "map:0,1,0,1", "map:1,0", "map:3*0,2*1,0", "map:0,1,1,0",
            "map:2147483646*0,1",
            "", "0", "2*0", "0*2", "-1", "+3", "a", "2*", "*2", "1,,2", "1,", "2*3*4", "65536*65536", "99999999999",
            "4(x0)", "4(2)", "4(x2)(x3)", "4(x2", "x2)", "plane:2*4", ":2*4", "cyclic2*4", "cyclic:", "cyclic(0):2*4",
            "cyclic(x):2*4", "cyclic():2*4", "cyclic(2:2*4", "cyclic(2)3:2*4", "cyclic:2:3", "map:", "map:a",
            "map:0,-1",
            "map:0*1", "map:0,2", "map:1", "map:3*0,2147483647", "map:2147483647*0,1", "map:0(x2)", "MAP:0");
        List<String> arguments = new ArrayList<>(List.of("topologies"));
        arguments.addAll(layouts);
        assertEquals(layouts.stream().map(UnitTest::read).toList(),
            outputOf(arguments.toArray(String[]::new)).lines().toList());
    }

    private static String read(String layout) {
        try {
            return Topology.parse(layout).toString();
        } catch (ConfigException e) {
            return e.getMessage();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cyclic:5*3", "cyclic(2):3,1,2,2,1,4,1,2,2,3", "map:6,2*0,1,3,3,2,4,1,0,5,2,6,4,0,3",
        "cyclic:500*20"})
    void shouldTakeTheRoutesThatJavaTakesWhenRanksAreNotInBlockOrder(String layout) throws Exception {
        int nodes = Topology.parse(layout).nodeCount();
        assertSameRoutes(layout, List.of("cooperation.group-size=2", "cooperation.group-size=3",
            "cooperation.groups=0-1,4;2-3" + (nodes == 5 ? "" : ";5-" + (nodes - 1))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "2*1", "4*1", "3,1,2,2,1,4,1,2,2,3", "7*2", "16*3", "5*1,3*4,9*2", "1024*12",
        "50000*20"})
    void shouldTakeTheRoutesThatJavaTakesWhenNodesAreConsecutive(String layout) throws Exception {
        int nodes = Topology.parse(layout).nodeCount();
        List<String> groups = IntStream.of(0, 1, 2, 3, 5, nodes / 2, nodes).distinct()
            .filter(size -> size <= Math.min(nodes, 1024)) // larger groups take Java long to check
            .mapToObj(size -> "cooperation.group-size=" + size).toList();
        assertSameRoutes(layout, groups);
    }

    @Test
    void shouldTakeTheRoutesThatJavaTakesWhenGroupsAreMapped() throws Exception {
        assertSameRoutes("3,1,2,2,1,4,1,2,2,3", List.of("cooperation.groups=0-3;4-7;8,9",
            "cooperation.groups=9, 0;8,1 ; 7,2;6,3;5,4", "cooperation.groups=0,5;1;2 - 4;6-9",
            "cooperation.groups=1-9;0", "cooperation.groups=0;1;2;3;4;5;6;7;8;9", "cooperation.groups=9,0-8"));
    }

    private static void assertSameRoutes(String layout, List<String> groups) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("routes", layout));
        StringBuilder expected = new StringBuilder();
        for (String group : groups) {
            for (String scope : List.of("process", "node")) {
                arguments.addAll(List.of(group, "cooperation.scope=" + scope));
                expected.append(group).append(' ').append(scope).append('\n');
                appendRoutes(expected, Topology.parse(layout), Settings.builder().set(group)
                    .set("cooperation.scope=" + scope).set("cooperation.mode=forward")
                    .set("cooperation.channel-bytes=70001").set("cooperation.server-bytes=1024g").build());
            }
        }
        assertEquals(expected.toString(), outputOf(arguments.toArray(String[]::new)));
    }

    private static void appendRoutes(StringBuilder expected, Topology topology, Settings settings) {
        CooperationOptions options = CooperationOptions.of(settings, topology);
        Routes routes = new Routes(options, topology);
        expected.append(!routes.cooperates() ? Integer.MAX_VALUE
            : options.maxForwarded() - Frames.MAX_FORWARDED_OVERHEAD).append('\n');
        for (int rank = 0; rank < topology.rankCount(); rank += topology.rankCount() / 40 + 1) {
            expected.append(rank).append(':');
            for (int node = 0; node < topology.nodeCount(); node += topology.nodeCount() / 40 + 1) {
                expected.append(' ').append(routes.firstHop(rank, node));
            }
            expected.append('\n');
        }
    }
}

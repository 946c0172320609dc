package org.tributary.launcher.bind;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.CooperationMode;
import org.tributary.config.Settings;
import org.tributary.server.LoopCount;

class BindingTest {
    private static final IntUnaryOperator ONE = cores -> 1;
    /** Of a core. */
    private static final int THREADS = 2;

    @TempDir
    private Path root;

    @Test
    void shouldFindCoresOfTwoThreadsWhenTheKernelNamesThem() throws IOException {
        twoNumaNodesOfTwoCores("0-7", "0.50");
        Processors found = Processors.read(root);
        assertEquals(List.of("0,4", "1,5", "2,6", "3,7"),
            found.cores().stream().map(core -> Processors.format(core.threads())).toList());
        assertEquals(List.of(0, 0, 1, 1), found.cores().stream().map(Processors.Core::numaNode).toList());
        assertEquals(0.5, found.load());
    }

    @Test
    void shouldKeepToAllowedProcessorsWhenThereIsACpuset() throws IOException {
        twoNumaNodesOfTwoCores("1,2", "0");
        assertEquals(List.of("1", "2"), Processors.read(root).cores().stream()
            .map(core -> Processors.format(core.threads())).toList());
    }

    @Test
    void shouldTakeEachProcessorForACoreWhenTheMachineTellsNothing() throws IOException {
        write("proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-2\n");
        write("proc/loadavg", "1.00 2.00 3.00 1/2 3\n");
        assertEquals(3, Processors.read(root).cores().size());
        assertEquals(1, Processors.read(root).numaNodeCount());
    }

    @Test
    void shouldLeaveTheRestToServersWhenBoundToCores() throws IOException {
        twoNumaNodesOfTwoCores("0-7", "0");
        Binding binding = Binding.of(BindPolicy.CORE, 3, 1, ONE, Processors.read(root));
        assertEquals(List.of("0,4", "1,5", "2,6"), ranks(binding, 3));
        assertEquals("3,7", Processors.format(binding.servers()));
        Binding full = Binding.of(BindPolicy.CORE, 4, 1, ONE, Processors.read(root));
        assertEquals("3,7", ranks(full, 4).getLast());
        assertTrue(full.servers().isEmpty());
    }

    @Test
    void shouldSpreadRanksOverNodesWhenBoundToNumaNodes() throws IOException {
        twoNumaNodesOfTwoCores("0-7", "0");
        Binding binding = Binding.of(BindPolicy.NUMA, 2, 1, ONE, Processors.read(root));
        assertEquals(List.of("0-1,4-5", "0-1,4-5"), ranks(binding, 2));
        assertEquals(List.of("0-1,4-5", "0-1,4-5", "2,6"),
            ranks(Binding.of(BindPolicy.NUMA, 3, 1, ONE, Processors.read(root)), 3));
        assertEquals("3,7", Processors.format(binding.servers()));
        assertEquals(List.of("0-1,4-5", "0-1,4-5", "2-3,6-7", "2-3,6-7"),
            ranks(Binding.of(BindPolicy.NUMA, 4, 1, ONE, Processors.read(root)), 4));
    }

    @Test
    void shouldBindOnlyWhereThereIsRoomWhenNobodySays() throws IOException {
        twoNumaNodesOfTwoCores("0-7", "0.9");
        assertTrue(auto(3, 1).startsWith("each rank is bound to a NUMA node, servers to processors 3,7"));
        assertEquals("ranks are not bound: 4 ranks and 1 servers have 4 cores", auto(4, 1));
        twoNumaNodesOfTwoCores("0-7", "1.2");
        assertEquals("ranks are not bound: others use 1.2 of 4 cores", auto(3, 1));
        twoNumaNodesOfTwoCores("0,1,4,5", "0");
        assertEquals("ranks are not bound: the machine has one NUMA node", auto(1, 1));
    }

    @Test
    void shouldBindNobodyWhenThereAreMoreRanksThanCores() throws IOException {
        twoNumaNodesOfTwoCores("0-7", "0");
        Binding binding = Binding.of(BindPolicy.CORE, 5, 1, ONE, Processors.read(root));
        assertEquals("ranks are not bound: 5 ranks have 4 cores", binding.explanation());
        assertTrue(binding.rank(4).isEmpty() && binding.servers().isEmpty());
        assertTrue(binding.isLessThan(BindPolicy.CORE) && binding.isLessThan(BindPolicy.NUMA));
        assertFalse(binding.isLessThan(BindPolicy.AUTO) || binding.isLessThan(BindPolicy.NONE));
        Binding full = Binding.of(BindPolicy.CORE, 4, 1, ONE, Processors.read(root));
        assertTrue(full.isLessThan(BindPolicy.CORE) && !full.isLessThan(BindPolicy.AUTO), full.explanation());
        assertFalse(Binding.of(BindPolicy.CORE, 3, 1, ONE, Processors.read(root)).isLessThan(BindPolicy.CORE));
    }

    @ParameterizedTest
    @CsvSource({"100, 1, 8", "120, 1, 8", "124, 1, 4", "127, 1, 1", "96, 2, 8", "96, 4, 4", "120, 8, 1", "1, 1, 8"})
    void shouldHaveACoreForEachEventLoopWhenBound(int ranks, int servers, int loops) {
        IntUnaryOperator automatic = cores -> LoopCount.of(Settings.defaults(), CooperationMode.NONE, 2,
            new LoopCount.Room(cores, ranks, servers, () -> 0));
        for (BindPolicy policy : List.of(BindPolicy.AUTO, BindPolicy.NUMA, BindPolicy.CORE)) {
            Binding binding = Binding.of(policy, ranks, servers, automatic, of128Cores());
            assertEquals(loops, binding.loops());
            int left = binding.servers().cardinality() / THREADS;
            assertTrue(left >= servers * loops, left + " cores for " + binding.explanation());
            for (int rank = 0; rank < ranks; rank++) {
                assertFalse(binding.servers().intersects(binding.rank(rank)), binding.explanation());
            }
        }
    }

    @Test
    void shouldKeepToOneLoopWhenRanksHaveAllCores() {
        IntUnaryOperator automatic = cores -> LoopCount.of(Settings.defaults(), CooperationMode.NONE, 2,
            new LoopCount.Room(cores, 128, 1, () -> 0));
        for (BindPolicy policy : BindPolicy.values()) {
            Binding full = Binding.of(policy, 128, 1, automatic, of128Cores());
            assertEquals(1, full.loops());
            assertFalse(full.explanation().contains("event loops"), full.explanation());
        }
    }

    @Test
    void shouldGiveLoopsWhatIsLeftWhenMoreAreSetThanThereAreCores() {
        Binding binding = Binding.of(BindPolicy.NUMA, 125, 1, cores -> 8, of128Cores());
        assertEquals(8, binding.loops());
        assertEquals("125-127,253-255", Processors.format(binding.servers()));
        assertTrue(binding.explanation().endsWith("servers to processors 125-127,253-255, which are too few for a core"
            + " for each event loop, each server has 8 event loops"), binding.explanation());
        assertEquals("ranks are not bound: as asked, each server has 8 event loops",
            Binding.of(BindPolicy.NONE, 125, 1, cores -> 8, of128Cores()).explanation());
    }

    @ParameterizedTest
    @CsvSource({"124, 2, 2, false", "125, 2, 2, true", "124, 1, 5, true", "126, 2, 1, false", "127, 2, 1, true"})
    void shouldSaySoWhenSomeEventLoopsHaveNoCore(int ranks, int servers, int loops, boolean isLess) {
        for (BindPolicy policy : List.of(BindPolicy.NUMA, BindPolicy.CORE)) {
            Binding binding = Binding.of(policy, ranks, servers, cores -> loops, of128Cores());
            assertEquals(isLess, binding.isLessThan(policy), binding.explanation());
            assertEquals(isLess, binding.explanation().contains("too few"), binding.explanation());
            assertFalse(binding.isLessThan(BindPolicy.AUTO));
        }
    }

    /** Two NUMA nodes of 64 cores each, of two threads. */
    private static Processors of128Cores() {
        return new Processors(IntStream.range(0, 128).mapToObj(core -> {
            BitSet threads = new BitSet();
            threads.set(core);
            threads.set(core + 128);
            return new Processors.Core(threads, core / 64);
        }).toList(), 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "0-3", "1,3-4,8"})
    void shouldBeTheSameListWhenParsedAndFormatted(String list) {
        assertEquals(list, Processors.format(Processors.parse(list + "\n")));
    }

    @Test
    void shouldRunThereWhenStartedOnAProcessor() throws Exception {
        BitSet allowed = new BitSet();
        for (Processors.Core core : Processors.read(Path.of("/")).cores()) {
            allowed.or(core.threads());
        }
        BitSet last = new BitSet();
        last.set(allowed.length() - 1);
        assertEquals(Processors.format(last), allowedOf(last));
        assertEquals(Processors.format(allowed), allowedOf(new BitSet()), "the next one is as free as before");
    }

    private static String allowedOf(BitSet cpus) throws Exception {
        Process process = Affinity.start(new ProcessBuilder("grep", "Cpus_allowed_list", "/proc/self/status"), cpus);
        String line = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor());
        return line.substring(line.indexOf(':') + 1).strip();
    }

    private String auto(int ranks, int servers) throws IOException {
        return Binding.of(BindPolicy.AUTO, ranks, servers, ONE, Processors.read(root)).explanation();
    }

    private static List<String> ranks(Binding binding, int count) {
        return IntStream.range(0, count).mapToObj(rank -> Processors.format(binding.rank(rank))).toList();
    }

    private void twoNumaNodesOfTwoCores(String allowed, String load) throws IOException {
        write("proc/self/status", "Name:\tx\nCpus_allowed_list:\t" + allowed + "\n");
        write("proc/loadavg", load + " 2.00 3.00 1/2 3\n");
        for (int cpu = 0; cpu < 8; cpu++) {
            write("sys/devices/system/cpu/cpu" + cpu + "/topology/thread_siblings_list",
                cpu % 4 + "," + (cpu % 4 + 4) + "\n");
        }
        write("sys/devices/system/node/node0/cpulist", "0-1,4-5\n");
        write("sys/devices/system/node/node1/cpulist", "2-3,6-7\n");
    }

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }
}

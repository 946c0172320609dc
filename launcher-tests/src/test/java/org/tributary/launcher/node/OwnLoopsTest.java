package org.tributary.launcher.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.launcher.bind.LinkSpeed;

class OwnLoopsTest {
    private static final Settings AUTOMATIC = Settings.builder().set("server.bind-address=127.0.0.1").build();
    private static final int CORES = 128;

    @ParameterizedTest
    @CsvSource({"8, 8", "120, 8", "124, 4", "127, 1", "128, 1"})
    void shouldLeaveCoresToTheRanksOfTheNodeWhenAJobScriptStartsIt(int ranks, int loops) {
        assertEquals(loops, loops(Topology.uniform(4, ranks), List.of(), 1));
    }

    @Test
    void shouldShareTheCoresWhenAProcessHasSeveralServers() {
        assertEquals(8, loops(Topology.uniform(4, 8), List.of(), 2));
        assertEquals(5, loops(Topology.uniform(4, 8), List.of(), 3));
        assertEquals(1, loops(Topology.uniform(1000, 1), List.of(), 999));
    }

    @Test
    void shouldShareTheCoresWhenOtherServersListenOnTheSameHost() {
        List<String> onTwo = List.of("a:1", "a:2", "b:1", "b:2");
        assertEquals(6, loops(Topology.uniform(4, 58), onTwo, 1));
        assertEquals(1, loops(Topology.uniform(4, 64), onTwo, 1), "64 ranks of the other node, too");
        List<String> onFour = IntStream.range(0, 4).mapToObj(node -> "[fe80::" + node + "]:7411").toList();
        assertEquals(8, loops(Topology.uniform(4, 8), onFour, 1));
    }

    @Test
    void shouldTellInOneLineWhenMoreAreSetThanThereAreProcessors() {
        Settings eight = Settings.builder().set("server.threads=8").build();
        assertNull(OwnLoops.problem(eight, 1, 8));
        assertNull(OwnLoops.problem(Settings.builder().set("server.threads=1").build(), 1000, 2));
        String problem = OwnLoops.problem(eight, 2, 8);
        assertTrue(problem.startsWith("server.threads = 8 for each of 2 servers, and this process may run on 8"
            + " processors: "), problem);
        assertTrue(OwnLoops.problem(eight, 1, 1).startsWith("server.threads = 8, and this process may run on 1"
            + " processor: "));
    }

    @Test
    void shouldTellNothingWhenTheSettingHasNoEffect() {
        Settings cooperating = Settings.builder().set("server.threads=8").set("cooperation.mode=forward").build();
        Settings decided = OwnLoops.decided(job(Topology.uniform(2, 1), List.of()), 1, cooperating, List::of);
        assertEquals(1, decided.serverThreads());
        assertNull(OwnLoops.problem(decided, 1, 2));
    }

    @Test
    void shouldHaveWhatIsSetWhenNodesOnlySeemToCooperate() {
        Settings alone = Settings.builder().set("server.threads=8").set("cooperation.mode=forward")
            .set("cooperation.group-size=1").build();
        JobEnvironment job = job(Topology.uniform(2, 1), List.of());
        assertEquals(8, OwnLoops.decided(job, 1, alone, List::of).serverThreads());
    }

    @Test
    void shouldSayHowManyAServerHereWouldHaveAndWhyWhenThereIsNoJob() {
        assertEquals("8: 128 cores, one loop for each 8, at most 8; the speed of the network is not known; fewer where"
            + " ranks leave fewer cores, or there are more servers on a machine", described("job.grace=1s", 128, 0));
        assertEquals("4: a network of 100000 Mbit/s, one loop for each 25000; fewer where ranks leave fewer cores, or"
            + " there are more servers on a machine", described("job.grace=1s", 128, 100_000));
        assertEquals("1: 8 cores, one loop for each 8", described("job.grace=1s", 8, 100_000));
        assertEquals("3: server.threads", described("server.threads=3", 8, 0));
        assertEquals("1: nodes cooperate (cooperation.mode)", described("cooperation.mode=forward", 128, 0));
        assertEquals("1: requests go by channels (fabric.channels)", described("fabric.channels=8", 128, 0));
    }

    private static String described(String setting, int cores, long mbit) {
        return LoopsHere.describe(Settings.builder().set("server.bind-address=127.0.0.1").set(setting).build(),
            new OwnLoops.Machine(() -> cores, address -> mbit));
    }

    /** The way to the others is over loopback here, and to the rest of the world it is not. */
    @Test
    void shouldAskForTheNetworkOfTheOthersWhenAJobScriptSaysWhereTheyListen() {
        OwnLoops.Machine machine = new OwnLoops.Machine(() -> CORES,
            address -> address.isLoopbackAddress() ? 100_000 : 1_000);
        List<InetSocketAddress> others = List.of(new InetSocketAddress("127.0.0.2", 7411));
        JobEnvironment job = job(Topology.uniform(2, 8), List.of("127.0.0.1:7411", "127.0.0.2:7411"));
        assertEquals(4, OwnLoops.decided(job, 1, Settings.defaults(), () -> others, machine).serverThreads());
    }

    private static int loops(Topology topology, List<String> servers, int nodes) {
        OwnLoops.Machine machine = new OwnLoops.Machine(() -> CORES, LinkSpeed::mbit);
        return OwnLoops.decided(job(topology, servers), nodes, AUTOMATIC, List::of, machine).serverThreads();
    }

    private static JobEnvironment job(Topology topology, List<String> servers) {
        JobEnvironment.Builder job = JobEnvironment.builder().jobId("loops").secret(new byte[32]).topology(topology)
            .node(0);
        return (servers.isEmpty() ? job.serversFile(Path.of("/none/yet")) : job.servers(servers)).build();
    }
}

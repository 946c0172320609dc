package org.tributary.launcher.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.tributary.config.JvmOptions;
import org.tributary.config.Topology;

class JavaCommandTest {
    @Test
    void shouldHaveRequiredOptionsWhenServerOrRank() {
        List<String> server = JavaCommand.server(Topology.of(2, 2));
        // The manifest of the distribution's jar has those of a server.
        assertTrue(server.contains("-jar") || server.containsAll(JvmOptions.required()), server::toString);
        List<String> rank = JavaCommand.rank(Libraries.RANK, "my.Main", "classes", List.of("-Xmx2g"));
        assertTrue(rank.containsAll(JvmOptions.required()));
        assertEquals("my.Main", rank.getLast());
        assertTrue(rank.get(rank.size() - 2).endsWith(":classes"));
    }

    @Test
    void shouldSizeTheHeapToTheJobWhenItIsAServers() {
        assertTrue(JavaCommand.server(Topology.of(2, 2)).contains("-Xmx128m"));
        assertTrue(JavaCommand.server(Topology.parse("100*100")).contains("-Xmx382m"));
        List<String> server = JavaCommand.server(Topology.parse("1000*64"));
        long sizes = server.stream().filter(option -> option.startsWith("-Xmx")).count();
        assertTrue(server.lastIndexOf("-Xmx2097m") > server.indexOf("-Xmx1g") && sizes == 2, server::toString);
    }

    @Test
    void shouldSizeTheHeapToAllOfItsNodesWhenItServesSeveral() {
        Topology topology = Topology.parse("64*16");
        List<String> server = JavaCommand.server(topology);
        assertEquals(server, JavaCommand.ofNodes(server, topology, 5, 6));
        List<String> several = JavaCommand.ofNodes(server, topology, 16, 32);
        // 16 nodes, to each of which 1024 ranks, 16 more of its own and 64 servers may connect.
        assertEquals(server.lastIndexOf("-Xmx128m"), several.lastIndexOf("-Xmx616m"));
        assertEquals("16", several.getLast());
        assertEquals(server.size() + 1, several.size());
        assertTrue(JavaCommand.ofNodes(server, Topology.parse("64*1"), 0, 16).contains("-Xmx128m"));
        assertEquals(List.of("true", "3"), JavaCommand.ofNodes(List.of("true"), topology, 0, 3));
    }

    @Test
    void shouldWakeRarelyWhenIdleOnTheJdkWhoseOptionsWeKnow() {
        String option = "-XX:AsyncDeflationInterval=30000";
        assertEquals(Runtime.version().feature() == 25,
            JavaCommand.rank(Libraries.RANK, "m.M", "", List.of()).contains(option));
        List<String> server = JavaCommand.server(Topology.of(2, 2));
        assertTrue(server.contains(option) && server.contains("-XX:+IgnoreUnrecognizedVMOptions"), server::toString);
    }

    @Test
    void shouldHaveTheSecondCompilerBeginLateUnlessUserSaysOtherwise() {
        String option = "-XX:Tier4BackEdgeThreshold=";
        List<String> rank = JavaCommand.rank(Libraries.RANK, "m.M", "", List.of(option + "40000"));
        assertEquals(Runtime.version().feature() == 25, rank.contains(option + "1000000"));
        assertTrue(rank.indexOf(option + "40000") > rank.indexOf(option + "1000000"), rank::toString);
        assertTrue(JavaCommand.server(Topology.of(2, 2)).contains(option + "1000000"));
    }

    @Test
    void shouldLeaveOwnCollectorOutWhenUserNamesOne() {
        assertTrue(JavaCommand.rank(Libraries.RANK, "m.M", "", List.of()).contains("-XX:+UseSerialGC"));
        assertFalse(JavaCommand.rank(Libraries.RANK, "m.M", "", List.of("-XX:+UseZGC")).contains("-XX:+UseSerialGC"));
    }
}

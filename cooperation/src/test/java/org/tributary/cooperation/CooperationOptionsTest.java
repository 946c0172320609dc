package org.tributary.cooperation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.tributary.config.ConfigException;
import org.tributary.config.CooperationMode;
import org.tributary.config.Settings;
import org.tributary.config.Topology;

class CooperationOptionsTest {
    @Test
    void shouldRefuseGroupSizeWhenAboveNumberOfNodes() {
        assertEquals(List.of("cooperation.group-size = 5 is outside 1 to 4, the number of nodes"),
            problems(Topology.uniform(4, 2), "cooperation.group-size=5"));
    }

    @Test
    void shouldReportEveryProblemWhenMapIsWrong() {
        String map = "0-1;2,2;3-9;x;5-4";
        assertEquals(List.of("'3-9' names an unknown node; nodes are 0 to 4",
                "'x' is neither a node nor a range of nodes",
                "'5-4' ends before it begins", "node 2 is named 2 times", "node 3 is in no group",
                "node 4 is in no group").stream().map(text -> "cooperation.groups = " + map + ": " + text).toList(),
            problems(Topology.uniform(5, 1), "cooperation.groups=" + map));
    }

    @Test
    void shouldRefuseWhenReceiveRingsExceedServer() {
        List<String> problems = problems(Topology.uniform(1024, 12), "cooperation.mode=forward",
            "cooperation.group-size=8", "cooperation.server-bytes=32m");
        assertEquals(1, problems.size());
        assertTrue(problems.getFirst().startsWith("node 0 has 3069 receive rings of cooperation.channel-bytes = 65536, "
            + "201129984 bytes in all, more than cooperation.server-bytes = 33554432; "), problems::getFirst);
    }

    @Test
    void shouldCountRequestRingsOfOwnRanksWhenTheyUseThem() {
        Topology topology = Topology.uniform(1024, 12);
        int rings = 127 + 7 * 19 + 7 + 12; // see RoutesTest
        String[] settings = {"cooperation.mode=forward", "cooperation.group-size=8", "cooperation.scope=node",
            "cooperation.channel-bytes=1m", "cooperation.ring-bytes=1m",
            "cooperation.server-bytes=" + (rings + 12) + "m"};
        assertTrue(options(topology, settings).hasRings());
        settings[5] = "cooperation.server-bytes=" + (rings + 11) + "m";
        assertTrue(problems(topology, settings).getFirst().contains(" has " + rings
            + " receive rings of cooperation.channel-bytes = 1048576 and 12 request rings of cooperation.ring-bytes ="
            + " 1048576, "));
    }

    @Test
    void shouldChooseSquareRootWhenNoSizeGiven() {
        assertEquals(16, options(Topology.uniform(256, 4), "cooperation.mode=combine").groups().size(0));
        assertEquals(224, options(Topology.uniform(50_000, 20), "cooperation.mode=combine",
            "cooperation.scope=node").groups().count());
    }

    @Test
    void shouldBeDirectWhenGroupsHaveOneNode() {
        assertEquals(CooperationMode.NONE,
            options(Topology.uniform(4, 1), "cooperation.mode=combine", "cooperation.group-size=1").mode());
        assertEquals(CooperationMode.NONE, options(Topology.uniform(4, 1)).mode());
    }

    static CooperationOptions options(Topology topology, String... assignments) {
        Settings.Builder builder = Settings.builder();
        List.of(assignments).forEach(builder::set);
        return CooperationOptions.of(builder.build(), topology);
    }

    private static List<String> problems(Topology topology, String... assignments) {
        return assertThrows(ConfigException.class, () -> options(topology, assignments)).problems();
    }
}

package org.tributary.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopologyTest {
    @Test
    void shouldPlaceRanksNodeByNodeWhenUneven() {
        Topology topology = Topology.of(3, 2, 2);
        assertEquals(3, topology.nodeCount());
        assertEquals(7, topology.rankCount());
        assertEquals(0, topology.nodeOf(2));
        assertEquals(1, topology.nodeOf(3));
        assertEquals(2, topology.nodeOf(6));
        assertEquals(5, topology.firstRank(2));
    }

    @Test
    void shouldAnswerAtOnceWhenMillionRanks() {
        Topology topology = Topology.uniform(125_000, 8);
        assertEquals(1_000_000, topology.rankCount());
        assertEquals(124_999, topology.nodeOf(999_999));
        assertEquals("125000*8", topology.toString());
    }

    @Test
    void shouldAnswerAtOnceWhenMillionRanksAreDealt() {
        Topology topology = Topology.parse("cyclic(4):125000*8,1000*3");
        assertEquals(1_003_000, topology.rankCount());
        assertEquals(1, topology.nodeOf(7));
        assertEquals(124_999, topology.nodeOf(1_002_999));
        assertEquals(7, topology.indexOf(1_002_999));
        assertEquals(503_004, topology.rankAt(1, 4));
        assertEquals("cyclic(4):125000*8,1000*3", topology.toString());
    }

    @Test
    void shouldAnswerAtOnceWhenMillionRanksAreListed() {
        Topology topology = Topology.ofRanks(IntStream.range(0, 1_000_000).map(rank -> (999_999 - rank) / 8).toArray());
        assertEquals(125_000, topology.nodeCount());
        assertEquals(124_999, topology.nodeOf(0));
        assertEquals(999_992, topology.rankAt(0, 0));
        assertEquals(3, topology.indexOf(999_995));
    }

    @Test
    void shouldHoldRunsOnlyWhenListedRanksAreMany() {
        Topology topology = Topology.parse("map:1000000000*1,1000000000*0");
        assertEquals(2_000_000_000, topology.rankCount());
        assertEquals(1_500_000_000, topology.rankAt(0, 500_000_000));
        assertEquals("map:1000000000*1,1000000000*0", topology.toString());
    }

    @ParameterizedTest
    @CsvSource(delimiter = ' ', value = {"2*4 2*4", "3,2,2 3,2*2", "1000*12,4 1000*12,4", "1*1 1", "4,4,4 3*4",
        "4(x2),3 2*4,3", "4(x2) 2*4", "cyclic:3,2,2 cyclic:3,2*2", "cyclic(1):2*2 cyclic:2*2",
        "cyclic(2):2*4 cyclic(2):2*4",
        "cyclic:4(x2) cyclic:2*4", "cyclic:1,5 1,5", "cyclic:3*1 3*1", "cyclic(4):2*4 2*4", "cyclic(9):1,2,3 1,2,3",
        "cyclic:8 8", "map:0,0,1,1 2*2", "map:0,1,0,1 cyclic:2*2", "map:2*0,2*1,0,1,1 cyclic(2):3,4", "map:1,0 map:1,0",
        "map:2*0,1,2*0 cyclic(2):4,1", "map:0,1,1,0 map:0,2*1,0", "map:0,0,0 3", "map:0,1,2,2,1,0 map:0,1,2*2,1,0"})
    void shouldWriteShortestFormWhenParsed(String text, String canonical) {
        assertEquals(canonical, Topology.parse(text).toString());
        assertEquals(Topology.parse(canonical), Topology.parse(text));
    }

    @Test
    void shouldReadAroundSpacesWhenTheyAreBetweenWords() {
        assertEquals(Topology.parse("cyclic(2):2*4,3"), Topology.parse(" cyclic ( 2 ) : 2 * 4 , 3 "));
        assertEquals(Topology.parse("map:2*0,1,0"), Topology.parse("map : 2 * 0 , 1 , 0"));
        assertEquals(Topology.parse("2*4,3"), Topology.parse(" 4 ( x 2 ) , 3"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"''|'' is not a number", "0|one rank, not 0", "2*0|one rank, not 0",
        "0*2|one node, not 0", "-1|one rank, not -1", "a|'a' is not a number", "2*|'' is not a number",
        "*2|'' is not a number", "1,,2|'' is not a number", "1,|'' is not a number", "2*3*4|'3*4' is not a number",
        "65536*65536|the limit is 2147483647", "2147483647*1,2147483647*2|the limit is 2147483647",
        "99999999999|'99999999999' is not a number", "4(x0)|one node, not 0", "4(2)|'4(2)' is not a number",
        "4(x2)(x3)|'4(x2)' is not a number", "plane:2*4|it begins with 'plane:'", ":2*4|it begins with ':'",
        "cyclic2*4|'cyclic2' is not a number", "cyclic:|'' is not a number", "cyclic:2*0|one rank, not 0",
        "cyclic(0):2*4|at least one rank at a time, not 0", "cyclic(x):2*4|'x' is not a number",
        "cyclic():2*4|'' is not a number", "cyclic(2:2*4|it begins with 'cyclic(2:'",
        "cyclic:65536*65536|the limit is 2147483647", "map:|'' is not a number", "map:a|'a' is not a number",
        "map:0,-1|rank 1 is on node -1", "map:0*1|run of 0 ranks",
        "map:0,2|node 1 has no rank, but rank 1 is on node 2",
        "map:1|node 0 has no rank, but rank 0 is on node 1", "map:3*0,2147483647|node 1 has no rank",
        "map:2147483647*0,1|the limit is 2147483647", "map:0(x2)|'0(x2)' is not a number",
        "MAP:0|it begins with 'MAP:'"})
    void shouldSayWhatIsWrongWhenNotALayout(String text, String problem) {
        List<String> problems = assertThrows(ConfigException.class, () -> Topology.parse(text)).problems();
        assertEquals(1, problems.size());
        assertTrue(problems.getFirst().startsWith("layout '" + text + "': ")
            && problems.getFirst().contains(problem), problems.getFirst());
    }

    @Test
    void shouldShortenMessageWhenLayoutIsLong() {
        String message = assertThrows(ConfigException.class, () -> Topology.parse("1,".repeat(50_000))).getMessage();
        assertTrue(message.length() < 600, message);
        assertEquals(203, Topology.parse("1,2,".repeat(50_000) + "1").shortened().length());
    }

    @Test
    void shouldNameRankAndNodeWhenListIsWrong() {
        assertEquals("rank 2 is on node -1; nodes are numbered from 0",
            assertThrows(ConfigException.class, () -> Topology.ofRanks(0, 1, -1)).getMessage());
        assertEquals("node 1 has no rank, but rank 1 is on node 3; nodes are numbered from 0, and each has at least one"
            + " rank", assertThrows(ConfigException.class, () -> Topology.ofRanks(0, 3, 2)).getMessage());
        assertEquals("a job needs at least one rank",
            assertThrows(ConfigException.class, Topology::ofRanks).getMessage());
    }

    @Test
    void shouldRefuseWhenRankOrNodeOutOfRange() {
        for (Topology topology : List.of(Topology.uniform(2, 2), Topology.parse("cyclic:2*2"),
            Topology.ofRanks(1, 0, 0, 1))) {
            assertThrows(IndexOutOfBoundsException.class, () -> topology.nodeOf(4));
            assertThrows(IndexOutOfBoundsException.class, () -> topology.nodeOf(-1));
            assertThrows(IndexOutOfBoundsException.class, () -> topology.indexOf(4));
            assertThrows(IndexOutOfBoundsException.class, () -> topology.firstRank(2));
            assertThrows(IndexOutOfBoundsException.class, () -> topology.rankCount(-1));
            assertThrows(IndexOutOfBoundsException.class, () -> topology.rankAt(0, 2));
            assertThrows(IndexOutOfBoundsException.class, () -> topology.rankAt(0, -1));
        }
    }
}

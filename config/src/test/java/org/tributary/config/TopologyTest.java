package org.tributary.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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

    @ParameterizedTest
    @CsvSource(delimiter = ' ', value = {"2*4 2*4", "3,2,2 3,2*2", "1000*12,4 1000*12,4", "1*1 1", "4,4,4 3*4"})
    void shouldWriteShortestFormWhenParsed(String text, String canonical) {
        assertEquals(canonical, Topology.parse(text).toString());
        assertEquals(Topology.parse(canonical), Topology.parse(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "2*0", "0*2", "-1", "a", "2*", "*2", "1,,2", "1,", "2*3*4", "65536*65536",
        "2147483647*1,2147483647*2", "99999999999"})
    void shouldRefuseWhenNotALayout(String text) {
        assertThrows(ConfigException.class, () -> Topology.parse(text));
    }

    @Test
    void shouldRefuseWhenRankOrNodeOutOfRange() {
        Topology topology = Topology.uniform(2, 2);
        assertThrows(IndexOutOfBoundsException.class, () -> topology.nodeOf(4));
        assertThrows(IndexOutOfBoundsException.class, () -> topology.nodeOf(-1));
        assertThrows(IndexOutOfBoundsException.class, () -> topology.firstRank(2));
        assertThrows(IndexOutOfBoundsException.class, () -> topology.rankCount(-1));
    }
}

package org.tributary.benchmarks.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.OptionalInt;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.config.Topology;

class PartnerTest {
    private static String text(OptionalInt rank) {
        return rank.isPresent() ? Integer.toString(rank.getAsInt()) : "none";
    }

    @ParameterizedTest
    @CsvSource(delimiter = ' ', value = {"2*2 1 2", "cyclic:2*2 2 1", "map:1,0,0,1 3 1", "map:1,2,0,1 3 2",
        "1,2 none 1", "3 1 none", "1 none none"})
    void shouldChooseByNodeWhenInAnyOrder(String layout, String onNode, String onOther) {
        Topology topology = Topology.parse(layout);
        assertEquals(onNode, text(Partner.onNode(topology)));
        assertEquals(onOther, text(Partner.onOtherNode(topology)));
    }
}

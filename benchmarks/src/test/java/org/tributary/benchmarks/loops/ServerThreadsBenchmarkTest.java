package org.tributary.benchmarks.loops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.tributary.benchmarks.measure.Effort;
import org.tributary.benchmarks.measure.Sample;
import org.tributary.benchmarks.results.Column;
import org.tributary.benchmarks.results.Table;
import org.tributary.miniapps.Progress;

class ServerThreadsBenchmarkTest {
    private static final int RANKS = 3;

    @Test
    void shouldCompareEachOperationByTheLoopOfItsConnection() throws IOException {
        Table table = ServerThreadsBenchmark.measure(RANKS, 1, new Effort(0, 20),
            Progress.of("test", (long) Op.values().length * RANKS, false));
        Set<String> found = table.rows().stream().map(row -> (String) row.getFirst()).collect(Collectors.toSet());
        assertEquals(Stream.of(Op.values()).map(Op::toString).collect(Collectors.toSet()), found);
        Set<Object> loops = table.rows().stream().map(row -> row.get(1)).collect(Collectors.toSet());
        assertTrue(loops.contains("other") && Set.of("main", "other").containsAll(loops), loops::toString);
    }

    @Test
    void shouldBeMediansOfPairsAndTheLongestOfAll() {
        Price price = new Price(Op.GET, "other");
        price.add(sample(1000, 1000), sample(1000, 3000));
        price.add(sample(2000, 9000), sample(2080, 3000));
        price.add(sample(4000, 5000), sample(8000, 8000));
        Table table = table();
        price.addTo(table);
        assertEquals("[[get, other, 2, 2, 9, 2.08, 2.08, 8, 1.04, 1.04, 1.040 to 1.040, <= 1.05, true]]",
            table.rows().toString());
    }

    @Test
    void shouldLeaveTheAimOpenWhenRoundsDisagree() {
        Price price = new Price(Op.GET, "main");
        price.add(sample(1000, 1000), sample(1000, 1000));
        price.add(sample(1000, 1000), sample(2000, 2000));
        Table table = table();
        price.addTo(table);
        assertEquals(null, table.rows().getFirst().getLast());
    }

    private static Table table() {
        return Table.of(null, List.of("operation", "loop", "a", "b", "c", "d", "e", "f", "g", "h", "i", "aim", "met")
            .stream().map(Column::words).toArray(Column[]::new));
    }

    private static Sample sample(long medianNs, long maxNs) {
        return new Sample(1, medianNs, maxNs, maxNs, medianNs, 0);
    }
}

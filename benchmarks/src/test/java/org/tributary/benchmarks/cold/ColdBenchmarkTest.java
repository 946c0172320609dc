package org.tributary.benchmarks.cold;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tributary.benchmarks.measure.Sample;
import org.tributary.benchmarks.results.Column;
import org.tributary.benchmarks.results.Run;
import org.tributary.benchmarks.results.Table;

class ColdBenchmarkTest {
    private static final Sample WARM = new Sample(10, 10_000, 10_000, 10_000, 100_000, 0);

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final Table table = ColdBenchmark.table();

    @Test
    void shouldPrintWhichAimsAreMetWhenAsked() throws IOException {
        ColdBenchmark.addRow(table, FirstOperation.GET, List.of(job(20, 900)));
        ColdBenchmark.addRow(table, FirstOperation.LOCK_UNLOCK, List.of(job(40, 400)));

        new Run(null, true, "cold", "shows", "command").write(new PrintStream(printed, true, StandardCharsets.UTF_8),
            List.of(table), "method");

        assertEquals(List.of("", "Aims:", "met      median <= 3.00, mean <= 10.00: first operations: operation get",
            "NOT met  median <= 3.00, mean <= 10.00: first operations: operation lock+unlock"),
            printed.toString(StandardCharsets.UTF_8).lines().map(line -> line.strip().replaceAll(", first .*", ""))
                .toList());
    }

    /** One of them was lucky, and one was not. */
    @Test
    void shouldTakeTheMedianOfTheJobsWhenTheyDiffer() {
        ColdBenchmark.addRow(table, FirstOperation.GET, List.of(job(5, 50), job(90, 900), job(40, 400)));

        assertEquals("[get, 50, 40, 40, 100, 10, 10, 10, 4, 0.50 to 9.00, 4, 0.50 to 9.00, "
            + "median <= 3.00, mean <= 10.00, false]", table.rows().getFirst().toString());
    }

    @Test
    void shouldUnderstandWhatAJobSaysWhenItHasMeasured() {
        ColdJob job = new ColdJob();
        ColdJob.Times times = job(40, 400);

        assertFalse(job.read("tributary: still waiting for the servers of nodes 0, 1"));
        assertFalse(job.read(ColdJob.line(FirstOperation.GET, false, times.first())));
        assertTrue(job.read(ColdJob.line(FirstOperation.GET, true, times.warm())));
        assertEquals(Map.of(FirstOperation.GET, times), job.times());
    }

    @Test
    void shouldCountNoRatioWhenItCannotBeWon() {
        assertEquals(List.of(), table.columns().stream().filter(column -> column.better() != null).map(Column::name)
            .toList());
    }

    /** Ten first operations. */
    private static ColdJob.Times job(long medianUs, long totalUs) {
        long longestNs = medianUs > 50 ? 100_000 : 50_000;
        return new ColdJob.Times(new Sample(10, 1_000 * medianUs, longestNs, longestNs, 1_000 * totalUs, 50_000), WARM);
    }
}

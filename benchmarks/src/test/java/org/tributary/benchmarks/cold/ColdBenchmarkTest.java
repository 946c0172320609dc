package org.tributary.benchmarks.cold;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
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
        ColdBenchmark.addRow(table, FirstOperation.GET, new Sample(10, 20_000, 30_000, 30_000, 900_000, 30_000), WARM);
        ColdBenchmark.addRow(table, FirstOperation.LOCK_UNLOCK, new Sample(10, 40_000, 50_000, 50_000, 400_000, 50_000),
            WARM);

        new Run(null, true, "cold", "shows", "command").write(new PrintStream(printed, true, StandardCharsets.UTF_8),
            List.of(table), "method");

        assertEquals(List.of("", "Aims:", "met      median <= 3.00, mean <= 10.00: first operations: operation get",
            "NOT met  median <= 3.00, mean <= 10.00: first operations: operation lock+unlock"),
            printed.toString(StandardCharsets.UTF_8).lines().map(line -> line.strip().replaceAll(", first .*", ""))
                .toList());
    }

    @Test
    void shouldCountNoRatioWhenItCannotBeWon() {
        assertEquals(List.of(), table.columns().stream().filter(column -> column.better() != null).map(Column::name)
            .toList());
    }
}

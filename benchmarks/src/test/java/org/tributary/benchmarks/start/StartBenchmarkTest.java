package org.tributary.benchmarks.start;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tributary.benchmarks.results.Run;
import org.tributary.benchmarks.results.Table;
import org.tributary.miniapps.Progress;
import picocli.CommandLine;

/** Of jobs that take 100 ms and 10 ms a node, and a launcher of 200 MiB and 10 MiB a node. */
class StartBenchmarkTest {
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
    private Table table;

    @BeforeEach
    void measure() throws Exception {
        StartBenchmark benchmark = new StartBenchmark();
        new CommandLine(benchmark).parseArgs("--repeat", "1");
        table = benchmark.measure("nodes", List.of(1, 10), nodes -> new Launcher.Cost(
            TimeUnit.MILLISECONDS.toNanos(100 + 10 * nodes), (200 + 10L * nodes) << 10),
            Progress.of("start", 2, false), out);
    }

    @Test
    void shouldTakeTheMeanOfTheMiddleTwoWhenRepeatedTwice() throws Exception {
        StartBenchmark benchmark = new StartBenchmark();
        new CommandLine(benchmark).parseArgs("--repeat", "2");
        Iterator<Long> ms = List.of(100L, 200L).iterator();

        Table twice = benchmark.measure("nodes", List.of(1), nodes ->
            new Launcher.Cost(TimeUnit.MILLISECONDS.toNanos(ms.next()), 1 << 10),
            Progress.of("start", 2, false), out);

        assertEquals(new BigDecimal("150"), twice.rows().getFirst().get(1));
    }

    private List<String> lines() {
        return printed.toString(StandardCharsets.UTF_8).lines().map(line -> line.strip().replaceAll(" +", " "))
            .toList();
    }

    @Test
    void shouldPrintTimeAndMemoryAloneWhenUsersAsk() throws Exception {
        new Run(null, false, "start", "shows", "command").write(out, List.of(table), "method");
        assertEquals(List.of("nodes nodes time launcher", "1 110 ms 210 MiB", "10 200 ms 300 MiB"), lines());
    }

    @Test
    void shouldPrintLimitsAndWhetherTheyAreMetWhenAimsAreAskedFor() throws Exception {
        new Run(null, true, "start", "shows", "command").write(out, List.of(table), "method");
        assertEquals(List.of("Aims:", "met ratio of memory <= 1.00: nodes: nodes 1 nodes, time 110 ms,"
                + " launcher 210 MiB, memory to 256 MiB 0.8203 x",
            "NOT met both ratios <= 1.00: nodes: nodes 10 nodes, time 200 ms, limit 830 ms, time to limit 0.241 x,"
                + " launcher 300 MiB, memory to 256 MiB 1.172 x"), lines().subList(4, 7));
    }
}

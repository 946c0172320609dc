package org.tributary.benchmarks.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tributary.benchmarks.results.Table;
import org.tributary.miniapps.Progress;
import picocli.CommandLine;

class ChannelsBenchmarkTest {
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);

    /** Jobs get slower from one to the next; ratios are those of jobs of the same round. */
    @Test
    void shouldCompareJobsOfTheSameRoundWhenTheMachineGetsSlower() throws Exception {
        ChannelsBenchmark benchmark = new ChannelsBenchmark();
        new CommandLine(benchmark).parseArgs("--providers", "shm", "--channels", "0,8", "--apps", "fock", "--rounds",
            "3");
        List<String> jobs = new ArrayList<>();
        Table table = benchmark.measure((kind, channels) -> {
            jobs.add(kind + " " + channels);
            int round = (jobs.size() - 1) / 2;
            return Map.of("fock", Math.pow(10, round) * (channels == 0 ? 2 : 3));
        }, Progress.of("channels", 6, false), out);
        assertEquals(List.of("shm 0", "shm 8", "shm 0", "shm 8", "shm 0", "shm 8"), jobs);
        assertEquals("[[shm, fock, 0, 20, null], [shm, fock, 8, 30, 1.5]]", table.rows().toString());
        assertEquals(List.of("shm fock 0 channels 20.000 s", "shm fock 8 channels 30.000 s, 1.50 times that of 0"),
            printed.toString(StandardCharsets.UTF_8).lines().map(line -> line.strip().replaceAll(" +", " ")).toList());
    }
}

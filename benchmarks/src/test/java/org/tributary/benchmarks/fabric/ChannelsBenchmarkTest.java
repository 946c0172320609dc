package org.tributary.benchmarks.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tributary.benchmarks.fabric.ProgramJob.Outcome;
import org.tributary.benchmarks.results.Table;
import org.tributary.client.connection.ChannelTraffic;
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
            return Map.of("fock", channels.equals("0") ? new Outcome(2 * Math.pow(10, round), ChannelTraffic.NONE)
                : new Outcome(3 * Math.pow(10, round), new ChannelTraffic(1000, 800, 50)));
        }, Progress.of("channels", 6, false), out);
        assertEquals(List.of("shm 0", "shm 8", "shm 0", "shm 8", "shm 0", "shm 8"), jobs);
        assertEquals("[[shm, fock, 0, 20, null, null, null, null], [shm, fock, 8, 30, 1.5, 3000, 80, 75]]",
            table.rows().toString());
        assertEquals(List.of("shm fock channels 0 20.000 s", "shm fock channels 8 30.000 s, 1.50 times that of 0;"
            + " of 3000 hand-overs 80.0 % by channels, 75.0 % with room at once"),
            printed.toString(StandardCharsets.UTF_8).lines().map(line -> line.strip().replaceAll(" +", " ")).toList());
    }

    @Test
    void shouldTakeTimesAndHandOversFromTheLinesOfAJob() {
        Map<String, Outcome> outcomes = new HashMap<>();
        for (String line : List.of("fock           first 1.500 s, median 0.750 s, shortest 0.700 s", "something else",
            "fock channels hand-overs of requests 100, by channels 60, of which 7 waited for room",
            "halo           first 2.000 s, median 1.250 s, shortest 1.000 s")) {
            ProgramJob.read(line, outcomes);
        }
        assertEquals(Map.of("fock", new Outcome(0.75, new ChannelTraffic(100, 60, 7)), "halo",
            new Outcome(1.25, ChannelTraffic.NONE)), outcomes);
    }
}

package org.tributary.benchmarks.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.client.Internals;
import org.tributary.client.testing.TestJob;
import org.tributary.wire.shm.Trace;
import org.tributary.wire.shm.WaitSlots;

class WatchedRankTest {
    @Test
    void shouldTellARateOfEachKindBetweenBeginAndEndWhenEachTakesAMoment() {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);

        try (TestJob job = TestJob.start(Work.LAYOUT)) {
            job.run(gas -> WatchedRank.run(gas, new Work.Batches(2, 3, 2), 1e-9, out));
        }

        assertRates(printed.toString(StandardCharsets.UTF_8).lines().toList());
    }

    @Test
    void shouldAlsoTellRatiosOfWorkInTurnsWhenItIsRecorded(@TempDir Path folder) {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);

        try (TestJob job = TestJob.start(Work.LAYOUT)) {
            job.run(gas -> {
                WaitSlots waits = Internals.access(gas).node().waits();
                Trace trace = Trace.create(folder, "job", gas.rank(), gas.node(), gas.topology().rankCount());
                waits.record(trace);
                WatchedRank.run(gas, new Work.Batches(2, 3, 2), 1e-9, out);
                assertSame(trace, waits.trace());
            });
        }

        List<String> lines = new ArrayList<>(printed.toString(StandardCharsets.UTF_8).lines().toList());
        for (Kind kind : Turns.KINDS) {
            String line = lines.remove(1 + Kind.values().length);
            String before = Work.MARK + Turns.MARK + kind.name() + " ";
            assertTrue(line.startsWith(before) && Double.parseDouble(line.substring(before.length())) > 0, line);
        }
        assertRates(lines);
    }

    private static void assertRates(List<String> lines) {
        assertEquals(2 + Kind.values().length, lines.size(), lines::toString);
        assertEquals(Work.MARK + Work.BEGIN, lines.getFirst());
        assertEquals(Work.MARK + Work.END, lines.getLast());
        for (Kind kind : Kind.values()) {
            String line = lines.get(1 + kind.ordinal());
            String before = Work.MARK + kind.name() + " ";
            assertTrue(line.startsWith(before) && Double.parseDouble(line.substring(before.length())) > 0, line);
        }
    }
}

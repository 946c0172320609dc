package org.tributary.benchmarks.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tributary.client.testing.TestJob;

class WorkTest {
    @Test
    void shouldTellARateOfEachKindBetweenBeginAndEndWhenEachTakesAMoment() {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);

        try (TestJob job = TestJob.start(Work.LAYOUT)) {
            job.run(gas -> Work.run(gas, new Work.Batches(2, 3, 2), 1e-9, out));
        }

        List<String> lines = printed.toString(StandardCharsets.UTF_8).lines().toList();
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

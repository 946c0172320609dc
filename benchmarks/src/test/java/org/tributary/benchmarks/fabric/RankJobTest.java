package org.tributary.benchmarks.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tributary.benchmarks.fabric.RankJob.Times;
import org.tributary.benchmarks.fabric.RankJob.Transfer;

class RankJobTest {
    private static String line(String operation, int bytes, double aloneUs, double rankUs) {
        return String.format(Locale.ROOT, RankTransfers.LINE, operation, bytes, aloneUs, rankUs).strip();
    }

    /** The machine gets slower: ratios are those of the same round. */
    @Test
    void shouldCompareWhatWasMeasuredTogether() {
        Map<Transfer, Times> results = new LinkedHashMap<>();
        for (String line : List.of(line(RankTransfers.GET, 64, 2, 4), line(RankTransfers.PUT, 64, 9, 9),
            line(RankTransfers.GET, 64, 20, 50), line(RankTransfers.GET, 64, 200, 400))) {
            assertTrue(RankJob.read(line, results), line);
        }
        assertFalse(RankJob.read("tributary: still waiting for the servers of nodes 0, 1", results));
        assertEquals(List.of(new Transfer(RankTransfers.GET, 64), new Transfer(RankTransfers.PUT, 64)),
            List.copyOf(results.keySet()));
        Times gets = results.get(new Transfer(RankTransfers.GET, 64));
        assertEquals(List.of(20.0, 50.0, 0.5), List.of(gets.aloneUs(), gets.rankUs(), gets.ratio()));
    }
}

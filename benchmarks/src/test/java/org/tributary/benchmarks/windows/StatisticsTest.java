package org.tributary.benchmarks.windows;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.tributary.benchmarks.measure.Reach;
import org.tributary.benchmarks.results.Column;
import org.tributary.benchmarks.results.Table;
import org.tributary.config.ConfigException;

class StatisticsTest {
    private static final Outcome OUTCOME = new Outcome(12_500, 13_000, 20_000, 70, 3, 2.5);

    @Test
    void shouldDivideByIterationsWhenBlocksAreTimed() {
        Outcome outcome = Outcome.of(new long[] {900, 700, 800, 0}, 3, 100, 600, 300);

        assertEquals(new Outcome(8, 8, 9, 300, 2, 1), outcome);
        assertEquals(3, outcome.messages());
    }

    @Test
    void shouldHideAllButWhatTheComputingEpochTakesLonger() {
        assertEquals(90, Overlap.hiddenNs(100, 110, 100));
        assertEquals(0, Overlap.hiddenNs(100, 200, 100));
        assertEquals(0, Overlap.hiddenNs(100, 250, 100), "computation that disturbs the transfer hides nothing");
        assertEquals(100, Overlap.hiddenNs(100, 95, 100), "no more than the epoch can be hidden");
    }

    @Test
    void shouldCompareWithTransferAloneWhenAskedForIt() {
        assertEquals(0.5, Overlap.ofTransfer(40, 100, 20));
        assertEquals(1, Overlap.ofTransfer(90, 100, 20));
        assertEquals(0, Overlap.ofTransfer(5, 20, 20), "nothing to hide");
    }

    @Test
    void shouldLengthenBlocksUntilTheyAreLongEnough() {
        assertEquals(2, Contest.nextBlock(1, 100, false));
        assertEquals(2_000, Contest.nextBlock(1, 100, true));
        assertEquals(5, Contest.nextBlock(1, 50_000_000, true));
        assertEquals(1 << 16, Contest.nextBlock(1 << 16, 1, true));
    }

    @Test
    void shouldSayWhetherLimitIsMetWhenThereIsOne() {
        assertTrue(Reach.atMost(1.5).isMet(1.5));
        assertFalse(Reach.atMost(1.5).isMet(1.51));
        assertTrue(Reach.atLeast(0.9).isMet(0.9));
        assertFalse(Reach.atLeast(0.9).isMet(0.89));
        assertFalse(Reach.atLeast(0.9).isMet(Double.NaN));
        assertNull(result().isMet());
    }

    @Test
    void shouldHaveExactlyTheAgreedCellsWhenWritten() {
        String common = "[AUTO, 4, 16, 70, 12.5, 13, 20, 5.5, 3, 2.5, ";
        Result compared = result().with("emptyUs", 3).comparedWith("bare", 1.6, Reach.atMost(1.5));
        Table table = Result.table(List.of(result(), compared), "w-");

        assertEquals(common + "null, null, null, null, null]", table.rows().getFirst().toString());
        assertEquals(common + "1.6, bare, <= 1.50, false, 3]", table.rows().getLast().toString());
        assertEquals("w-fence-one-put", table.plots().getFirst().name());
        assertEquals(Column.of("empty", "us"), table.columns().getLast());
    }

    @Test
    void shouldRefuseContestsWhenTheyTakeNoTimeOrTooMuch() {
        assertEquals(new Effort(1_000_000_000, 2_000_000_000), Effort.ofSeconds(3));
        for (double seconds : new double[] {0, -1, 601, Double.NaN}) {
            assertThrows(ConfigException.class, () -> Effort.ofSeconds(seconds));
        }
    }

    private static Result result() {
        return Result.of(Part.FENCE, "one put", "AUTO", 4, 16, OUTCOME);
    }
}

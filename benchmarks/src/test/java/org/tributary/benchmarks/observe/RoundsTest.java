package org.tributary.benchmarks.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tributary.benchmarks.results.Table;

class RoundsTest {
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @Test
    void shouldCompareWithTheMeanOfTheSameRoundWhenAJobIsWatched() {
        Rounds rounds = new Rounds();
        rounds.add(new Round(outcome(80, 0.001), outcome(99, 0.004), outcome(90, 0), outcome(120, 0)));
        rounds.add(new Round(outcome(800, 0.002), outcome(500, 0.02), outcome(990, 0), outcome(1200, 0)));
        rounds.add(new Round(outcome(8, 0.003), outcome(12, 0.005), outcome(9, 0), outcome(12, 0)));
        rounds.addLong(outcome(1, 0.006));
        rounds.addLong(outcome(1, 0.02));

        List<Table> tables = rounds.tables(new PrintStream(printed, true, StandardCharsets.UTF_8));

        assertEquals(Kind.values().length, tables.get(0).rows().size());
        assertEquals(row(Kind.PUT, "100", "99", "0.99", "0.5000 to 1.2000", ">= 0.99", null),
            tables.get(0).rows().getFirst());
        assertEquals(row(Kind.JACOBI, "100", "90", "0.9", "0.9000 to 0.9900", ">= 0.98", null),
            tables.get(1).rows().getLast());
        assertEquals(List.of(Kind.BARRIER.toString(), new BigDecimal("0.9"), "0.9000 to 0.9000", ">= 0.98", false),
            tables.get(2).rows().getLast());
        assertEquals(row(Kind.PUT, "80", "120", "1.5", "1.5000 to 1.5000", null, null),
            tables.get(3).rows().getFirst());
        assertEquals(Arrays.asList(new BigDecimal("0.002"), new BigDecimal("0.013"), "0.0060 to 0.0200", "<= 0.01",
            null), tables.get(4).rows().getFirst());
        assertTrue(printed.toString(StandardCharsets.UTF_8).contains("0.990"), printed::toString);
    }

    @Test
    void shouldShowNothingWhenTheAimLiesBetweenTheRounds() {
        assertEquals(row(Kind.PUT, "100", "98.75", "0.9875", "0.9800 to 0.9950", ">= 0.99", null),
            withPage(98, 98, 99.5, 99.5));
        assertEquals(row(Kind.PUT, "100", "99.25", "0.9925", "0.9800 to 0.9960", ">= 0.99", null),
            withPage(98.9, 98, 99.6, 99.6));
    }

    @Test
    void shouldNotHeedTheBestAndTheWorstOfManyRoundsWhenAllOthersAgree() {
        assertEquals(row(Kind.PUT, "100", "99.5", "0.995", "0.9920 to 0.9960", ">= 0.99", true),
            withPage(90, 99.2, 99.5, 99.5, 99.5, 99.6, 99.6, 120));
        assertEquals(row(Kind.PUT, "100", "98", "0.98", "0.9700 to 0.9890", ">= 0.99", false),
            withPage(90, 97, 98, 98, 98, 98, 98.9, 120));
    }

    @Test
    void shouldHeedAllRoundsWhenThereAreFew() {
        assertEquals(row(Kind.PUT, "100", "99.5", "0.995", "0.9000 to 1.2000", ">= 0.99", null),
            withPage(90, 99.2, 99.5, 99.6, 120));
    }

    @Test
    void shouldJudgeByBothWhenThereAreTwoRounds() {
        assertEquals(row(Kind.PUT, "100", "99", "0.99", "0.9800 to 1.0000", ">= 0.99", null), withPage(98, 100));
    }

    /** The first row, of jobs that do so much with the page in each round. */
    private List<Object> withPage(double... rates) {
        Rounds rounds = new Rounds();
        for (double rate : rates) {
            rounds.add(new Round(outcome(100, 0), outcome(rate, 0), outcome(100, 0), outcome(100, 0)));
        }
        rounds.addLong(outcome(100, 0));
        return rounds.tables(new PrintStream(printed, true, StandardCharsets.UTF_8)).getFirst().rows().getFirst();
    }

    private static List<Object> row(Kind kind, String without, String with, String ratio, String range, String aim,
        Boolean isMet) {
        List<Object> row = new ArrayList<>(List.of(kind.toString(), new BigDecimal(without),
            new BigDecimal(with), new BigDecimal(ratio), range));
        row.add(aim);
        row.add(isMet);
        return row;
    }

    private static Outcome outcome(double perSecond, double launcherCores) {
        Map<Kind, Double> rates = new EnumMap<>(Kind.class);
        for (Kind kind : Kind.values()) {
            rates.put(kind, perSecond);
        }
        return new Outcome(rates, Map.of(Kind.PUT, 1.0, Kind.FETCH_AND_ADD, 0.98, Kind.BARRIER, 0.9), launcherCores);
    }
}

package org.tributary.benchmarks.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
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

        List<Table> tables = rounds.tables(new PrintStream(printed, true, StandardCharsets.UTF_8));

        assertEquals(Kind.values().length, tables.get(0).rows().size());
        assertEquals(row(Kind.PUT, "100", "99", "0.99", ">= 0.99", true), tables.get(0).rows().get(0));
        assertEquals(row(Kind.JACOBI, "100", "90", "0.9", ">= 0.98", false), tables.get(1).rows().getLast());
        assertEquals(row(Kind.PUT, "80", "120", "1.5", null, null), tables.get(2).rows().getFirst());
        assertEquals(List.of(new BigDecimal("0.002"), new BigDecimal("0.005"), "<= 0.01", true),
            tables.get(3).rows().getFirst());
        assertTrue(printed.toString(StandardCharsets.UTF_8).contains("0.990"), printed::toString);
    }

    @Test
    void shouldNotMeetTheAimByTheBetterHalfWhenRoundsAreEven() {
        Rounds rounds = new Rounds();
        for (double rate : new double[] {98, 98, 99.5, 99.5}) {
            rounds.add(new Round(outcome(100, 0), outcome(rate, 0), outcome(100, 0), outcome(100, 0)));
        }

        List<Table> tables = rounds.tables(new PrintStream(printed, true, StandardCharsets.UTF_8));

        assertEquals(row(Kind.PUT, "100", "98.75", "0.9875", ">= 0.99", false), tables.getFirst().rows().getFirst());
    }

    private static List<Object> row(Kind kind, String without, String with, String ratio, String aim, Boolean isMet) {
        List<Object> row = new ArrayList<>(List.of(kind.toString(), new BigDecimal(without),
            new BigDecimal(with), new BigDecimal(ratio)));
        row.add(aim);
        row.add(isMet);
        return row;
    }

    private static Outcome outcome(double perSecond, double launcherCores) {
        Map<Kind, Double> rates = new EnumMap<>(Kind.class);
        for (Kind kind : Kind.values()) {
            rates.put(kind, perSecond);
        }
        return new Outcome(rates, launcherCores);
    }
}

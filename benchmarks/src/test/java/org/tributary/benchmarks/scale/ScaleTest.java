package org.tributary.benchmarks.scale;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tributary.benchmarks.results.Table;

/** Servers are made up. */
class ScaleTest {
    private final List<String> done = new ArrayList<>();

    @Test
    void shouldCompareWithTheFasterOfTheSmallestCrowdsWhenTheFirstOneIsCold() throws IOException {
        Deque<Double> departuresUs = new ArrayDeque<>(List.of(64.0, 52.0, 36.0, 32.0));

        Table table = Scale.report("connected ranks",
            Scale.measure(List.of(1000, 10, 10_000), () -> new MadeUp(departuresUs), () -> done.add("step")));

        assertEquals(List.of("first", "first", "first", "second"), column(table, 2));
        assertEquals(decimals("10", "1000", "10000", "10"), column(table, 0));
        assertEquals(decimals("2", "1.625", "1.125", "1"), column(table, 6));
    }

    @Test
    void shouldWarmEachServerUpBeforeItsFirstCrowdCounts() throws IOException {
        Scale.measure(List.of(5, 7), () -> new MadeUp(new ArrayDeque<>(List.of(1.0, 1.0))), () -> done.add("step"));

        assertEquals(List.of("warm up", "step", "5", "step", "7", "step", "close", "warm up", "step", "5", "step",
            "close"), done);
    }

    private static List<Object> column(Table table, int number) {
        return table.rows().stream().map(row -> row.get(number)).toList();
    }

    private static List<Object> decimals(String... values) {
        List<Object> decimals = new ArrayList<>();
        for (String value : values) {
            decimals.add(new BigDecimal(value));
        }
        return decimals;
    }

    private final class MadeUp implements Scale.Measured {
        private final Deque<Double> departuresUs;
        private int ranks;

        MadeUp(Deque<Double> departuresUs) {
            this.departuresUs = departuresUs;
        }

        @Override
        public void warmUp() {
            done.add("warm up");
        }

        @Override
        public void grow(int count) {
            ranks = count;
        }

        @Override
        public Crowd.Cost cost() {
            done.add(Integer.toString(ranks));
            return new Crowd.Cost(ranks, 0, 0, 10, departuresUs.remove(), 1 << 20);
        }

        @Override
        public void close() {
            done.add("close");
        }
    }
}

package org.tributary.benchmarks.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.function.LongToDoubleFunction;
import org.junit.jupiter.api.Test;

/** Times are made up: a turn takes one unit. */
class SettlingTest {
    private static final long LEAST = 100;

    @Test
    void shouldEndAsSoonAsItMayWhenNothingBecomesFaster() {
        assertEquals(LEAST, turns(_ -> 10, _ -> 20));
    }

    @Test
    void shouldGoOnWhileOneThingBecomesFaster() {
        long turns = turns(_ -> 10, turn -> Math.max(10, 4_000.0 / turn));

        assertTrue(turns > 200 && turns < 300, () -> turns + " turns");
        assertEquals(LEAST + LEAST / 4, turns(turn -> turn < 90 ? 200 : 20), "a last window was like the one before");
    }

    @Test
    void shouldEndWhenSomethingBecomesFasterForEver() {
        assertEquals(Settling.MOST * LEAST, turns(turn -> 1e9 / (turn * turn * turn)));
    }

    @Test
    void shouldNotTakeASlowMomentForProgressWhenItIsOver() {
        assertEquals(LEAST, turns(turn -> turn % 7 == 0 ? 10 : 500));
    }

    @Test
    void shouldRepeatUntilItIsFastWhenOneThingIsWarmedUp() throws IOException {
        assertEquals(36_000, lastNs(Integer.MAX_VALUE));
        assertEquals(64_000, lastNs(5_000), "no more than it may");
    }

    /** Of departures of which the first 30,000 are slow, warmed up for 2 s at least. */
    private static double lastNs(int most) throws IOException {
        long[] clock = {0};
        long[] done = {0};
        double[] last = {0};
        Settling.settle(() -> {
            last[0] = done[0]++ < 30_000 ? 64_000 : 36_000;
            clock[0] += (long) last[0];
            return last[0];
        }, Duration.ofSeconds(2), most, () -> clock[0]);
        return last[0];
    }

    /** How many it takes, of things with these times in each turn. */
    private static long turns(LongToDoubleFunction... times) {
        Settling settling = new Settling(times.length, LEAST);
        long turn = 0;
        do {
            turn++;
            for (int i = 0; i < times.length; i++) {
                settling.add(i, times[i].applyAsDouble(turn));
            }
        } while (!settling.isEnough(turn));
        return turn;
    }
}

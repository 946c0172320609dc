package org.tributary.benchmarks.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StopwatchTest {
    private static final long LONG = TimeUnit.MINUTES.toNanos(1);
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(2);

    @Test
    void shouldFinishBeforeAndAfterTimedIterationsWhenMeasuring() throws IOException {
        Counting counting = new Counting();

        Sample sample = new Stopwatch(0, LONG, LONG).measure(counting, new Effort(5, 3));

        assertEquals(3, sample.iterations());
        assertEquals(8, counting.iterations);
        assertEquals(2, counting.finished);
    }

    @Test
    void shouldKeepTheVeryFirstTimeWhenWarmUpBegins() throws IOException {
        int[] calls = {0};
        Repeatable slowAtFirst = () -> {
            if (calls[0]++ == 0) {
                Counting.pause();
            }
        };

        Sample sample = new Stopwatch(0, LONG, LONG).measure(slowAtFirst, new Effort(5, 3));

        assertTrue(sample.firstNs() >= PAUSE_NS, sample::toString);
    }

    @Test
    void shouldCountFinishInTotalOnlyWhenItTakesTime() throws IOException {
        Sample sample = new Stopwatch(0, LONG, LONG).measure(new Counting(), new Effort(1, 2));

        assertTrue(sample.medianNs() >= PAUSE_NS, sample::toString);
        assertTrue(sample.totalNs() >= 3 * PAUSE_NS, sample::toString);
    }

    @Test
    void shouldEndEarlyWhenTimeIsUp() throws IOException {
        Sample sample = new Stopwatch(0, PAUSE_NS, 5 * PAUSE_NS)
            .measure(new Counting(), new Effort(1_000_000, 1_000_000));

        assertTrue(sample.iterations() >= 1 && sample.iterations() <= 5, sample::toString);
    }

    @Test
    void shouldWarmUpAgainWhenThatWasShort() {
        int[] rounds = {0};
        Repeatable endless = new Repeatable() {
            @Override
            public void once() {
                // as short as can be
            }

            @Override
            public void finish() throws IOException {
                if (++rounds[0] == 3) {
                    throw new IOException("three rounds are enough");
                }
            }
        };

        assertThrows(IOException.class, () -> new Stopwatch(LONG, LONG, LONG).measure(endless, new Effort(1, 1)));
        assertEquals(3, rounds[0]);
    }

    private static final class Counting implements Repeatable {
        private int iterations;
        private int finished;

        @Override
        public void once() {
            iterations++;
            pause();
        }

        @Override
        public void finish() {
            finished++;
            pause();
        }

        private static void pause() {
            long start = System.nanoTime();
            while (System.nanoTime() - start < PAUSE_NS) {
                Thread.onSpinWait();
            }
        }
    }
}

package org.tributary.miniapps;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private long nowNs = 77;
    private Progress progress = new Progress("matmul", 200, new PrintStream(err, true), false, () -> nowNs);

    private List<String> after(double seconds, long done) {
        nowNs = 77 + (long) (seconds * TimeUnit.SECONDS.toNanos(1));
        err.reset();
        progress.at(done);
        return err.toString().lines().toList();
    }

    @Test
    void shouldSayHowMuchLongerAfterThreeSecondsAndThenEveryTen() {
        assertEquals(List.of(), after(2.9, 80));
        assertEquals(List.of("matmul: 40 % after 4 s, about 6 s left"), after(4, 80));
        assertEquals(List.of(), after(13.9, 100));
        assertEquals(List.of("matmul: 50 % after 14 s, about 14 s left"), after(14.5, 100));
    }

    @Test
    void shouldSayItEachSecondWhenLinesPass() {
        progress = new Progress("matmul", 200, new PrintStream(err, true), true, () -> nowNs);
        assertEquals(List.of(), after(2.9, 80));
        after(4, 80);
        assertEquals("\rmatmul: 40 % after 4 s, about 6 s left\n", err.toString());
        after(4.9, 90);
        assertEquals("", err.toString());
        after(5, 100);
        assertEquals("\rmatmul: 50 % after 5 s, about 5 s left\n", err.toString());
    }

    @Test
    void shouldSayNothingWhenNothingOrAllIsDone() {
        assertEquals(List.of(), after(5, 0));
        assertEquals(List.of(), after(60, 200));
        assertEquals(List.of(), after(61, 204)); // tasks that a rank draws in vain
    }

    @Test
    void shouldCountOnWhenStepsAreSaidOneByOne() {
        assertEquals(List.of("matmul: 40 % after 4 s, about 6 s left"), after(4, 80));
        for (int i = 0; i < 19; i++) {
            progress.step();
        }
        err.reset();
        nowNs += TimeUnit.SECONDS.toNanos(16);
        progress.step();
        assertEquals(List.of("matmul: 50 % after 20 s, about 20 s left"), err.toString().lines().toList());
    }

    @Test
    void shouldSayNothingOnOtherRanks() {
        Progress other = new Progress("matmul", 2, null, false, () -> nowNs);
        nowNs += TimeUnit.MINUTES.toNanos(1);
        other.at(1);
        assertEquals("", err.toString());
    }
}

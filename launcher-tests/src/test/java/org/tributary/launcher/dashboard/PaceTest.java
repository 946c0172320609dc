package org.tributary.launcher.dashboard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PaceTest {
    private static final long MS = 1_000_000;

    @Test
    void shouldTakeAStepEachSecondWhenStepsAreCheap() {
        Pace pace = new Pace();
        for (int i = 0; i < 100; i++) {
            assertEquals(Pace.STEP_NS, pace.pauseNs(9 * MS));
        }
    }

    @Test
    void shouldUseNoMoreThanAHundredthOfACoreWhenStepsAreDear() {
        Pace pace = new Pace();
        long used = 0;
        long passed = 0;
        for (int i = 0; i < 1000; i++) {
            long cost = i % 10 == 0 ? 3000 * MS : 200 * MS;
            long pause = pace.pauseNs(cost);
            if (i >= Pace.FIRST_STEPS) {
                used += cost;
                passed += pause;
            }
        }
        assertTrue(used <= passed / 100 * 1.01, used + " of " + passed + " ns");
    }

    @Test
    void shouldNotDelayThePageWhenItHasJustBegun() {
        Pace pace = new Pace();
        for (int i = 0; i < Pace.FIRST_STEPS; i++) {
            assertEquals(Pace.STEP_NS, pace.pauseNs(500 * MS));
        }
        assertEquals(Pace.STEP_NS, pace.pauseNs(5 * MS));
    }

    @Test
    void shouldGrowWhenTheThreadWorks() {
        long begin = Pace.threadNs();
        long end = begin;
        double sum = 0;
        for (long i = 0; i < 10_000_000_000L && end - begin < MS; i++) {
            sum += Math.sqrt(i);
            end = i % 100_000 == 0 ? Pace.threadNs() : end;
        }
        assertTrue(end - begin >= MS && sum > 0);
    }
}

package org.tributary.launcher.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tributary.wire.RankState;
import org.tributary.wire.shm.WaitKind;
import org.tributary.wire.status.JobStatus;
import org.tributary.wire.status.NodeStatus;
import org.tributary.wire.status.NodeStatus.Rank;
import org.tributary.wire.status.NodeStatus.Wait;
import org.tributary.wire.status.ProcessState;

/** A job of one rank, which is looked at each 15 s; a thread of it listens all the time. */
class StandstillTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final int STILL_S = 60;
    private static final int LOOK_S = 15;
    private static final int HOUR_S = 3600;

    private final Standstill standstill = new Standstill(STILL_S * SECOND_NS, 0);

    private static JobStatus job(long ageS, long ticks, long blocked) {
        return new JobStatus(List.of(new NodeStatus("j", 0, "1", 1, 1, 0, 10, ProcessState.RUNS, List.of(
            new Rank(0, RankState.ATTACHED, 100, ProcessState.RUNS, ticks, blocked, List.of(new Wait(
                WaitKind.NOTIFICATION, 0, 0, 1, ageS * SECOND_NS)), false)))), List.of());
    }

    /** When it is told, of looks until then at a rank that uses so many ticks a second and blocks so often. */
    private List<Integer> told(int fromS, int untilS, double ticks, double blocks) {
        List<Integer> times = new ArrayList<>();
        for (int s = fromS; s <= untilS; s += LOOK_S) {
            if (standstill.isNew(job(s, (long) (s * ticks), (long) (s * blocks)), s * SECOND_NS)) {
                standstill.told();
                times.add(s);
            }
        }
        return times;
    }

    @Test
    void shouldTellOnceWhenNoThreadGoesOn() {
        assertEquals(List.of(60), told(0, HOUR_S, 0, 0));
    }

    /** A thread that waits asks for its peer every 8 s, and the process does little beside. */
    @Test
    void shouldTellOnceWhenAThreadOnlyAsksWhetherItsPeerIsThere() {
        assertEquals(List.of(60), told(0, HOUR_S, 1, 1 / 8.0));
    }

    @Test
    void shouldNotTellWhenAnotherThreadWaitsForManyThingsOneAfterTheOther() {
        assertEquals(List.of(), told(0, HOUR_S, 1, 2));
    }

    @Test
    void shouldNotTellWhenAnotherThreadComputes() {
        assertEquals(List.of(), told(0, HOUR_S, 50, 0));
    }

    @Test
    void shouldTellAgainWhenTheJobHasGoneOnInTheMeantime() {
        assertEquals(List.of(60), told(0, 120, 0, 0));
        assertEquals(List.of(), told(135, 600, 50, 0));
        assertEquals(List.of(660), told(615, HOUR_S, 0, 0), "it went on until 600 s");
    }

    /** A look each half second; the stacks that are taken in between cost each rank some time. */
    @Test
    void shouldTellOnceWhenStacksAreTakenAgainAndAgain() {
        Standstill soon = new Standstill(2 * SECOND_NS, 0);
        List<Integer> told = new ArrayList<>();
        for (int halves = 0; halves < 200; halves++) {
            int stacks = halves / 40;
            if (soon.isNew(job(halves / 2, 30 * stacks, 0), halves * SECOND_NS / 2)) {
                soon.told();
                told.add(halves);
            }
        }
        assertEquals(List.of(4), told);
    }

    @Test
    void shouldTellAgainWhenAThreadHasComputedForSecondsAndThenStops() {
        Standstill soon = new Standstill(2 * SECOND_NS, 0);
        List<Integer> told = new ArrayList<>();
        for (int halves = 0; halves < 200; halves++) {
            if (soon.isNew(job(halves / 2, 50 * Math.clamp(halves - 20, 0, 20), 0), halves * SECOND_NS / 2)) {
                soon.told();
                told.add(halves);
            }
        }
        assertEquals(2, told.size(), told::toString);
        assertEquals(4, told.getFirst());
        assertTrue(told.getLast() >= 40 && told.getLast() <= 44, told::toString);
    }

    /** For two seconds of each look. */
    @Test
    void shouldNotTellWhenAThreadComputesForAnEighthOfTheTime() {
        assertEquals(List.of(), told(0, HOUR_S, 13, 0));
    }

    @Test
    void shouldTellAgainWhenTheWaitHasEnded() {
        assertEquals(List.of(60), told(0, 120, 0, 0));
        assertFalse(standstill.isNew(job(1, 0, 0), 135 * SECOND_NS));
        assertTrue(standstill.isNew(job(61, 0, 0), 195 * SECOND_NS));
    }

    @Test
    void shouldLastWhenASecondLookFindsTheSame() {
        assertTrue(standstill.lasts(job(60, 5, 3), job(61, 14, 4), SECOND_NS));
        assertFalse(standstill.lasts(job(60, 5, 3), job(61, 15, 3), SECOND_NS), "computes");
        assertFalse(standstill.lasts(job(60, 5, 3), job(61, 5, 9), SECOND_NS), "begins waits");
        assertFalse(standstill.lasts(job(60, 5, 3), job(0, 5, 3), SECOND_NS), "waits anew");
        assertFalse(standstill.lasts(new JobStatus(List.of(), List.of()), job(61, 5, 3), SECOND_NS), "has come");
    }
}

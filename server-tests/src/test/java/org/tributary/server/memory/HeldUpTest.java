package org.tributary.server.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tributary.server.observe.ServerLog;
import org.tributary.testsupport.ExpectsErrors;

/** When work that is held up is tried again, and what is said of it. */
class HeldUpTest {
    private static final long LONG_NS = HeldUp.SAID_AFTER_NS + TimeUnit.SECONDS.toNanos(1);

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final List<Throwable> faults = new ArrayList<>();
    private final HeldUp heldUp = new HeldUp(channel.eventLoop(), new ServerLog(0), () -> "rank 3", faults::add);

    @BeforeEach
    void stopTheClock() {
        channel.freezeTime();
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
        assertEquals(List.of(), faults);
    }

    /** Something that is held up each time. */
    private final class Work implements Runnable {
        private final boolean getsOn;
        private final HeldUp.Entry entry = heldUp.entry(this);
        private int times;

        /** For the same lock, or for another one each time. */
        Work(boolean getsOn) {
            this.getsOn = getsOn;
        }

        @Override
        public void run() {
            times++;
            if (getsOn) {
                entry.gotOn();
            }
            entry.later();
        }
    }

    private void pass(long durationNs) {
        for (long passedNs = 0; passedNs < durationNs; passedNs += HeldUp.FIRST_PAUSE_NS) {
            channel.advanceTimeBy(HeldUp.FIRST_PAUSE_NS, TimeUnit.NANOSECONDS);
            channel.runScheduledPendingTasks();
        }
    }

    /** Any warning fails the test. */
    @Test
    void shouldTryAgainSoonAndSayNothingWhenAllGetOnAndMeetLocksAgain() {
        Work first = new Work(true);
        Work second = new Work(true);
        first.run();
        channel.advanceTimeBy(HeldUp.FIRST_PAUSE_NS / 2, TimeUnit.NANOSECONDS);
        second.run();
        pass(LONG_NS);
        assertEquals(2, heldUp.size());
        long most = LONG_NS / HeldUp.FIRST_PAUSE_NS;
        assertTrue(first.times >= most, first.times + " of " + most);
        assertTrue(second.times >= most, second.times + " of " + most);
    }

    @Test
    @ExpectsErrors("1 connections have waited for 5 s for a lock of accumulates that rank 3 holds")
    void shouldTryLessOftenAndSayItOnceWhenOneWaitsForTheSameLock() {
        Work stuck = new Work(false);
        Work lively = new Work(true);
        stuck.run();
        lively.run();
        pass(2 * LONG_NS);
        long most = 2 * LONG_NS / HeldUp.LONGEST_PAUSE_NS + 10;
        assertTrue(stuck.times <= most, stuck.times + " of " + most);
        assertTrue(lively.times > 30 * stuck.times, lively.times + " while the other was tried " + stuck.times);
    }

    @Test
    @ExpectsErrors("3 connections have waited for 5 s for a lock of accumulates that rank 3 holds")
    void shouldNameAllThatWaitForAStoppedHolderWhenTheyAreTriedTogether() {
        for (int i = 0; i < 3; i++) {
            new Work(false).run();
            channel.advanceTimeBy(10, TimeUnit.MICROSECONDS);
        }
        pass(LONG_NS);
    }

    @Test
    void shouldCountNothingWhenWhatWaitedIsDone() {
        int[] times = {0};
        heldUp.entry(() -> times[0]++).later();
        assertEquals(1, heldUp.size());
        pass(HeldUp.FIRST_PAUSE_NS);
        assertEquals(1, times[0]);
        assertEquals(0, heldUp.size());
    }
}

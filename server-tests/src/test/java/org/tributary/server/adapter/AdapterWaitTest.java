package org.tributary.server.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.SelectStrategy;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.tributary.fabric.CompletionHandler;
import org.tributary.fabric.Progress;

class AdapterWaitTest {
    private static final long SPIN_NS = 100_000;
    private static final long STEP_NS = 1_000;

    private long nowNs;
    private int gaveAway;
    private final FakeEndpoint endpoint = new FakeEndpoint();
    private final AdapterWait wait = new AdapterWait(SPIN_NS, () -> nowNs, () -> gaveAway++, reason -> {
        throw new AssertionError(reason);
    });

    /** Has a descriptor, of which the test says when it is readable. */
    private final class FakeEndpoint implements Progress {
        private int polls;
        private int questions;
        private long nextPollTakesNs;

        @Override
        public int poll(CompletionHandler handler) {
            polls++;
            nowNs += nextPollTakesNs;
            nextPollTakesNs = 0;
            return 0;
        }

        @Override
        public OptionalInt waitDescriptor() {
            return OptionalInt.of(0);
        }

        @Override
        public boolean maySleep() {
            questions++;
            return true;
        }
    }

    private int look() throws Exception {
        nowNs += STEP_NS;
        return wait.calculateStrategy(() -> 0, false);
    }

    /** How long the loop looks until it sleeps. */
    private long lookUntilSleep() throws Exception {
        long sinceNs = nowNs;
        while (look() != SelectStrategy.SELECT) {
            assertTrue(nowNs - sinceNs < 10 * SPIN_NS, "it never sleeps");
        }
        return nowNs - sinceNs;
    }

    private void lookAtDescriptor() throws Exception {
        while (endpoint.questions == 0) {
            assertEquals(SelectStrategy.BUSY_WAIT, look());
        }
    }

    @Test
    void shouldSleepWhenNothingHasComeForTheSpin() throws Exception {
        wait.begin(endpoint);

        long idleNs = lookUntilSleep();

        assertTrue(idleNs >= SPIN_NS && idleNs <= SPIN_NS + 2 * STEP_NS, () -> "slept after " + idleNs + " ns");
        assertTrue(gaveAway > 0);
    }

    @Test
    void shouldLeaveTheEndpointAloneWhenTheDescriptorIsToTell() throws Exception {
        wait.begin(endpoint);
        lookAtDescriptor();
        int polls = endpoint.polls;

        lookUntilSleep();

        assertEquals(polls, endpoint.polls);
        assertEquals(1, endpoint.questions);
    }

    @Test
    void shouldGoOnLookingWhenRequestsComeThatAreNoEvents() throws Exception {
        wait.begin(endpoint);
        for (int request = 0; request < 20; request++) {
            endpoint.questions = 0;
            lookAtDescriptor();
            wait.handle(null, null);
            int polls = endpoint.polls;
            assertEquals(SelectStrategy.BUSY_WAIT, look());
            assertEquals(polls + 1, endpoint.polls);
        }
        long idleNs = lookUntilSleep();

        assertTrue(idleNs >= SPIN_NS, () -> "slept " + idleNs + " ns after the last request");
    }

    @Test
    void shouldSpinAfterTheWorkWhenServingTakesLongerThanTheSpin() throws Exception {
        wait.begin(endpoint);
        lookUntilSleep();
        wait.handle(null, null);
        endpoint.nextPollTakesNs = 3 * SPIN_NS;
        assertEquals(SelectStrategy.BUSY_WAIT, look());

        long idleNs = lookUntilSleep();

        assertTrue(idleNs >= SPIN_NS, () -> "slept " + idleNs + " ns after the work");
    }

    @Test
    void shouldSleepWhenTheDescriptorIsReadableButTellsNothingNew() throws Exception {
        wait.begin(endpoint);
        while (endpoint.questions == 0) {
            wait.handle(null, null); // left over from before the endpoint was asked
            look();
            assertTrue(nowNs < 10 * SPIN_NS, "it never asks whether to sleep");
        }

        lookUntilSleep();
    }

    @Test
    void shouldLookAgainWhenASleepEndsWithoutAWord() throws Exception {
        wait.begin(endpoint);
        lookUntilSleep();
        int polls = endpoint.polls;

        int strategy = look();

        assertEquals(polls + 1, endpoint.polls);
        assertEquals(SelectStrategy.SELECT, strategy);
        assertFalse(endpoint.questions < 2, "it slept without asking again");
    }
}

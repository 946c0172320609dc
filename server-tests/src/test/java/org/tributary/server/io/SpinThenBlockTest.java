package org.tributary.server.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.SelectStrategy;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SpinThenBlockTest {
    private static final long SPIN_NS = 100_000;

    private long nowNs = 1_000_000_000;
    private int leaves;
    private long givenAwayNs;
    private boolean otherCore = true;
    private final SpinThenBlock waiting = new SpinThenBlock(SPIN_NS, () -> nowNs, () -> givenAwayNs, () -> {
        if (otherCore) {
            leaves++;
        }
        return otherCore;
    });

    @BeforeEach
    void begin() {
        waiting.traffic();
    }

    @Test
    void shouldPollThenBlockWhenNothingComes() throws Exception {
        assertEquals(SelectStrategy.BUSY_WAIT, poll());
        nowNs += SPIN_NS - 1;
        assertEquals(SelectStrategy.BUSY_WAIT, poll());
        nowNs += 1;
        assertEquals(SelectStrategy.SELECT, poll());
        nowNs += 1;
        assertEquals(SelectStrategy.SELECT, poll());
    }

    @Test
    void shouldGoOnPollingWhenTrafficComesMeanwhile() throws Exception {
        for (int i = 0; i < 10; i++) {
            assertEquals(SelectStrategy.BUSY_WAIT, poll());
            nowNs += SPIN_NS - 1;
            waiting.traffic();
        }
        assertEquals(SelectStrategy.BUSY_WAIT, poll());
    }

    @Test
    void shouldBlockWhenPollingIsOff() throws Exception {
        SpinThenBlock blocking = new SpinThenBlock(0, () -> nowNs, () -> 0, () -> false);
        blocking.traffic();
        assertEquals(SelectStrategy.SELECT, blocking.calculateStrategy(() -> 0, false));
    }

    @Test
    void shouldSelectWithoutWaitingWhenTasksAreThere() throws Exception {
        assertEquals(3, waiting.calculateStrategy(() -> 3, true));
    }

    @Test
    void shouldLeaveCoreWhenPollingHeldTrafficUpTwice() throws Exception {
        pollInVain(SpinThenBlock.HELD_UP_NS - 1);
        assertEquals(0, leaves);
        pollInVain(SpinThenBlock.HELD_UP_NS - 1);
        assertEquals(1, leaves);
        assertEquals(SelectStrategy.BUSY_WAIT, poll());
    }

    @Test
    void shouldStayWhenTrafficComesLater() throws Exception {
        for (int i = 0; i < 10; i++) {
            pollInVain(SpinThenBlock.HELD_UP_NS);
        }
        assertEquals(0, leaves);
        assertEquals(SelectStrategy.BUSY_WAIT, poll());
    }

    @Test
    void shouldBlockForSomeWaitsWhenLeavingCoreDidNotHelp() throws Exception {
        pollInVain(0);
        pollInVain(0);
        pollInVain(0);
        pollInVain(0);
        assertEquals(1, leaves);
        assertEquals(SpinThenBlock.WAITS_WITHOUT_SPIN, waitsWithoutSpin());
        pollInVain(0);
        assertEquals(2 * SpinThenBlock.WAITS_WITHOUT_SPIN, waitsWithoutSpin());
    }

    @Test
    void shouldBlockForSomeWaitsWhenThereIsNoOtherCore() throws Exception {
        otherCore = false;
        pollInVain(0);
        pollInVain(0);
        assertEquals(SpinThenBlock.WAITS_WITHOUT_SPIN, waitsWithoutSpin());
    }

    @Test
    void shouldLeaveCoreAgainWhenLastTimeIsLongAgo() throws Exception {
        pollInVain(0);
        pollInVain(0);
        nowNs += SpinThenBlock.LEAVE_INTERVAL_NS;
        pollInVain(0);
        pollInVain(0);
        assertEquals(2, leaves);
    }

    @Test
    void shouldForgetThatTrafficWasHeldUpWhenPollingHelpsAgain() throws Exception {
        pollInVain(0);
        assertEquals(SelectStrategy.BUSY_WAIT, poll());
        waiting.traffic();
        pollInVain(0);
        assertEquals(0, leaves);
    }

    /** A bell that is rung by hand. */
    private static final class TestBell implements SpinThenBlock.Bell {
        private boolean rung;
        private boolean asleep;
        private boolean rungMeanwhile;

        @Override
        public boolean takeRing() {
            boolean was = rung;
            rung = false;
            return was;
        }

        @Override
        public boolean sleep() {
            asleep = !rungMeanwhile;
            rungMeanwhile = false;
            return asleep;
        }

        @Override
        public void awake() {
            asleep = false;
        }
    }

    @Test
    void shouldSelectWithoutWaitingWhenTheBellRings() throws Exception {
        TestBell bell = new TestBell();
        waiting.listenTo(bell);
        assertEquals(SelectStrategy.BUSY_WAIT, poll());
        bell.rung = true;
        assertEquals(0, poll());
        assertEquals(SelectStrategy.BUSY_WAIT, poll());
        nowNs += SPIN_NS;
        bell.rung = true;
        assertEquals(0, poll());
        assertFalse(bell.asleep);
    }

    @Test
    void shouldSayThatItSleepsUntilItIsAwake() throws Exception {
        TestBell bell = new TestBell();
        waiting.listenTo(bell);
        assertEquals(SelectStrategy.BUSY_WAIT, poll());
        assertFalse(bell.asleep);
        nowNs += SPIN_NS;
        assertEquals(SelectStrategy.SELECT, poll());
        assertTrue(bell.asleep);
        waiting.traffic();
        assertFalse(bell.asleep);
        nowNs += SPIN_NS;
        assertEquals(SelectStrategy.BUSY_WAIT, poll());
        nowNs += SPIN_NS;
        assertEquals(SelectStrategy.SELECT, poll());
        assertEquals(0, waiting.calculateStrategy(() -> 0, true));
        assertFalse(bell.asleep);
    }

    @Test
    void shouldNotBlockWhenTheBellRingsAtTheLastMoment() throws Exception {
        TestBell bell = new TestBell();
        waiting.listenTo(bell);
        assertEquals(SelectStrategy.BUSY_WAIT, poll());
        nowNs += SPIN_NS;
        bell.rungMeanwhile = true;
        assertEquals(0, poll());
        nowNs += SPIN_NS;
        waiting.traffic(); // it was polling when that came
        assertEquals(SelectStrategy.BUSY_WAIT, poll());
        nowNs += SPIN_NS;
        assertEquals(SelectStrategy.SELECT, poll());
        assertEquals(0, leaves);
    }

    @Test
    void shouldLeaveCoreWhenOthersRunOnItInManyWaitsInARow() throws Exception {
        givenAwayNs = SpinThenBlock.SHARED_NS + 1;
        receive(SpinThenBlock.SHARED_BEFORE_LEAVING - 1);
        assertEquals(0, leaves);
        givenAwayNs = SpinThenBlock.SHARED_NS;
        receive(1);
        givenAwayNs = SpinThenBlock.SHARED_NS + 1;
        receive(SpinThenBlock.SHARED_BEFORE_LEAVING - 1);
        assertEquals(0, leaves);
        receive(1);
        assertEquals(1, leaves);
    }

    @Test
    void shouldLeaveCoreLessOftenWhenThatDoesNotHelp() throws Exception {
        givenAwayNs = SpinThenBlock.SHARED_NS + 1;
        receive(SpinThenBlock.SHARED_BEFORE_LEAVING);
        assertEquals(1, leaves);
        long intervalNs = SpinThenBlock.LEAVE_INTERVAL_NS;
        for (int i = 2; i < 12; i++) {
            nowNs += intervalNs - 1;
            receive(SpinThenBlock.SHARED_BEFORE_LEAVING);
            assertEquals(i - 1, leaves);
            nowNs += 1;
            receive(SpinThenBlock.SHARED_BEFORE_LEAVING);
            assertEquals(i, leaves);
            intervalNs = Math.min(2 * intervalNs, SpinThenBlock.MAX_LEAVE_INTERVAL_NS);
        }
    }

    /** Traffic comes so many times, each at the second poll. */
    private void receive(int times) throws Exception {
        for (int i = 0; i < times; i++) {
            assertEquals(SelectStrategy.BUSY_WAIT, poll());
            waiting.traffic();
        }
    }

    /** Polls until the loop blocks; traffic comes so long after that. */
    private void pollInVain(long laterNs) throws Exception {
        while (poll() == SelectStrategy.BUSY_WAIT) {
            nowNs += SPIN_NS / 2;
        }
        nowNs += laterNs;
        waiting.traffic();
    }

    private int waitsWithoutSpin() throws Exception {
        int waits = 0;
        while (poll() == SelectStrategy.SELECT) {
            waits++;
            waiting.traffic();
        }
        return waits;
    }

    private int poll() throws Exception {
        return waiting.calculateStrategy(() -> 0, false);
    }
}

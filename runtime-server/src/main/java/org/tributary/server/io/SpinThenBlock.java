package org.tributary.server.io;

import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.tributary.wire.shm.Backoff;

/**
 * How the event loop waits. It polls for {@code spinNs} after the last traffic, because the next request is then likely
 * to come soon and waking an idle core costs several round trips, and blocks in the kernel after that.
 *
 * <p>Polling helps only with a core to itself. Otherwise it keeps the very thread from running that would send the
 * next request. So between polls the core is given away ({@link Backoff}). When somebody else takes it in many waits
 * in a row, the loop leaves the core, because another may be idle; the longer it has to stay then, the more often
 * that did not help. While the core is not given away, traffic that comes just after the loop has given up and
 * blocked tells the same; and if leaving was tried a moment ago, the machine is oversubscribed, and the loop blocks
 * at once for a growing number of waits before it tries polling again. What is announced in shared memory instead of
 * in epoll, a {@link Bell} tells. The clock is passed in. Owned by the event loop.
 */
public final class SpinThenBlock implements SelectStrategy {
    /** Traffic so soon after the loop blocked was held up by its polling. */
    static final long HELD_UP_NS = 40_000;
    static final int WAITS_WITHOUT_SPIN = 256;
    static final int MAX_WAITS_WITHOUT_SPIN = 2048;
    /** So long after it left a core the loop may do so again, at least and at most. */
    static final long LEAVE_INTERVAL_NS = 20_000_000;
    static final long MAX_LEAVE_INTERVAL_NS = 2_000_000_000;
    /** Giving the core away takes less when nobody else wants it. */
    static final long SHARED_NS = 2_000;
    static final int SHARED_BEFORE_LEAVING = 32;
    private static final int HELD_UP_BEFORE_BLOCKING = 2;

    /** Tells of requests that epoll does not know of. */
    public interface Bell {
        /** Takes note of new ones; if there are any, a task that deals with them is in the loop's queue. */
        boolean takeRing();

        /**
         * The loop is about to block; false when it must not, because there are new requests. If true, a rank that
         * announces one wakes the loop, until it is {@link #awake}.
         */
        boolean sleep();

        /** The loop has been woken, or need not be. */
        void awake();
    }

    private final long spinNs;
    private final LongSupplier clock;
    private final LongSupplier giveAway;
    private final BooleanSupplier leaveCore;
    /** Null when there is none. */
    private Bell bell;
    private boolean asleep;
    private boolean spinning;
    private boolean spun;
    private long spinBeganNs;
    private long blockedAtNs;
    private int heldUp;
    private int waitsWithoutSpin;
    private int nextWaitsWithoutSpin = WAITS_WITHOUT_SPIN;
    private boolean isShared;
    private int sharedWaits;
    private boolean hasLeftCore;
    private long leftCoreAtNs;
    private long leaveIntervalNs = LEAVE_INTERVAL_NS;

    /**
     * How to wait.
     *
     * @param giveAway  lets others run on the core between polls; for how many nanoseconds it did
     * @param leaveCore moves the calling thread to another core; false when there is none
     */
    public SpinThenBlock(long spinNs, LongSupplier clock, LongSupplier giveAway, BooleanSupplier leaveCore) {
        this.spinNs = spinNs;
        this.clock = clock;
        this.giveAway = giveAway;
        this.leaveCore = leaveCore;
    }

    /** From now on the loop looks there, too. Called before the loop runs. */
    public void listenTo(Bell other) {
        bell = other;
    }

    /** The loop looks there no more. */
    public void stopListening() {
        bell = null;
    }

    /** Something was received. */
    public void traffic() {
        wakeUp();
        if (spinning) {
            if (spinBeganNs != 0) {
                heldUp = 0;
                nextWaitsWithoutSpin = WAITS_WITHOUT_SPIN;
                judgeCore();
            }
        } else if (spun) {
            judgeSpin();
        }
        spun = false;
        spinBeganNs = 0;
        if (waitsWithoutSpin > 0) {
            waitsWithoutSpin--;
            spinning = false;
        } else {
            spinning = spinNs > 0;
        }
    }

    /** Traffic came while the loop polled: had others to run on the core for that? */
    private void judgeCore() {
        sharedWaits = isShared ? sharedWaits + 1 : 0;
        isShared = false;
        if (sharedWaits >= SHARED_BEFORE_LEAVING) {
            sharedWaits = 0;
            tryToLeave(clock.getAsLong());
        }
    }

    private boolean tryToLeave(long nowNs) {
        long stayedNs = nowNs - leftCoreAtNs;
        if (hasLeftCore && stayedNs < leaveIntervalNs || !leaveCore.getAsBoolean()) {
            return false;
        }
        boolean didHelp = !hasLeftCore || stayedNs >= 2 * leaveIntervalNs;
        leaveIntervalNs = didHelp ? LEAVE_INTERVAL_NS : Math.min(2 * leaveIntervalNs, MAX_LEAVE_INTERVAL_NS);
        hasLeftCore = true;
        leftCoreAtNs = nowNs;
        return true;
    }

    /** The loop polled in vain and then blocked: did what it waited for come as soon as it let go of the core? */
    private void judgeSpin() {
        long nowNs = clock.getAsLong();
        if (nowNs - blockedAtNs >= HELD_UP_NS) {
            heldUp = 0;
        } else if (++heldUp < HELD_UP_BEFORE_BLOCKING) {
            return;
        } else if (tryToLeave(nowNs)) {
            heldUp = 0;
        } else {
            waitsWithoutSpin = nextWaitsWithoutSpin;
            nextWaitsWithoutSpin = Math.min(2 * nextWaitsWithoutSpin, MAX_WAITS_WITHOUT_SPIN);
            heldUp = HELD_UP_BEFORE_BLOCKING - 1;
        }
    }

    @Override
    public int calculateStrategy(IntSupplier selectNow, boolean hasTasks) throws Exception {
        wakeUp();
        if (bell != null && bell.takeRing() || hasTasks) {
            return selectNow.get();
        }
        if (!spinning) {
            return block(selectNow);
        }
        long nowNs = clock.getAsLong();
        if (spinBeganNs == 0) {
            spinBeganNs = nowNs;
        }
        if (nowNs - spinBeganNs < spinNs) {
            isShared |= giveAway.getAsLong() > SHARED_NS;
            return SelectStrategy.BUSY_WAIT;
        }
        int strategy = block(selectNow);
        if (asleep) {
            spinning = false;
            isShared = false;
            spun = true;
            blockedAtNs = nowNs;
        }
        return strategy;
    }

    private int block(IntSupplier selectNow) throws Exception {
        asleep = bell == null || bell.sleep();
        return asleep ? SelectStrategy.SELECT : selectNow.get();
    }

    private void wakeUp() {
        if (asleep) {
            asleep = false;
            if (bell != null) {
                bell.awake();
            }
        }
    }
}

package org.tributary.server.connection;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.tributary.server.observe.GuardedTasks;

/**
 * The connections of one listener that have not proved themselves: no more than a number, none for longer than a time.
 * When there is one more, the one that has waited longest gives way. So a peer that proves itself at once gets in,
 * however many are silent. When too many strangers come in a second, the listener accepts fewer, so that they take no
 * more than a part of a core from the processes here; the kernel keeps the others meanwhile. The rate is limited by the
 * generic cell rate algorithm (ITU-T I.371). Owned by the event loop.
 */
public final class Strangers {
    /** A connection that has not proved itself. */
    interface Stranger {
        /** Closes the connection; {@code isNews}: an operator is to hear of it. */
        void turnAway(String why, boolean isNews);
    }

    /** So many may come at once. */
    static final int BURST = 2000;
    /** At 1,000 a second a listener's queue of 4,096 is through before the job's own processes in it give up. */
    static final long INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(1);
    /** Many at a time, and then none for long, disturb a job less often than a few at a time. */
    static final long SHORTEST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final int most;
    private final long timeoutNs;
    private final GuardedTasks tasks;
    private final LongSupplier clock;
    /** When each has to have proved itself; the oldest first. */
    private final Map<Stranger, Long> deadlines = new LinkedHashMap<>();
    private boolean timerRuns;
    /** When as many as have come would have come at the rate. */
    private long atRateNs;
    private boolean isPausing;
    private Consumer<Boolean> listener = accepts -> { };

    Strangers(int most, long timeoutNs, GuardedTasks tasks, LongSupplier clock) {
        this.most = most;
        this.timeoutNs = timeoutNs;
        this.tasks = tasks;
        this.clock = clock;
        this.atRateNs = clock.getAsLong();
    }

    /** {@code listener} is told when to accept nobody, and when to accept again. */
    void onAccepting(Consumer<Boolean> acceptingListener) {
        listener = acceptingListener;
    }

    int count() {
        return deadlines.size();
    }

    void came(Stranger stranger) {
        long now = clock.getAsLong();
        limit(now);
        if (deadlines.size() == most) {
            turnAwayOldest(1, true, "there are " + most
                + " connections already that have not proved themselves; raise server.strangers-max, and the number of"
                + " files that the server may open (ulimit -n)");
        }
        deadlines.put(stranger, now + timeoutNs);
        if (!timerRuns) {
            timerRuns = true;
            tasks.after(timeoutNs, this::expire);
        }
    }

    private void limit(long now) {
        atRateNs = (atRateNs - now < 0 ? now : atRateNs) + INTERVAL_NS;
        long tooEarlyNs = atRateNs - now - BURST * INTERVAL_NS;
        if (tooEarlyNs > 0 && !isPausing) {
            isPausing = true;
            listener.accept(false);
            tasks.after(Math.max(tooEarlyNs, SHORTEST_PAUSE_NS), () -> {
                isPausing = false;
                listener.accept(true);
            });
        }
    }

    void went(Stranger stranger) {
        deadlines.remove(stranger);
    }

    /** One has proved that it belongs to the job, as many do within a moment when a job starts. */
    void proved(Stranger stranger) {
        deadlines.remove(stranger);
        atRateNs -= INTERVAL_NS;
    }

    /** Descriptors are short: half of them give theirs back. */
    void makeRoom() {
        turnAwayOldest((deadlines.size() + 1) / 2, true, "this process has no more descriptors");
    }

    /** The server ends. */
    void turnAllAway() {
        turnAwayOldest(deadlines.size(), false, "the server ends");
    }

    private void turnAwayOldest(int count, boolean isNews, String why) {
        List<Stranger> oldest = deadlines.keySet().stream().limit(count).toList();
        for (Stranger stranger : oldest) {
            deadlines.remove(stranger);
            stranger.turnAway(why, isNews);
        }
    }

    private void expire() {
        long now = clock.getAsLong();
        List<Stranger> late = new ArrayList<>();
        long nextNs = -1;
        for (Map.Entry<Stranger, Long> entry : deadlines.entrySet()) {
            nextNs = entry.getValue() - now;
            if (nextNs > 0) {
                break;
            }
            late.add(entry.getKey());
        }
        for (Stranger stranger : late) {
            deadlines.remove(stranger);
            stranger.turnAway("nothing was proved within three times connect.timeout", true);
        }
        timerRuns = !deadlines.isEmpty();
        if (timerRuns) {
            tasks.after(Math.max(1, nextNs), this::expire);
        }
    }
}

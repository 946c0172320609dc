package org.tributary.server;

import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The connections of one listener that have not proved themselves: no more than a number, none for longer than a time.
 * When there is one more, the one that has waited longest gives way, so that somebody who proves itself at once gets in
 * however many are silent. Owned by the event loop.
 */
final class Strangers {
    /** A connection that has not proved itself. */
    interface Stranger {
        /** Closes the connection. */
        void turnAway(String why);
    }

    private final int most;
    private final long timeoutNs;
    private final EventExecutor loop;
    private final LongSupplier clock;
    /** When each has to have proved itself; the oldest first. */
    private final Map<Stranger, Long> deadlines = new LinkedHashMap<>();
    private boolean timerRuns;

    Strangers(int most, long timeoutNs, EventExecutor loop, LongSupplier clock) {
        this.most = most;
        this.timeoutNs = timeoutNs;
        this.loop = loop;
        this.clock = clock;
    }

    /** How many there are. */
    int count() {
        return deadlines.size();
    }

    /** One more has connected. */
    void came(Stranger stranger) {
        if (deadlines.size() == most) {
            turnAwayOldest(1, "there are " + most
                + " connections already that have not proved themselves; raise server.strangers-max");
        }
        deadlines.put(stranger, clock.getAsLong() + timeoutNs);
        if (!timerRuns) {
            timerRuns = true;
            loop.schedule(this::expire, timeoutNs, TimeUnit.NANOSECONDS);
        }
    }

    /** One has been admitted, or is gone. */
    void went(Stranger stranger) {
        deadlines.remove(stranger);
    }

    /** Descriptors are short: half of them give theirs back. */
    void makeRoom() {
        turnAwayOldest((deadlines.size() + 1) / 2, "this process has no more descriptors");
    }

    /** The server ends. */
    void turnAllAway() {
        turnAwayOldest(deadlines.size(), "the server ends");
    }

    private void turnAwayOldest(int count, String why) {
        List<Stranger> oldest = deadlines.keySet().stream().limit(count).toList();
        for (Stranger stranger : oldest) {
            deadlines.remove(stranger);
            stranger.turnAway(why);
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
            stranger.turnAway("nothing was proved within server.admission-timeout");
        }
        timerRuns = !deadlines.isEmpty();
        if (timerRuns) {
            loop.schedule(this::expire, Math.max(1, nextNs), TimeUnit.NANOSECONDS);
        }
    }
}

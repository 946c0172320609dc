package org.tributary.cooperation;

import java.util.Arrays;
import org.agrona.collections.Int2IntCounterMap;
import org.tributary.aggregation.AggregationWindow;
import org.tributary.aggregation.Combiner;
import org.tributary.aggregation.RequestQueue;
import org.tributary.aggregation.RequestQueue.Kind;
import org.tributary.config.CooperationMode;

/**
 * The requests that wait for one peer, and those under way to it. Kept to the end of the server, so that a lost peer
 * stays lost. A one-way request is known by its number on the channel: the peer executes them in order and acknowledges
 * how many. Owned by the event loop.
 */
final class Channel {
    private static final int NOBODY = -1;

    final int peer;
    final RequestQueue queue = new RequestQueue();
    final AggregationWindow window;
    final CreditLedger credits;
    /** Null unless requests are combined. */
    final Combiner combiner;
    boolean isConnected;
    boolean isLost;
    boolean isActive;
    /** Tickets whose answers come as soon as the request is executed. */
    int promptTickets;
    /** Ranks that have been answered in this turn, or acknowledged, and are expected to come again. */
    int answered;
    /** How many requests of each rank wait. */
    private final Int2IntCounterMap waiting = new Int2IntCounterMap(0);
    private int lastAnswered = NOBODY;
    /** Waiters of one-way requests under way, in the order of sending. */
    private int[] sent = new int[4];
    private long executed;
    private long issued;

    Channel(int peer, CooperationOptions options, CreditSum all) {
        this.peer = peer;
        window = new AggregationWindow(options.windowNs(), options.windowBytes());
        credits = new CreditLedger(options.channelBytes(), all);
        combiner = options.mode() == CooperationMode.COMBINE ? new Combiner(queue) : null;
    }

    /** Others may join a request that waits. */
    void offer(long number, Kind kind, long segmentId, int rank, long offset, long form, long value) {
        queue.describe(number, segmentId, rank, offset, form, value);
        if (combiner != null) {
            combiner.offer(number, kind, segmentId, rank, offset, form);
        }
    }

    void waits(int rank) {
        waiting.incrementAndGet(rank);
    }

    void waitsNoMore(int rank) {
        waiting.decrementAndGet(rank);
    }

    /**
     * A rank is answered in this turn, and expected to come again unless it has already. What it sent in a row is
     * answered in a row, and counts once.
     */
    void answered(int rank) {
        if (rank != lastAnswered && waiting.get(rank) == 0) {
            lastAnswered = rank;
            answered++;
        }
    }

    void turnEnds(long nowNs) {
        window.answered(nowNs, answered);
        answered = 0;
        lastAnswered = NOBODY;
    }

    boolean isUnderWay() {
        return executed < issued || promptTickets > 0;
    }

    void sentOneWay(int waiter) {
        if (issued - executed == sent.length) {
            int[] more = new int[2 * sent.length];
            for (long number = executed; number < issued; number++) {
                more[(int) number & more.length - 1] = sent[at(number)];
            }
            sent = more;
        }
        sent[at(issued++)] = waiter;
    }

    long executed() {
        return executed;
    }

    long issued() {
        return issued;
    }

    /** The waiters of the next one-way request that has been executed. */
    int takeExecuted() {
        return sent[at(executed++)];
    }

    /** The waiters of the n-th one-way request of the channel, from 1, which is under way. */
    int waiterOf(long number) {
        if (number <= executed || number > issued) {
            throw new IllegalArgumentException("one-way request " + number + " is not among those under way, "
                + (executed + 1) + " to " + issued);
        }
        return sent[at(number - 1)];
    }

    private int at(long number) {
        return (int) number & sent.length - 1;
    }

    @Override
    public String toString() {
        return "channel to node " + peer + ": " + (queue.tail() - queue.head()) + " wait, one-way under way "
            + Arrays.toString(new long[] {executed, issued});
    }
}

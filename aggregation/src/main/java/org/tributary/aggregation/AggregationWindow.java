package org.tributary.aggregation;

/**
 * Decides when requests that wait for one channel leave. What arrives in one turn of the event loop leaves at its end
 * while nothing of ours is under way on the channel, so a lone request is never held. Otherwise the window stays open
 * as long as another request is to be expected before it ends: for at most some time, and some bytes. It closes too
 * when the answer to what is under way comes.
 * <p>
 * Like Nagle's algorithm (RFC 896) with a bound, and like the event-driven window of Que et al. without its empty
 * messages: a timer of the loop ends it. Arrivals are expected as far apart as they have been: requests of one turn
 * count as one, gaps enter with weight 1/8.
 */
public final class AggregationWindow {
    private static final int SHIFT = 3;

    private final long maxDelayNs;
    private final long maxBytes;
    private long gapNs;
    private long lastArrivalNs = Long.MIN_VALUE;
    private long openedNs;
    private long bytes;

    /** A window of at most that long and that many bytes. */
    public AggregationWindow(long maxDelayNs, long maxBytes) {
        this.maxDelayNs = maxDelayNs;
        this.maxBytes = maxBytes;
        // Until there is an estimate, nothing is expected.
        gapNs = 2 * maxDelayNs;
    }

    /** A request has come that waits from now on. */
    public void arrived(long nowNs, int lengthInBytes) {
        if (bytes == 0) {
            openedNs = nowNs;
        }
        bytes += lengthInBytes;
        if (lastArrivalNs == Long.MIN_VALUE) {
            lastArrivalNs = nowNs;
        } else if (nowNs > lastArrivalNs) {
            // One long pause must not outweigh the traffic that follows it.
            long gap = Math.min(nowNs - lastArrivalNs, 4 * maxDelayNs);
            gapNs += (gap - gapNs) >> SHIFT;
            lastArrivalNs = nowNs;
        }
    }

    /**
     * Until when the window is open: not later than {@code nowNs} when it is closed already.
     *
     * @param isUnderWay whether an earlier message on the channel has not been answered
     */
    public long closesAt(long nowNs, boolean isUnderWay) {
        long endNs = openedNs + maxDelayNs;
        boolean isExpected = lastArrivalNs + gapNs <= endNs;
        return isUnderWay && isExpected && bytes < maxBytes ? endNs : nowNs;
    }

    /** Some of what waited has left; what remains waits for credit, not for company. */
    public void left(int lengthInBytes) {
        bytes -= lengthInBytes;
    }
}

package org.tributary.aggregation;

/**
 * Decides when requests that wait for one channel leave. What arrives in one turn of the event loop leaves at its end,
 * so a lone request is never held, unless more is to be expected before the window ends. There are two reasons to
 * expect it. Something of ours is under way, and arrivals have been less far apart than the rest of the window; the
 * answer to what is under way ends that. Or several senders have been answered together, not all of them have come
 * again, and of late most of them have: ranks that draw from one counter come back in a body, and a server
 * that is contended is helped by taking them in one message. The window is open for at most some time, and some bytes.
 * <p>
 * Like Nagle's algorithm (RFC 896) with a bound, and like the event-driven window of Que et al. without its empty
 * messages: a timer of the loop ends it. Requests of one turn count as one arrival, gaps enter with weight 1/8.
 */
public final class AggregationWindow {
    private static final int GAP_WEIGHT = 3;
    private static final int RETURN_WEIGHT = 2;
    /** Fractions of senders that come again: all, and as many as make it worth to wait for the rest. */
    private static final int ALL = 256;
    private static final int MOST = ALL * 3 / 4;

    private final long maxDelayNs;
    private final long maxBytes;
    private long gapNs;
    private long lastArrivalNs = Long.MIN_VALUE;
    private long openedNs;
    private long bytes;
    private long answeredNs;
    private int answered;
    private int returned;
    private int returning;

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
        if (returned < answered && nowNs - answeredNs <= maxDelayNs) {
            returned++;
        }
        if (lastArrivalNs == Long.MIN_VALUE) {
            lastArrivalNs = nowNs;
        } else if (nowNs > lastArrivalNs) {
            // One long pause must not outweigh the traffic that follows it.
            long gap = Math.min(nowNs - lastArrivalNs, 4 * maxDelayNs);
            gapNs += (gap - gapNs) >> GAP_WEIGHT;
            lastArrivalNs = nowNs;
        }
    }

    /** So many senders have been answered or acknowledged in the turn that ends. */
    public void answered(long nowNs, int senders) {
        if (returned == answered || nowNs - answeredNs > maxDelayNs) {
            if (answered > 0) {
                returning += (ALL * returned / answered - returning) >> RETURN_WEIGHT;
            }
            answered = 0;
            returned = 0;
        }
        answered += senders;
        answeredNs = nowNs;
    }

    /**
     * Until when the window is open: not later than {@code nowNs} when it is closed already.
     *
     * @param isUnderWay whether an earlier message on the channel has not been answered
     */
    public long closesAt(long nowNs, boolean isUnderWay) {
        long endNs = openedNs + maxDelayNs;
        boolean isExpected = isUnderWay && lastArrivalNs + gapNs <= endNs;
        if (bytes < maxBytes && isExpected) {
            return endNs;
        }
        boolean areReturning = returned < answered && returning >= MOST;
        return bytes < maxBytes && areReturning ? Math.min(endNs, answeredNs + maxDelayNs) : nowNs;
    }

    /** Some of what waited has left; what remains waits for credit, not for company. */
    public void left(int lengthInBytes) {
        bytes -= lengthInBytes;
    }
}

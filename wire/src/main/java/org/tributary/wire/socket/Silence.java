package org.tributary.wire.socket;

/**
 * When the other kernel of a connection counts as gone: nothing at all has come from it for the time-out, while it had
 * something to answer. Looks are counted, not only time: an owner that did not look because it computed, or was
 * stopped, begins anew. Not thread-safe.
 */
public final class Silence {
    /** Looks that it takes; so many times in the time-out an owner looks at least. */
    private static final int LOOKS = 4;

    private final long lookNs;
    private boolean asked;
    private int heard;
    private long lookedNs;
    private long silentNs;

    public Silence(long timeoutNs) {
        this.lookNs = lookNs(timeoutNs);
    }

    /** Time from look to look. */
    public static long lookNs(long timeoutNs) {
        return timeoutNs / LOOKS;
    }

    /**
     * Tells of a look; returns whether the other side counts as gone.
     *
     * @param segmentsReceived counts everything that has come; any change is an answer
     * @param unanswered       whether the other kernel has something to answer
     */
    public boolean look(int segmentsReceived, boolean unanswered, long nowNs) {
        if (!asked || segmentsReceived != heard || !unanswered) {
            asked = unanswered;
            heard = segmentsReceived;
            silentNs = 0;
        } else {
            silentNs += Math.min(nowNs - lookedNs, lookNs);
        }
        lookedNs = nowNs;
        // Nobody looks exactly on time: the look before the last one, and this one, may both have been late.
        return silentNs >= (LOOKS - 1) * lookNs;
    }
}

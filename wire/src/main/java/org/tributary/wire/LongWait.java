package org.tributary.wire;

/**
 * When a wait has become so long that a line should say what for: after a first time, and again each time it has
 * doubled. No clock of its own, no output. Not thread-safe.
 */
public final class LongWait {
    /** Longer than a start takes on a busy machine, and shorter than anybody watches an empty screen. */
    public static final long FIRST_NS = 10_000_000_000L;
    private static final long NS_PER_S = 1_000_000_000L;

    private final long startNs;
    private long noticeAfterNs;

    /** A wait that begins at {@code startNs}, in nanoseconds of the caller's clock. */
    public LongWait(long startNs) {
        this(startNs, FIRST_NS);
    }

    /** The same, first noticed after {@code firstNs}. */
    public LongWait(long startNs, long firstNs) {
        this.startNs = startNs;
        this.noticeAfterNs = firstNs;
    }

    /** Whether a line is due; then it counts as said. */
    public boolean takeNotice(long nowNs) {
        if (nowNs - startNs < noticeAfterNs) {
            return false;
        }
        while (nowNs - startNs >= noticeAfterNs) {
            noticeAfterNs *= 2;
        }
        return true;
    }

    /** How long it has lasted, in whole seconds. */
    public long seconds(long nowNs) {
        return (nowNs - startNs) / NS_PER_S;
    }
}

package org.tributary.wire;

/** Life of a rank as its own server sees it; the value is what stands in the control file and answers a probe. */
public enum RankState {
    /** Not there yet. */
    EXPECTED,
    /** Takes part. */
    ATTACHED,
    /** Left the job in good order. */
    DEPARTED,
    /** Ended without leaving. */
    DEAD,
    /**
     * Has said goodbye, and makes no calls any more; requests of it, and the goodbye itself behind them, may still wait
     * at its server, also when its process has ended.
     */
    LEAVING;

    private static final RankState[] BY_VALUE = values();

    /** How the state is written. */
    public int value() {
        return ordinal();
    }

    /** Whether it leaves the job in good order, or has left it. */
    public boolean hasSaidGoodbye() {
        return this == LEAVING || this == DEPARTED;
    }

    /** Whether a state is written so. */
    public static boolean isOne(int value) {
        return value >= 0 && value < BY_VALUE.length;
    }

    /** The state that is written so. */
    public static RankState of(int value) {
        return BY_VALUE[value];
    }
}

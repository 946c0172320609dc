package org.tributary.wire.record;

/**
 * How many records a key has seen whose records somebody else counts: an upper bound, so that the count is asked for
 * only when it may matter. Not thread-safe.
 */
final class KeyUse {
    private final long limit;
    private long counted;
    private long since;

    /** Of a new key, of which {@code limit} records matter. */
    KeyUse(long limit) {
        this.limit = limit;
    }

    /** So many records more, at most. */
    void add(long records) {
        since += records;
    }

    /** The count has been asked for. */
    void count(long records) {
        counted = records;
        since = 0;
    }

    /** Whether there have been {@code limit} records, as far as one can tell without asking. */
    boolean mayBeReached() {
        return counted + since >= limit;
    }

    /** Whether the count says so. */
    boolean isReached() {
        return counted >= limit;
    }
}

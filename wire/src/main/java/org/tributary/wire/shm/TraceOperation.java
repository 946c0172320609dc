package org.tributary.wire.shm;

/** The operations that a rank records in its {@link TraceLayout trace}; the code is the ordinal. */
public enum TraceOperation {
    PUT,
    GET,
    ACCUMULATE,
    /** Elements are combined, and what was there before is fetched. */
    GET_ACCUMULATE,
    /** Fetch-and-add, swap or compare-and-swap of a word. */
    ATOMIC,
    /** A flag or a notification, with the put before it if there is one. */
    SIGNAL,
    FENCE,
    /** A mutex is acquired, or asked for. */
    LOCK,
    UNLOCK,
    BARRIER,
    BROADCAST,
    REDUCE,
    ALLREDUCE,
    REDUCE_SCATTER,
    ALLGATHER,
    ALL_TO_ALL;

    private static final TraceOperation[] BY_CODE = values();

    /** The operation with that code, or null when there is none. */
    public static TraceOperation of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }

    /** A collective, by its code in {@link CallLayout}. */
    public static TraceOperation ofCollective(int kind) {
        return switch (kind) {
            case CallLayout.BARRIER -> BARRIER;
            case CallLayout.BROADCAST -> BROADCAST;
            case CallLayout.REDUCE -> REDUCE;
            case CallLayout.ALLREDUCE -> ALLREDUCE;
            case CallLayout.REDUCE_SCATTER -> REDUCE_SCATTER;
            case CallLayout.ALLGATHER -> ALLGATHER;
            default -> ALL_TO_ALL;
        };
    }
}

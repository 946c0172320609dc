package org.tributary.simulator;

/** One operation of a rank: what was asked, and how it went. */
public final class Op {
    public enum Kind {
        /** Replaces a word; one-way. */
        PUT(true),
        /** Adds to a word; one-way. */
        ACCUMULATE(true),
        /** Releases a mutex; one-way. */
        UNLOCK(true),
        /** Reads a word. */
        GET(false),
        /** Adds to a word and answers with what was there. */
        FETCH_AND_ADD(false),
        /** Replaces a word and answers with what was there. */
        SWAP(false),
        /** Acquires a mutex; answered when it is granted. */
        LOCK(false),
        /** Replaces a word when the mutex {@link #LOCKED_BY} is free; answered then. */
        LOCKED_PUT(false),
        /** Adds to a word when that mutex is free; answered then. */
        LOCKED_ACCUMULATE(false),
        /** Reads a word when that mutex is free. */
        LOCKED_GET(false);

        final boolean isOneWay;

        Kind(boolean isOneWay) {
            this.isOneWay = isOneWay;
        }

        /** Whether it waits for a mutex at its target, and then takes any time. */
        boolean waits() {
            return this == LOCK || isLocked();
        }

        /** Whether it changes a mutex, or waits for one. */
        boolean isOfMutex() {
            return waits() || this == UNLOCK;
        }

        /** Whether it takes the mutex for itself, and releases it. */
        boolean isLocked() {
            return this == LOCKED_PUT || this == LOCKED_ACCUMULATE || this == LOCKED_GET;
        }

        private boolean bringsPayload() {
            return isOneWay || this == LOCKED_PUT || this == LOCKED_ACCUMULATE;
        }

        private boolean reads() {
            return this == GET || this == LOCKED_GET;
        }
    }

    /** The mutex of each node that operations under a lock take for themselves. */
    public static final long LOCKED_BY = -1;
    static final int VALUE_BYTES = 28;
    private static final int HEADER_BYTES = 64;
    private static final int DATA_HEADER_BYTES = 20;

    final Kind kind;
    final int rank;
    final int targetNode;
    final long word;
    final long operand;
    final int lengthInBytes;
    final int answerBytes;
    /** Bytes of its answer that count as due while it is awaited: 0 for one that may take any time. */
    final int replyBytes;
    final int contiguousBytes;
    /** Number among the operations of the rank on the target's node, from 1. */
    long number;
    long issuedNs = -1;
    long doneNs = Long.MAX_VALUE;
    long value;
    int executions;
    /** The node that was lost with it; -1 when it is complete, or not yet. */
    int failedAt = -1;

    /**
     * An operation.
     *
     * @param word memory of the target's node that it is on, by any name
     * @param payloadBytes that travel with it, or back with its answer
     */
    public Op(Kind kind, int rank, int targetNode, long word, long operand, int payloadBytes) {
        this.kind = kind;
        this.rank = rank;
        this.targetNode = targetNode;
        this.word = word;
        this.operand = operand;
        this.lengthInBytes = HEADER_BYTES + (kind.bringsPayload() ? payloadBytes : 0);
        this.contiguousBytes = kind.bringsPayload() || kind.reads() ? payloadBytes : 0;
        this.answerBytes = kind.reads() ? Math.max(VALUE_BYTES, DATA_HEADER_BYTES + payloadBytes) : VALUE_BYTES;
        this.replyBytes = kind.isOneWay || kind.waits() ? 0 : answerBytes;
    }

    /** When the rank began it. */
    public long issuedNs() {
        return issuedNs;
    }

    /** The answer. */
    public long value() {
        return value;
    }

    boolean isDone() {
        return doneNs != Long.MAX_VALUE;
    }

    @Override
    public String toString() {
        return kind + " " + number + " of rank " + rank + " on node " + targetNode + ", word " + word + ", operand "
            + operand + ", value " + value + ", " + issuedNs + " to " + doneNs + " ns, executed " + executions
            + " times, failed at " + failedAt;
    }
}

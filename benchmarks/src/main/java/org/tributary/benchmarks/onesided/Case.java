package org.tributary.benchmarks.onesided;

import org.tributary.benchmarks.measure.Effort;

/**
 * One line of the result table: what is done to whom, how often.
 *
 * @param target rank of the target
 * @param bytes  moved by one operation; 0 where nothing is
 */
record Case(Op op, Route route, TargetState state, int target, long bytes, Effort effort) {
    /** Operations from this size on are compared with bandwidths, smaller ones with the time of a round trip. */
    private static final long BULK_BYTES = 256 << 10;

    private boolean isBulk() {
        return bytes >= BULK_BYTES;
    }

    /** Rather than by the time of an operation, or with its contiguous form. */
    boolean isComparedByBandwidth() {
        return op == op.contiguous() && (isBulk() || op == Op.PUT_BANDWIDTH);
    }

    /** Whether {@code other} moves as many bytes on the same way, contiguously where this is strided. */
    boolean isContiguousFormOf(Case other) {
        return op == other.op.contiguous() && route == other.route && state == other.state && bytes == other.bytes;
    }
}

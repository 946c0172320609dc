package org.tributary.benchmarks.overlap;

/**
 * Medians of the epochs of one size, in nanoseconds.
 *
 * @param bytes           that are put in an epoch
 * @param emptyNs         an epoch with nothing in it
 * @param communicationNs put and fence
 * @param computationNs   computation and fence, about as long
 * @param totalNs         put, computation and fence
 */
record Overlap(long bytes, long emptyNs, long communicationNs, long computationNs, long totalNs) {
    /** The part of the communication that the computation hides: 1 when the epoch is as long as the computation. */
    double hidden() {
        return 1 - (double) (totalNs - computationNs) / communicationNs;
    }
}

package org.tributary.benchmarks.windows;

import java.util.Arrays;
import org.tributary.benchmarks.measure.Sample;

/**
 * Result of one contestant, by iteration: times at the group's first member, messages of all members together.
 *
 * @param medianNs   of the means of blocks of iterations
 * @param meanNs     of all iterations
 * @param p99Ns      of the means of blocks of iterations
 * @param iterations timed ones
 * @param requests   messages to servers
 * @param answers    messages from servers
 */
record Outcome(double medianNs, double meanNs, double p99Ns, long iterations, double requests, double answers) {
    private static final double NS_PER_US = 1_000.0;

    /** From the times of blocks, which are sorted in place, and the messages of all of them. */
    static Outcome of(long[] blocksNs, int blocks, int perBlock, long requests, long answers) {
        Sample sample = Sample.of(blocksNs, blocks, 0, 0);
        long iterations = (long) blocks * perBlock;
        double totalNs = Arrays.stream(blocksNs, 0, blocks).sum();
        return new Outcome((double) sample.medianNs() / perBlock, totalNs / iterations,
            (double) sample.p99Ns() / perBlock, iterations,
            (double) requests / iterations, (double) answers / iterations);
    }

    double medianUs() {
        return medianNs / NS_PER_US;
    }

    double meanUs() {
        return meanNs / NS_PER_US;
    }

    double p99Us() {
        return p99Ns / NS_PER_US;
    }

    /** Requests and answers. */
    double messages() {
        return requests + answers;
    }
}

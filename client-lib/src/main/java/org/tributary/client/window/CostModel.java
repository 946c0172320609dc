package org.tributary.client.window;

import java.util.Locale;

/**
 * Costs of messages and collectives, in the terms of Gropp and Thakur (2005): a message takes alpha plus beta for each
 * byte; a barrier of p members takes (lg p) alpha, a reduce-scatter of p numbers (lg p) alpha + (p - 1) s beta with s
 * bytes a number, an allreduce twice the bytes. They take for granted that an adapter moves bytes while a processor
 * computes; here that is measured. Where processors copy the bytes, little is hidden, and issuing early gains little.
 * All in nanoseconds. Immutable, the same on all members.
 *
 * @param alphaNs     a message between two members, measured as half a round trip
 * @param betaNs      a byte between two members
 * @param stepNs      one of the lg p steps of a collective of this group: its alpha, measured on its barrier
 * @param sendNs      a small message at its sender, when others follow
 * @param overlap     part of the transfer of a large put that computation hides, 0 to 1, when all members do both
 * @param members     p
 */
record CostModel(double alphaNs, double betaNs, double stepNs, double sendNs, double overlap, int members) {
    private static final int NUMBER_BYTES = Long.BYTES;

    private int steps() {
        return members <= 1 ? 0 : 32 - Integer.numberOfLeadingZeros(members - 1);
    }

    double barrierNs() {
        return steps() * stepNs;
    }

    double reduceScatterNs() {
        return steps() * stepNs + (double) (members - 1) * NUMBER_BYTES * betaNs;
    }

    double allreduceNs() {
        return steps() * stepNs + 2.0 * (members - 1) * NUMBER_BYTES * betaNs;
    }

    double bytesNs(double bytes) {
        return bytes * betaNs;
    }

    /** The part of a transfer that is issued at once and is left at the end, when there is enough computation. */
    double leftNs(double bytes) {
        return (1 - overlap) * bytesNs(bytes);
    }

    /**
     * Time of a fence epoch's communication and synchronization that is not hidden behind computation.
     *
     * @param targets    members that one origin accesses
     * @param operations operations of one origin
     * @param bytes      bytes of one origin
     * @param hiddenNs   time between an origin's first operation and its closing fence
     */
    double fenceNs(FenceDesign design, double targets, double operations, double bytes, double hiddenNs) {
        double transfer = (operations > 0 ? alphaNs : 0) + bytesNs(bytes);
        double exposed = Math.max(operations > 0 ? alphaNs : 0,
            transfer - overlap * Math.min(hiddenNs, bytesNs(bytes)));
        return switch (design) {
            case DEFERRED -> reduceScatterNs() + transfer + targets * sendNs;
            case IMMEDIATE_NAIVE -> reduceScatterNs() + exposed + targets * 2 * sendNs + (members - 1) * sendNs
                + alphaNs;
            case IMMEDIATE_OPT -> reduceScatterNs() + exposed + targets * 2 * sendNs + barrierNs();
            case IMMEDIATE_NOTIFY -> allreduceNs() + exposed + targets * sendNs + barrierNs();
            case AUTO -> throw new IllegalArgumentException("no design by itself");
        };
    }

    /** Bytes of whose transfer as much can be hidden as deferring saves: from here on, issuing at once pays. */
    long eagerBytes(double savedMessages) {
        double hidden = overlap * betaNs;
        return hidden <= 0 ? Long.MAX_VALUE : (long) (savedMessages * alphaNs / hidden);
    }

    /** A value of {@link #eagerBytes} in words. */
    static String sentAtOnce(long eagerBytes) {
        return eagerBytes == Long.MAX_VALUE ? "nothing of which would be hidden if sent at once"
            : "sent at once from " + eagerBytes + " bytes on";
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT,
            "alpha %.1f us, beta %.3f ns/B, collective step %.1f us, overlap %.2f, %d members", alphaNs / 1e3, betaNs,
            stepNs / 1e3, overlap, members);
    }
}

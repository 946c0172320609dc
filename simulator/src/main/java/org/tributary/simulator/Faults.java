package org.tributary.simulator;

/**
 * The faults of a run.
 *
 * @param maxDelayNs each message may be this much late, by chance; connections keep their own order
 * @param lostNode whose server dies; -1 for none
 * @param lostAtNs when
 */
public record Faults(long maxDelayNs, int lostNode, long lostAtNs) {
    public static final Faults NONE = new Faults(0, -1, 0);
}

package org.tributary.launcher.inquiry;

import org.tributary.config.HostFacts;
import org.tributary.launcher.trace.Clocks;

/**
 * Compares the clock of a host with this one's, as NTP does: an agent tells its time, which was at some moment between
 * question and answer. Of several exchanges the shortest says most. One thread.
 */
public final class ClockProbe {
    /** Enough for one that nothing has delayed, also while the agent's JVM is new. */
    public static final int EXCHANGES = 16;
    private static final String SEPARATOR = " ";

    private final String ownBoot;
    private Clocks.Reading best;

    /** {@code ownBoot} is boot_id of this machine: its own clock needs no comparison. */
    public ClockProbe(String ownBoot) {
        this.ownBoot = ownBoot;
    }

    /** The answer of an agent: its clock, and boot_id of its machine. */
    public static String answer() {
        return System.nanoTime() + SEPARATOR + HostFacts.bootId();
    }

    /** An exchange, in times of this machine, and the answer. */
    public void add(long sentNs, String answer, long receivedNs) {
        int space = answer.indexOf(SEPARATOR);
        long atNs;
        try {
            atNs = Long.parseLong(answer.substring(0, Math.max(0, space)));
        } catch (NumberFormatException e) {
            return; // no time, so no reading
        }
        String boot = answer.substring(space + 1);
        if (boot.isEmpty() || boot.contains(SEPARATOR)) {
            return;
        }
        long halfNs = (receivedNs - sentNs) / 2;
        if (boot.equals(ownBoot)) {
            best = new Clocks.Reading(boot, atNs, 0, 0);
        } else if (best == null || halfNs < best.errorNs()) {
            best = new Clocks.Reading(boot, atNs, sentNs + halfNs - atNs, halfNs);
        }
    }

    /** The reading with the smallest error, or null when there is none. */
    public Clocks.Reading best() {
        return best;
    }
}

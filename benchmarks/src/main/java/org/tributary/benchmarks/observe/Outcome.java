package org.tributary.benchmarks.observe;

import java.util.Map;

/**
 * Rates of one job, and the processor time of its launcher.
 *
 * @param perSecond     how often a second it has done each kind of work
 * @param inTurns       of a job that records, for kinds of {@link Turns}: how much of the same work that is not
 *                      recorded is done in the time of work that is
 * @param launcherCores how many cores its launcher has used meanwhile
 */
record Outcome(Map<Kind, Double> perSecond, Map<Kind, Double> inTurns, double launcherCores) {
    double of(Kind kind) {
        return perSecond.get(kind);
    }

    double inTurns(Kind kind) {
        return inTurns.get(kind);
    }
}

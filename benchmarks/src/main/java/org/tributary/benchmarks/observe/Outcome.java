package org.tributary.benchmarks.observe;

import java.util.Map;

/**
 * Rates of one job, and the processor time of its launcher.
 *
 * @param perSecond     how often a second it has done each kind of work
 * @param launcherCores how many cores its launcher has used meanwhile
 */
record Outcome(Map<Kind, Double> perSecond, double launcherCores) {
    double of(Kind kind) {
        return perSecond.get(kind);
    }
}

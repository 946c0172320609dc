package org.tributary.benchmarks.observe;

import java.io.IOException;
import java.util.List;
import org.tributary.benchmarks.measure.Sample;
import org.tributary.client.Gas;
import org.tributary.client.Internals;
import org.tributary.miniapps.Report;
import org.tributary.wire.shm.Trace;
import org.tributary.wire.shm.WaitSlots;

/**
 * In a job that records: work that is recorded and the same that is not, in turns of a moment. What differs from job to
 * job, and from second to second, is the same for both, so that smaller differences show than between jobs. But all
 * code is compiled for both, and what recording costs work that is not recorded shows only between jobs.
 */
final class Turns {
    /** {@code jacobi} has memory and groups of its own, which are recorded or not from the beginning of the job. */
    static final List<Kind> KINDS = List.of(Kind.PUT, Kind.FETCH_AND_ADD, Kind.BARRIER);
    /** Lines with it are about turns. */
    static final String MARK = "TURNS ";
    /** Turns of a group: with, without, without, with, or the other way around. */
    private static final int GROUP = 4;
    /** So many groups count. */
    private static final int GROUPS = 5;
    /** So many come before them: code that first meets work that is not recorded is compiled anew, some of it late. */
    private static final int WARM_UP_GROUPS = 3;
    /** Turns in the time of a kind of work. */
    private static final int PART = 10;
    /** All turns take so many times as long as a kind of work. */
    static final double SHARE = (double) 3 * (WARM_UP_GROUPS + GROUPS) * GROUP / PART;

    private final WaitSlots waits;
    private final Trace trace;
    private final Work recorded;
    private final Work unrecorded;

    private Turns(WaitSlots waits, Trace trace, Work recorded, Work unrecorded) {
        this.waits = waits;
        this.trace = trace;
        this.recorded = recorded;
        this.unrecorded = unrecorded;
    }

    /** Collective; rank 0 tells the ratios. Nothing happens unless all ranks record. */
    static void run(Gas gas, Work.Batches batches, double seconds, Report report) throws IOException {
        WaitSlots waits = Internals.access(gas).node().waits();
        Trace trace = waits.trace();
        if (trace == null) {
            return;
        }
        try (Work recorded = new Work(gas, batches, seconds / PART)) {
            waits.record(null); // what is made from now on is not recorded
            try (Work unrecorded = new Work(gas, batches, seconds / PART)) {
                Turns turns = new Turns(waits, trace, recorded, unrecorded);
                for (Kind kind : KINDS) {
                    report.line("%s%s%s %s", Work.MARK, MARK, kind.name(), turns.ratio(kind));
                }
            } finally {
                waits.record(trace);
            }
        }
    }

    /** Of use at rank 0. */
    private double ratio(Kind kind) throws IOException {
        for (int i = 0; i < WARM_UP_GROUPS; i++) {
            group(kind, i % 2 == 0);
        }
        double[] ratios = new double[GROUPS];
        for (int i = 0; i < GROUPS; i++) {
            ratios[i] = group(kind, i % 2 == 0);
        }
        return Sample.median(ratios);
    }

    private double group(Kind kind, boolean isRecordedFirst) throws IOException {
        double with = 0;
        double without = 0;
        for (int turn = 0; turn < GROUP; turn++) {
            if ((turn == 0 || turn == GROUP - 1) == isRecordedFirst) {
                waits.record(trace);
                with += recorded.perSecond(kind);
                waits.record(null);
            } else {
                without += unrecorded.perSecond(kind);
            }
        }
        return with / without;
    }
}

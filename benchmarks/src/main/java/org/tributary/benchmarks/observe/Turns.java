package org.tributary.benchmarks.observe;

import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import org.tributary.benchmarks.measure.Sample;
import org.tributary.client.Gas;
import org.tributary.client.Internals;
import org.tributary.miniapps.Report;
import org.tributary.wire.shm.Trace;
import org.tributary.wire.shm.WaitSlots;

/**
 * In a job that records: work that is recorded and the same that is not, in turns of a moment. What differs from job to
 * job, and from second to second, is the same for both, so that smaller differences show than between jobs. But all
 * code is compiled for both, and what recording costs work that is not recorded shows only between jobs. There are two
 * groups and memories of each, as that which is made first may lie better.
 */
final class Turns {
    /** {@code jacobi} has memory and groups of its own, which are recorded or not from the beginning of the job. */
    static final List<Kind> KINDS = List.of(Kind.PUT, Kind.FETCH_AND_ADD, Kind.BARRIER);
    /** Lines with it are about turns. */
    static final String MARK = "TURNS ";
    /** Turns of a group: with, without, without, with, or the other way around. */
    private static final int GROUP = 4;
    /** So many groups count. */
    private static final int GROUPS = 40;
    /** So many come before them: code that first meets work that is not recorded is compiled anew, some of it late. */
    private static final int WARM_UP_GROUPS = 8;
    /** Turns in the time of a kind of work. */
    private static final int PART = 25;
    /** All turns take so many times as long as a kind of work. */
    static final double SHARE = (double) 3 * (WARM_UP_GROUPS + GROUPS) * GROUP / PART;

    private final WaitSlots waits;
    private final Trace trace;
    private final List<Work> recorded;
    private final List<Work> unrecorded;

    private Turns(WaitSlots waits, Trace trace, List<Work> recorded, List<Work> unrecorded) {
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
        Function<Trace, Work> maker = recorded -> {
            waits.record(recorded); // so is what is made now
            return new Work(gas, batches, seconds / PART);
        };
        try (Work first = maker.apply(trace); Work second = maker.apply(null); Work third = maker.apply(null);
            Work fourth = maker.apply(trace)) {
            waits.record(null);
            Turns turns = new Turns(waits, trace, List.of(first, fourth), List.of(second, third));
            for (Kind kind : KINDS) {
                report.line("%s%s%s %s", Work.MARK, MARK, kind.name(), turns.ratio(kind));
            }
        } finally {
            waits.record(trace);
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
                with += recorded.get(turn / 2).perSecond(kind);
                waits.record(null);
            } else {
                without += unrecorded.get(turn / 2).perSecond(kind);
            }
        }
        return with / without;
    }
}

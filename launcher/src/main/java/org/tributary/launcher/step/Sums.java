package org.tributary.launcher.step;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.tributary.launcher.step.NodeRates.Rate;
import org.tributary.wire.shm.Latencies;
import org.tributary.wire.status.JobStatus;
import org.tributary.wire.status.NodeSnapshot;
import org.tributary.wire.status.NodeStatus.Rank;
import org.tributary.wire.status.NodeStatus.Wait;
import org.tributary.wire.status.ProcessState;
import org.tributary.wire.status.ServerGauge;
import org.tributary.wire.status.ServerOperation;

/** Sums over nodes, and the greatest or least of some times. */
public final class Sums {
    static final int BUCKETS = Latencies.BYTES / Integer.BYTES;

    private static final long LONG_WAIT_NS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Nodes that are counted. */
    long nodes;
    /** Of which so many may have a server. */
    long served;
    /** Of the oldest. */
    long ageNs;
    /** Of the rank that has waited least; the largest number when none takes part. */
    long stillNs = Long.MAX_VALUE;
    long longWaits;
    /** By {@link RankDoes}. */
    final long[] states = new long[RankDoes.values().length];
    /** By the code of the operation. */
    final Rate[] operations = new Rate[ServerOperation.values().length];
    /** Rate of requests that are not known by rank. */
    Rate others = Rate.NONE;
    /** By the code of the gauge. */
    final long[] gauges = new long[ServerGauge.values().length];
    /** New calls by kind and bucket. */
    final long[] latencies = new long[BUCKETS];

    Sums() {
        Arrays.fill(operations, Rate.NONE);
    }

    void count(NodeSnapshot node, NodeRates rates, int... calls) {
        nodes++;
        served += node.status().server() == ProcessState.GONE ? 0 : 1;
        ageNs = Math.max(ageNs, node.status().ageNs());
        for (Rank rank : node.status().ranks()) {
            states[RankDoes.of(rank).ordinal()]++;
            longWaits += waitsLong(rank) ? 1 : 0;
            stillNs = Math.min(stillNs, JobStatus.standsStillNs(rank));
        }
        List<Rate> told = rates.operations();
        for (int i = 0; i < Math.min(operations.length, told.size()); i++) {
            operations[i] = operations[i].plus(told.get(i));
        }
        for (NodeRates.PairRate pair : rates.pairs()) {
            others = pair.isKnown() ? others : others.plus(pair.rate());
        }
        List<Long> gaugesTold = node.counts().gauges();
        for (int i = 0; i < Math.min(gauges.length, gaugesTold.size()); i++) {
            gauges[i] += gaugesTold.get(i);
        }
        for (int i = 0; i < calls.length; i++) {
            if (calls[i] != 0) {
                latencies[i] += calls[i];
            }
        }
    }

    static boolean waitsLong(Rank rank) {
        Wait wait = JobStatus.waitOf(rank);
        return rank.isAttached() && wait != null && wait.ageNs() >= LONG_WAIT_NS;
    }

    void add(Sums other) {
        nodes += other.nodes;
        served += other.served;
        ageNs = Math.max(ageNs, other.ageNs);
        stillNs = Math.min(stillNs, other.stillNs);
        longWaits += other.longWaits;
        others = others.plus(other.others);
        add(other.states, states);
        add(other.gauges, gauges);
        add(other.latencies, latencies);
        for (int i = 0; i < operations.length; i++) {
            operations[i] = operations[i].plus(other.operations[i]);
        }
    }

    private static void add(long[] of, long... to) {
        for (int i = 0; i < to.length; i++) {
            if (of[i] != 0) { // as few are
                to[i] += of[i];
            }
        }
    }

    public long nodes() {
        return nodes;
    }

    /** Of which so many may have a server: not when all were killed, which leaves their files. */
    public long served() {
        return served;
    }

    public long ageNs() {
        return ageNs;
    }

    /** For how long no rank has made progress. */
    public long standsStillNs() {
        return stillNs == Long.MAX_VALUE ? 0 : stillNs;
    }

    /** Ranks that have waited long. */
    public long longWaits() {
        return longWaits;
    }

    /** Ranks that do so. */
    public long ranks(RankDoes what) {
        return states[what.ordinal()];
    }

    /** By the code of the operation. */
    public Rate[] operations() {
        return operations.clone();
    }

    /** All operations together. */
    public Rate total() {
        return Rate.sum(Arrays.asList(operations));
    }

    public Rate others() {
        return others;
    }

    public long gauge(ServerGauge gauge) {
        return gauges[gauge.ordinal()];
    }

    /** New calls by kind and bucket. */
    public long[] latencies() {
        return latencies.clone();
    }
}

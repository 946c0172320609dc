package org.tributary.wire.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.tributary.wire.shm.Latencies;
import org.tributary.wire.shm.LatencyKind;
import org.tributary.wire.shm.StressAccess;

/** Threads of a rank whose calls end at once, all in the bucket of the longest times. */
@JCStressTest
@Outcome(id = "2, 1", expect = ACCEPTABLE, desc = "each call counted, of its kind")
@State
public class LatenciesStress {
    private static final long LONG_AGO_NS = 1L << 40;

    private final Latencies latencies = Latencies.unshared();

    /** One thread. */
    @Actor
    public void one() {
        latencies.ended(LatencyKind.GET, System.nanoTime() - LONG_AGO_NS);
    }

    /** Another one. */
    @Actor
    public void other() {
        latencies.ended(LatencyKind.ATOMIC, System.nanoTime() - LONG_AGO_NS);
        latencies.ended(LatencyKind.GET, System.nanoTime() - LONG_AGO_NS);
    }

    /** All counts. */
    @Arbiter
    public void after(II_Result result) {
        result.r1 = StressAccess.count(latencies, LatencyKind.GET, Latencies.BUCKETS - 1);
        result.r2 = StressAccess.count(latencies, LatencyKind.ATOMIC, Latencies.BUCKETS - 1);
    }
}

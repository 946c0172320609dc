package org.tributary.launcher.status;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.client.Gas;
import org.tributary.launcher.step.Asked;
import org.tributary.testing.Ranks;
import org.tributary.wire.shape.ReduceOp;
import org.tributary.wire.shm.Latencies;
import org.tributary.wire.shm.LatencyKind;

/** How long barriers and collectives of ranks take, as a page gets it. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CollectiveLatenciesTest {
    private static final int CALLS = 64;

    @TempDir
    private Path shm;

    @Test
    void shouldCountThemWhenRanksCallThem() throws Exception {
        Ranks.of("1*2").with("shm.directory=" + shm).run(this::call);
    }

    private void call(Gas gas) {
        for (int i = 0; i < CALLS; i++) {
            gas.world().barrier();
            gas.world().allreduce(ReduceOp.SUM, 1L);
        }
        try {
            JobView job = LocalJob.all(shm).values().iterator().next();
            int[] counts = job.step(Asked.first("page")).nodes().getFirst().latencies();
            for (LatencyKind kind : new LatencyKind[] {LatencyKind.BARRIER, LatencyKind.COLLECTIVE}) {
                int from = kind.ordinal() * Latencies.BUCKETS;
                int calls = Arrays.stream(counts, from, from + Latencies.BUCKETS).sum();
                assertTrue(calls > 0, calls + " of kind " + kind); // most are not timed
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        gas.barrier();
    }
}

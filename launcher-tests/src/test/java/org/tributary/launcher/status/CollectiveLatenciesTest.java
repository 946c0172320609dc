package org.tributary.launcher.status;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.client.Gas;
import org.tributary.client.window.Assertion;
import org.tributary.client.window.Window;
import org.tributary.client.window.WindowOptions;
import org.tributary.launcher.step.Asked;
import org.tributary.testing.Ranks;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.shape.ReduceOp;
import org.tributary.wire.shm.Latencies;
import org.tributary.wire.shm.LatencyKind;
import org.tributary.wire.status.NodeSnapshot;

/** How long barriers, collectives and calls of windows of ranks take, as a page gets it. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CollectiveLatenciesTest {
    private static final int CALLS = 64;

    @TempDir
    private Path shm;

    @Test
    void shouldCountThemWhenRanksCallThem() throws Exception {
        Ranks.of("1*2").with("shm.directory=" + shm).run(this::call);
    }

    @Test
    void shouldCountThemWhenRanksSynchronizeWindows() throws Exception {
        Ranks.of("2*1").with("shm.directory=" + shm).run(this::synchronize);
    }

    private void call(Gas gas) {
        for (int i = 0; i < CALLS; i++) {
            gas.world().barrier();
            gas.world().allreduce(ReduceOp.SUM, 1L);
        }
        assertCounted(LatencyKind.BARRIER, LatencyKind.COLLECTIVE);
        gas.barrier();
    }

    private void synchronize(Gas gas) {
        int other = 1 - gas.rank();
        try (Window window = Window.allocate(gas, gas.world(), 64, 8, WindowOptions.DEFAULT)) {
            MemorySegment one = MemorySegment.ofArray(new long[] {1});
            for (int i = 0; i < CALLS; i++) {
                window.fence();
                window.put(other, 0, one);
                window.fence(Assertion.NOSUCCEED);
                window.post(new int[] {other});
                window.start(new int[] {other});
                window.put(other, 1, one);
                window.complete();
                window.await();
                window.lock(LockMode.EXCLUSIVE, other);
                window.put(other, 2, one);
                window.flush(other);
                window.unlock(other);
            }
            gas.barrier();
            assertCounted(LatencyKind.WINDOW_FENCE, LatencyKind.WINDOW_EPOCH, LatencyKind.WINDOW_UNLOCK);
            gas.barrier();
        }
    }

    /** At each node; most short ones are not timed. */
    private void assertCounted(LatencyKind... kinds) {
        try {
            JobView job = LocalJob.all(shm).values().iterator().next();
            for (NodeSnapshot node : job.step(Asked.first("page")).nodes()) {
                for (LatencyKind kind : kinds) {
                    int from = kind.ordinal() * Latencies.BUCKETS;
                    int calls = Arrays.stream(node.latencies(), from, from + Latencies.BUCKETS).sum();
                    assertTrue(calls > 0, calls + " of kind " + kind);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}

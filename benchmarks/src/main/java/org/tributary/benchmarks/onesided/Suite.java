package org.tributary.benchmarks.onesided;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.tributary.benchmarks.limits.RawLimits;
import org.tributary.benchmarks.measure.Sample;
import org.tributary.benchmarks.measure.Stopwatch;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.MutexSet;
import org.tributary.config.JobEnvironment;
import org.tributary.miniapps.Progress;

/**
 * Works through a plan, in step on all ranks: a barrier ends every phase, and those without a part in it block there.
 */
final class Suite implements AutoCloseable {
    private static final long COPY_BYTES = 4 << 20;
    private static final long ALIGNMENT = 64;
    /** A computing target gives up some time after the origin must have finished. */
    private static final long COMPUTE_LIMIT_SECONDS = Stopwatch.MAX_SECONDS + 60;

    private final Gas gas;
    private final List<Case> plan;
    private final Rows rows;
    private final Control control;
    private final ComputeLoop computing;
    private final GlobalMemory memory;
    private final MutexSet mutexes;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment source;
    private final MemorySegment sink;
    private final Stopwatch stopwatch = new Stopwatch();
    private long phase;

    /** Collective. */
    Suite(Gas gas, JobEnvironment job, Workload workload, List<Case> plan) {
        this.gas = gas;
        this.plan = plan;
        rows = workload.rows();
        control = new Control(gas, job);
        computing = control.computeLoop();
        boolean origin = gas.rank() == Route.ORIGIN;
        boolean target = plan.stream().anyMatch(one -> one.target() == gas.rank());
        long bytes = workload.bytesAtTarget();
        memory = gas.allocate(origin || target ? bytes : 0);
        mutexes = gas.createMutexes(target ? 1 : 0);
        source = arena.allocate(origin ? bytes : 0, ALIGNMENT);
        sink = arena.allocate(origin ? bytes : 0, ALIGNMENT);
    }

    /** Collective: the raw limits; null on all ranks but 0. */
    RawLimits measureLimits() throws IOException {
        Optional<Integer> target = Route.REMOTE.target(gas.topology());
        RawLimits limits = null;
        try (SocketChannel channel = target.isPresent() ? control.connect(target.get()) : null) {
            if (gas.rank() == Route.ORIGIN) {
                // From where the operations take their data too: its pages may be slower than those of shared memory.
                // Written first, or the kernel would map all of it to one page of zeros.
                MemorySegment from = source.asSlice(0, COPY_BYTES).fill((byte) 1);
                MemorySegment to = memory.local().asSlice(0, COPY_BYTES);
                limits = channel == null
                    ? RawLimits.measure(from, to)
                    : RawLimits.measure(channel, from, to);
            } else if (channel != null) {
                RawLimits.answer(channel);
            }
        }
        gas.barrier();
        return limits;
    }

    /** Collective: all cases once; the list is empty on all ranks but 0. */
    List<Result> run(RawLimits limits, Report report) throws IOException, TimeoutException {
        List<Result> results = new ArrayList<>();
        Progress progress = Progress.of("one-sided", plan.size(), report != null);
        for (int i = 0; i < plan.size(); i++) {
            progress.at(i);
            Case next = plan.get(i);
            phase++;
            if (gas.rank() == Route.ORIGIN) {
                Sample sample = measure(next, i);
                Result result = new Comparison(limits).compare(next, sample, results);
                results.add(result);
                report.row(result);
            } else if (gas.rank() == next.target() && next.state() == TargetState.COMPUTING) {
                computing.runUntil(phase, COMPUTE_LIMIT_SECONDS);
            }
            gas.barrier();
        }
        return results;
    }

    private Sample measure(Case next, int seed) throws IOException {
        Endpoint endpoint = new Endpoint(gas, memory, next.target(), source, sink);
        endpoint.fillSource(seed);
        Operation operation = operation(next, endpoint);
        Sample sample = stopwatch.measure(operation, next.effort());
        if (next.state() == TargetState.COMPUTING) {
            control.stop(next.target(), phase);
        }
        operation.verify();
        return sample;
    }

    private Operation operation(Case next, Endpoint at) {
        return switch (next.op()) {
            case PUT_FENCE -> new Transfers.PutFence(at, next.bytes());
            case GET -> new Transfers.Get(at, next.bytes());
            case ACCUMULATE_FENCE -> new Transfers.AccumulateFence(at, next.bytes());
            case FETCH_AND_ADD -> new Atomics.FetchAndAdd(at);
            case LOCK_UNLOCK -> new Atomics.LockUnlock(mutexes, next.target());
            case STRIDED_PUT_FENCE -> new StridedTransfers.PutFence(at, rows);
            case STRIDED_GET -> new StridedTransfers.Get(at, rows);
            case PUT_RATE, PUT_BANDWIDTH -> new Windows(at, next.bytes(), false);
            case AGGREGATE_PUT_RATE -> new Windows(at, next.bytes(), true);
        };
    }

    /** Collective. */
    @Override
    public void close() {
        mutexes.close();
        memory.close();
        control.close();
        arena.close();
    }
}

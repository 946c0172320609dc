package org.tributary.client.window;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Set;
import org.tributary.client.Group;
import org.tributary.client.error.FirstFailure;
import org.tributary.client.remote.Handle;
import org.tributary.wire.Frames;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;
import org.tributary.wire.shm.LatencyKind;
import org.tributary.wire.shm.LatencySample;

/**
 * Fences of one window in every design of {@link FenceDesign}. All members go through the same design in the same
 * epoch.
 *
 * <p>Completions are counted in one word at each target that only grows; what it must reach is the sum of what the
 * collective of each fence has said. So no count is reset, and a late message of one epoch cannot be taken for one of
 * the next. Gets are complete at their origin when their data is there. Where no barrier follows (NOSUCCEED), the
 * target could change what is still being read: origins wait for their data before they take part in the collective
 * then, or gets are counted as well.
 */
final class FenceSync {
    private final Group group;
    private final WindowTransport transport;
    private final Handle handle;
    private final Handle prompt;
    private final EpochTargets targets;
    private final FenceChooser chooser;
    private final long[] tally;
    private final long[] own;
    private final LatencySample times;
    private final FirstFailure failures = new FirstFailure();
    private FenceDesign design;
    /** Number of the fence in which the rank is, or has been last; alike on all members. */
    private long fences;
    private long expected;
    private long readyExpected;
    private long firstOperationNs;
    private boolean putsExcluded;

    /** {@code prompt}: for operations that are waited for as soon as they are issued. */
    FenceSync(Group group, WindowTransport transport, Handle handle, Handle prompt, FenceChooser chooser) {
        this.group = group;
        this.transport = transport;
        this.handle = handle;
        this.prompt = prompt;
        this.targets = new EpochTargets(group.size());
        this.chooser = chooser;
        this.design = chooser.first();
        int block = 1 + chooser.inputs();
        this.tally = new long[block * group.size()];
        this.own = new long[block];
        this.times = transport.times(LatencyKind.WINDOW_FENCE);
    }

    void operation(RmaOperation operation, int member) {
        if (targets.count() == 0) {
            firstOperationNs = System.nanoTime();
        }
        targets.touch(member, operation.length(), operation.kind().writes());
        if (design.isDeferred() && member != group.rank()) {
            targets.queue(member).add(operation);
        } else if (design == FenceDesign.IMMEDIATE_NOTIFY && member != group.rank()) {
            targets.count(member, transport.issueCounted(operation, handle));
        } else {
            transport.issue(operation, 0, handle);
        }
    }

    /** Ends the epoch before, and begins the next one; takes part in every collective of it, whatever fails. */
    void fence(Set<Assertion> assertions) {
        long began = times.begin();
        boolean precede = !assertions.contains(Assertion.NOPRECEDE);
        boolean succeed = !assertions.contains(Assertion.NOSUCCEED);
        if (!assertions.contains(Assertion.NOSTORE)) {
            VarHandle.fullFence(); // stores to the own part come before whatever tells others that this rank is here
        }
        FenceDesign closing = design;
        fences++;
        if (precede) {
            switch (closing) {
                case DEFERRED -> closeDeferred();
                case IMMEDIATE_NOTIFY -> closeNotified(succeed);
                default -> closeFinished(succeed);
            }
            design = chooser.next(own);
        }
        // Deferred operations wait for the next collective anyway; others need to know that their targets are here.
        if (succeed && !(closing.isDeferred() && design.isDeferred())) {
            FenceDesign how = closing.isDeferred() ? design : closing;
            failures.attempt(() -> makeReady(how, precede));
        }
        failures.attempt(() -> transport.readyAfter(fences));
        targets.clear();
        putsExcluded = assertions.contains(Assertion.NOPUT);
        failures.attempt(transport::throwFailures);
        failures.rethrow();
        times.ended(began);
    }

    /**
     * Returns when every member has called this, and so is ready to be accessed. Flags suffice behind a collective:
     * nobody waits for one of a member that has left, or makes another call.
     */
    private void makeReady(FenceDesign how, boolean behindCollective) {
        if (how == FenceDesign.IMMEDIATE_NAIVE && behindCollective) {
            for (int member = 0; member < group.size(); member++) {
                if (member != group.rank()) {
                    transport.signalReady(group.worldRank(member));
                }
            }
            transport.flush();
            transport.readyAfter(fences);
            readyExpected += group.size() - 1;
            transport.awaitReadyCount(readyExpected, fences);
        } else {
            group.barrier();
        }
    }

    private void closeDeferred() {
        targets.forEach(member -> {
            if (targets.queue(member).size() > 0) {
                targets.countOne(member);
            }
        });
        failures.attempt(this::reduceScatter);
        targets.forEach(member -> failures.attempt(
            () -> targets.queue(member).issue(transport, Frames.THEN_COUNT_FENCE, prompt)));
        failures.attempt(transport::flush);
        failures.attempt(() -> transport.await(prompt));
        failures.attempt(() -> transport.sent(fences));
        failures.attempt(() -> transport.awaitFenceCount(expected, fences));
    }

    private void closeFinished(boolean succeed) {
        if (!succeed) {
            // Nobody leaves the collective before this rank has what it reads.
            failures.attempt(() -> transport.await(handle));
        }
        targets.forEach(member -> {
            if (member != group.rank() && targets.isWritten(member)) {
                targets.countOne(member);
                failures.attempt(() -> transport.complete(group.worldRank(member), Frames.THEN_COUNT_FENCE));
            }
        });
        failures.attempt(transport::flush);
        failures.attempt(this::reduceScatter);
        failures.attempt(() -> transport.await(handle));
        failures.attempt(() -> transport.sent(fences));
        if (!putsExcluded) {
            failures.attempt(() -> transport.awaitFenceCount(expected, fences));
        }
    }

    private void closeNotified(boolean succeed) {
        failures.attempt(transport::flush);
        failures.attempt(this::sumCompletions);
        failures.attempt(() -> transport.await(handle));
        failures.attempt(() -> transport.sent(fences));
        if (!putsExcluded || !succeed) {
            failures.attempt(() -> transport.awaitFenceCount(expected, fences));
        }
    }

    /** As {@link #reduceScatter}, where the design has no targets of its own to count for. */
    private void sumCompletions() {
        int size = group.size();
        for (int member = 0; member < size; member++) {
            tally[member] = targets.completions(member);
        }
        chooser.inputs(own, targets, firstOperationNs);
        System.arraycopy(own, 1, tally, size, chooser.inputs());
        MemorySegment all = MemorySegment.ofArray(tally).asSlice(0, (long) (size + chooser.inputs()) * Long.BYTES);
        group.allreduce(ReduceOp.SUM, ElementType.LONG, all, all);
        expected += tally[group.rank()];
        System.arraycopy(tally, size, own, 1, chooser.inputs());
    }

    /** Tells every member how many completions it has to wait for in this epoch, and sums up what the chooser asks. */
    private void reduceScatter() {
        int block = own.length;
        chooser.inputs(own, targets, firstOperationNs);
        for (int member = 0; member < group.size(); member++) {
            System.arraycopy(own, 0, tally, member * block, block);
            tally[member * block] = targets.completions(member);
        }
        group.reduceScatter(ReduceOp.SUM, ElementType.LONG, MemorySegment.ofArray(tally), MemorySegment.ofArray(own));
        expected += own[0];
        Arrays.fill(tally, 0);
    }
}

package org.tributary.client.node;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.tributary.client.error.JobAbortedException;
import org.tributary.client.link.Calls;
import org.tributary.client.link.JobFailure;
import org.tributary.config.JobEnvironment;
import org.tributary.config.NodeRanks;
import org.tributary.config.Settings;
import org.tributary.wire.Deadline;
import org.tributary.wire.LongWait;
import org.tributary.wire.RankState;
import org.tributary.wire.shape.Accumulator;
import org.tributary.wire.shm.AccumulateLocks;
import org.tributary.wire.shm.ControlFile;
import org.tributary.wire.shm.Backoff;
import org.tributary.wire.shm.DamagedMemoryException;
import org.tributary.wire.shm.MappedFiles;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.shm.NotifyTable;
import org.tributary.wire.shm.Presence;
import org.tributary.wire.shm.SharedWord;
import org.tributary.wire.shm.Latencies;
import org.tributary.wire.shm.Trace;
import org.tributary.wire.shm.TraceLayout;
import org.tributary.wire.shm.WaitSlots;

/** The memory that a rank shares with the other ranks of its node besides segments, and its waiting for words there. */
public final class LocalNode implements AutoCloseable {
    /** A sleeping rank, which a failure wakes, first looks after this time whether the job goes on. */
    private static final long SLICE_NS = 1_000_000_000L;
    /** It looks less and less often, at last after this time. */
    private static final long LONGEST_SLICE_NS = 8 * SLICE_NS;
    /** First it asks after this time whether the one it waits for still takes part, and then as often as it looks. */
    private static final long FIRST_DOUBT_NS = 200_000_000L;
    private static final long LOOK_NS = 100_000L;
    private static final int LOOKS_BEFORE_CLOCK = 50;

    private final Arena arena = Arena.ofShared();
    private final NodeDirectory directory;
    private final ControlFile control;
    private final JobFailure failure;
    private final Settings settings;
    private final int rank;
    private final int jobRanks;
    private final NodeRanks ranks;
    private final int index;
    private final Presence presence;
    private final AccumulateLocks accumulateLocks;
    private final Accumulator accumulator;
    private final Backoff backoff;
    private final WaitSlots waits;
    private final Latencies latencies;
    private Runnable whileBlocked = () -> { };
    private boolean closed;

    public LocalNode(NodeDirectory directory, JobEnvironment job, Settings settings, JobFailure failure)
        throws IOException {
        this.directory = directory;
        this.failure = failure;
        this.settings = settings;
        this.rank = job.rank();
        this.jobRanks = job.topology().rankCount();
        this.ranks = job.topology().ranksOf(job.node());
        this.index = ranks.indexOf(rank);
        try {
            this.control = ControlFile.open(directory.control(), arena);
            if (control.localRankCount() != ranks.count()) {
                throw new IOException(directory.control() + " is of a node of " + control.localRankCount()
                    + " ranks, not " + ranks.count() + ": rank and server have different layouts");
            }
            this.presence = control.present(index + 1);
        } catch (IOException | RuntimeException | Error e) {
            arena.close();
            throw e;
        }
        failure.mapped().add(control.file(), control.sizeInBytes());
        this.waits = control.waits(index);
        this.latencies = control.latencies(index);
        this.accumulateLocks = control.accumulateLocks(index + 1, presence::isAlive, failure::check, waits);
        this.accumulator = new Accumulator(accumulateLocks);
        this.backoff = Backoff.of(settings.waitPreset());
    }

    /** Ends the job; returns what to throw. */
    JobAbortedException memoryFault(Throwable cause) {
        return failure.memoryFault(cause);
    }

    MappedFiles mapped() {
        return failure.mapped();
    }

    public NodeDirectory directory() {
        return directory;
    }

    Calls calls() {
        return failure.calls();
    }

    Accumulator accumulator() {
        return accumulator;
    }

    /** Where threads of this rank that block say what for. */
    public WaitSlots waits() {
        return waits;
    }

    /** Where threads of this rank note how long calls have waited for servers. */
    public Latencies latencies() {
        return latencies;
    }

    /** Where this rank records operations and waits, or null. */
    public Trace trace() {
        return waits.trace();
    }

    public boolean isLocal(int other) {
        return ranks.contains(other);
    }

    public NodeRanks ranks() {
        return ranks;
    }

    /** Wakes a rank of this node. */
    public void ring(int other) {
        control.doorbell(ranks.indexOf(other)).ring();
    }

    /** Counts a notification of this rank at another of this node; false when that one's table is full. */
    public boolean notifyRank(int other) {
        failure.calls().check();
        try {
            NotifyTable table = control.notifications(ranks.indexOf(other));
            boolean counted = table.add(rank);
            if (!counted) {
                table.check(jobRanks, () -> table(other));
            }
            ring(other);
            return counted;
        } catch (DamagedMemoryException e) {
            throw failure.memoryFault(e);
        } catch (IllegalStateException e) {
            failure.calls().check(); // unmapped since then
            throw e;
        }
    }

    /** Notifications that this rank has from another, of which it has seen some already. */
    public long notificationsFrom(int source, long seen) {
        long count = control.notifications(index).count(source);
        if (count < seen) {
            throw failure.memoryFault(new DamagedMemoryException(table(rank), "it counts " + count + " of rank "
                + source + ", and there were " + seen));
        }
        return count;
    }

    private String table(int other) {
        return "the notification table of rank " + other + " in " + control.file();
    }

    public RankState stateOf(int other) {
        failure.calls().check();
        try {
            return control.rankState(ranks.indexOf(other));
        } catch (DamagedMemoryException e) {
            throw failure.memoryFault(e);
        }
    }

    /** What threads do every few seconds while they wait long; set before there are any. */
    public void whileBlocked(Runnable task) {
        whileBlocked = task;
    }

    /** Waits for an 8-byte word to reach or to equal a value, for that cause. */
    public void awaitWord(MemorySegment memory, long offset, long value, boolean exactly, int from,
        RankStates states, Cause cause) {
        if (!reached(memory, offset, value, exactly)) {
            await(() -> reached(memory, offset, value, exactly), from, states, cause, cause.number(offset));
        }
    }

    /** Whether a word has reached a value; looks whether it ever will if it has not. */
    public boolean hasReached(MemorySegment memory, long offset, long value) {
        boolean reached = reached(memory, offset, value, false);
        if (!reached) {
            failure.check();
        }
        return reached;
    }

    /** Acquire load; partner: the release store or full-fence addition that sets the word. */
    private static boolean reached(MemorySegment memory, long offset, long value, boolean exactly) {
        long word = SharedWord.getLongAcquire(memory, offset);
        return exactly ? word == value : word >= value;
    }

    /**
     * Waits for a condition on shared memory: spins first, then sleeps on this rank's doorbell.
     *
     * @param from   rank that is to make it true, or -1 when not known
     * @param states how to ask for the state of a rank of any node
     * @param number what others are told besides the cause
     * @throws JobAbortedException when the job fails, or that rank has left without making it true
     */
    public void await(BooleanSupplier condition, int from, RankStates states, Cause cause, long number) {
        failure.calls().begin();
        try {
            long sinceNs = System.nanoTime();
            if (look(condition)) {
                return; // a look at the clock would take long beside such a wait
            }
            long seenNs = spin(condition, sinceNs + settings.waitSpinNs());
            if (seenNs == 0) {
                int slot = waits.begin(cause.kind(), from, cause.segment(), number);
                try {
                    block(condition, from, states, cause);
                } finally {
                    waits.end(slot, sinceNs);
                }
            }
            Trace trace = trace();
            if (trace != null) {
                waited(trace, cause, sinceNs, seenNs, from, number);
            }
        } catch (InternalError e) {
            throw failure.memoryFault(e); // memory that is gone
        } finally {
            failure.calls().end();
        }
    }

    /** Records a wait, unless it has blocked, which records it; its thread saw the clock then, or blocked if 0. */
    private static void waited(Trace trace, Cause cause, long sinceNs, long seenNs, int from, long number) {
        boolean hasBlocked = seenNs == 0;
        boolean isLong = hasBlocked || seenNs - sinceNs >= TraceLayout.LEAST_SEEN_NS;
        long latestNs = isLong ? System.nanoTime() : seenNs;
        if (isLong && !hasBlocked) {
            trace.waited(cause.kind(), sinceNs, latestNs, from, cause.segment(), number);
        }
        cause.waited(sinceNs, latestNs);
    }

    private void block(BooleanSupplier condition, int from, RankStates states, Cause cause) {
        long lookedNs = System.nanoTime();
        long askAtNs = lookedNs + FIRST_DOUBT_NS;
        long noticeAfterNs = LongWait.FIRST_NS;
        long waitedNs = 0; // while this process ran: it may have been stopped
        BooleanSupplier ended = () -> condition.getAsBoolean() || failure.hasFailed();
        while (!condition.getAsBoolean()) {
            failure.check();
            failure.checkMemory();
            long sliceNs = from < 0 ? sliceNs(waitedNs)
                : Math.clamp(askAtNs - System.nanoTime(), 1, sliceNs(waitedNs));
            control.doorbell(index).sleep(ended, sliceNs);
            long nowNs = System.nanoTime();
            waitedNs += Math.min(nowNs - lookedNs, sliceNs + SLICE_NS);
            lookedNs = nowNs;
            if (!ended.getAsBoolean()) {
                whileBlocked.run(); // not on the way of a thread that is woken
            }
            if (from >= 0 && nowNs >= askAtNs && !condition.getAsBoolean()) {
                cause.doubt(from, ended);
                RankState state = states.of(from, ended);
                if (state == null) {
                    continue; // it has ended
                }
                checkPresence(condition, from, state, waitedNs);
                if (state == RankState.EXPECTED && waitedNs >= noticeAfterNs) {
                    System.err.println("tributary: rank " + rank + " still waits for rank " + from
                        + ", which has not attached (" + waitedNs / SLICE_NS + " s of "
                        + settings.attachTimeoutNs() / SLICE_NS + " s)");
                    noticeAfterNs = 2 * waitedNs;
                }
                // One that is still to come has a time-out, of which only time counts in which this process runs.
                askAtNs = System.nanoTime() + (state == RankState.EXPECTED ? SLICE_NS : sliceNs(waitedNs));
            }
        }
    }

    private static long sliceNs(long waitedNs) {
        return Math.clamp(waitedNs, SLICE_NS, LONGEST_SLICE_NS);
    }

    private static boolean look(BooleanSupplier condition) {
        for (int look = 0; look < LOOKS_BEFORE_CLOCK; look++) {
            if (condition.getAsBoolean()) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    /** Returns the time at the last look at the clock before the condition was true, or 0 when it did not become so. */
    private long spin(BooleanSupplier condition, long untilNs) {
        backoff.yield();
        long nowNs = System.nanoTime();
        while (nowNs < untilNs && !failure.hasFailed() && !failure.calls().isLeaving()) {
            if (look(condition)) {
                return nowNs;
            }
            backoff.yield();
            nowNs = System.nanoTime();
        }
        return 0;
    }

    private void checkPresence(BooleanSupplier condition, int from, RankState state, long waitedNs) {
        // A rank that has left did everything it did before it left: look once more.
        boolean gone = state == RankState.DEPARTED || state == RankState.DEAD;
        if (gone && !condition.getAsBoolean()) {
            failure.awaitReason(); // its server says more than that in a moment, when the job ends with it
            throw new JobAbortedException("rank " + from + " has left the job while rank " + rank + " waits for it");
        }
        if (state == RankState.EXPECTED && waitedNs > settings.attachTimeoutNs()) {
            throw new JobAbortedException("rank " + from + " has not attached within "
                + settings.attachTimeoutNs() / SLICE_NS + " s while rank " + rank + " waits for it; attach.timeout");
        }
    }

    /**
     * Waits until no thread of this process holds a lock of accumulates, while none begins one.
     *
     * @return whether that is so within the time
     */
    public boolean awaitAccumulates(long timeoutNs) {
        Deadline deadline = Deadline.in(timeoutNs);
        try {
            for (int lock = 0; lock < AccumulateLocks.LOCKS; lock++) {
                while (accumulateLocks.holder(lock) == index + 1) {
                    if (deadline.isOver()) {
                        return false;
                    }
                    LockSupport.parkNanos(LOOK_NS);
                }
            }
        } catch (InternalError e) {
            failure.hasFailed(); // or is about to: nobody can use a table that is gone
        }
        return true;
    }

    /** Whether the server knows that this rank has left, or will never say. */
    public boolean hasDeparted() {
        try {
            return control.rankState(index) == RankState.DEPARTED;
        } catch (DamagedMemoryException | InternalError e) {
            return true;
        }
    }

    /**
     * Whether this rank, which has said goodbye, leaves after all others of the node, or may do so: its server, which
     * was stopped perhaps, has not heard it yet. False when nobody can tell.
     */
    public boolean isLastToLeave() {
        try {
            boolean isHeard = control.rankState(index).hasSaidGoodbye();
            for (int i = 0; i < ranks.count() && isHeard; i++) {
                if (!control.rankState(i).hasSaidGoodbye()) {
                    return false;
                }
            }
            return true;
        } catch (DamagedMemoryException | InternalError e) {
            return false;
        }
    }

    /** Wakes this rank's own threads, to find that the job has failed; they may be leaving at that moment. */
    public synchronized void wakeOwnThreads() {
        if (!closed) {
            control.doorbell(index).ring();
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        presence.close();
        arena.close();
    }
}

package org.tributary.server.memory;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import java.lang.foreign.ValueLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIJ_Result;
import org.tributary.server.StressLoop;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.shm.SegmentKind;
import org.tributary.wire.shm.WindowLayout;
import org.tributary.wire.shm.WindowLock;

/** Locks of windows that other event loops take and release by compare-and-swap, against the main one's queues. */
public class TakenWindowLocksStress {
    private static final int HOME = 0;
    private static final int LOCAL = 0;
    private static final int FIRST = 1;
    private static final int SECOND = 2;

    /** A lock, rank 0 of the node, and ranks 1 and 2 of other nodes. */
    abstract static class Lock {
        final StressLoop main = new StressLoop();
        final NodeSegment window = Segments.take(SegmentKind.WINDOW, 2);
        final SegmentRegistry registry = Segments.registry(window, 2);
        final WindowLocks locks = new WindowLocks(Segments::isLocal, Segments.RANKS);
        /** What rank 2 has taken on its loop. */
        final TakenWindowLocks taken = new TakenWindowLocks(SECOND);
        /** What the lock protects. */
        private int updates;
        /** How often rank 1 was granted it, and how many updates it has seen then. */
        private int granted;
        private int seen;

        /** Main loop: rank 1 asks to write, and waits if need be. */
        final void ask() {
            locks.lock(window, HOME, new WindowLocks.Waiter() {
                @Override
                public int rank() {
                    return FIRST;
                }

                @Override
                public LockMode mode() {
                    return LockMode.EXCLUSIVE;
                }

                @Override
                public boolean keepsLock() {
                    return true;
                }

                @Override
                public void granted() {
                    granted++;
                    seen = updates;
                }

                @Override
                public void freed() {
                    throw new AssertionError("nothing is freed");
                }

                @Override
                public void dropped() {
                    throw new AssertionError("rank 1 stays");
                }
            });
        }

        /** Rank 2 changes what the lock protects. */
        final void update() {
            updates++;
        }

        /** Rank 2 releases the lock; whether on its own loop. */
        final boolean unlock(LockMode mode) {
            boolean isDone = taken.tryUnlock(window, HOME, mode);
            if (!isDone) {
                main.execute(() -> {
                    taken.tellMain(locks, window, HOME);
                    if (!locks.unlock(window, HOME, mode, SECOND)) {
                        throw new AssertionError("rank 2 holds it");
                    }
                    taken.forgets(window, HOME);
                });
            }
            return isDone;
        }

        /** The connection of rank 2 ends. */
        final void leave() {
            main.execute(() -> {
                taken.tellMain(locks);
                locks.rankGone(SECOND, registry);
            });
        }

        /** Main loop: what was granted to rank 1, and how many updates it saw; once the main loop has done all. */
        final int grants() {
            main.turn();
            return 10 * granted + seen;
        }

        /** The word, when nobody waits and no reader is counted who is none. */
        final long word() {
            return locks.waiting() == 0 && window.enteredOnLoops(HOME) == window.leftOnLoops(HOME)
                ? window.part(HOME).get(ValueLayout.JAVA_LONG, WindowLayout.LOCK) : -1;
        }
    }

    /** A writer releases while another rank asks. */
    @JCStressTest
    @Outcome(id = "1, 11, 2", expect = ACCEPTABLE, desc = "released first; rank 1 finds it free")
    @Outcome(id = "0, 11, 2", expect = ACCEPTABLE, desc = "rank 1 waits; the main loop passes it on")
    @State
    public static class WriterAgainstQueue extends Lock {
        /** Rank 2 writes. */
        public WriterAgainstQueue() {
            taken.tryLock(window, HOME, LockMode.EXCLUSIVE);
        }

        /** The loop of rank 2. */
        @Actor
        public void other(IIJ_Result result) {
            update();
            result.r1 = unlock(LockMode.EXCLUSIVE) ? 1 : 0;
        }

        /** The main loop. */
        @Actor
        public void main() {
            ask();
            main.turn();
        }

        /** The main loop does what is left; rank 1 holds it. */
        @Arbiter
        public void after(IIJ_Result result) {
            result.r2 = grants();
            result.r3 = word();
        }
    }

    /** A reader, which the main loop has not heard of, comes and goes while a writer asks. */
    @JCStressTest
    @Outcome(id = "0, 10, 2", expect = ACCEPTABLE, desc = "rank 1 was first")
    @Outcome(id = "1, 10, 2", expect = ACCEPTABLE, desc = "read and released; then rank 1 found it free")
    @Outcome(id = "2, 10, 2", expect = ACCEPTABLE, desc = "rank 1 waited; the main loop passed it on")
    @State
    public static class ReaderAgainstQueue extends Lock {
        /** The loop of rank 2. */
        @Actor
        public void other(IIJ_Result result) {
            if (taken.tryLock(window, HOME, LockMode.SHARED)) {
                result.r1 = unlock(LockMode.SHARED) ? 1 : 2;
            }
        }

        /** The main loop. */
        @Actor
        public void main() {
            ask();
            main.turn();
        }

        /** The main loop does what is left; rank 1 holds it. */
        @Arbiter
        public void after(IIJ_Result result) {
            result.r2 = grants();
            result.r3 = word();
        }
    }

    /** An operation under its lock, which the loop enters and leaves, while another rank asks. */
    @JCStressTest
    @Outcome(id = "0, 10, 2", expect = ACCEPTABLE, desc = "rank 1 was first")
    @Outcome(id = "1, 11, 2", expect = ACCEPTABLE, desc = "done; then rank 1 found it free")
    @Outcome(id = "2, 11, 2", expect = ACCEPTABLE, desc = "done; the main loop passed it on")
    @State
    public static class OperationAgainstQueue extends Lock {
        /** The loop of rank 2. */
        @Actor
        public void other(IIJ_Result result) {
            if (taken.tryEnter(window, HOME, LockMode.EXCLUSIVE)) {
                update();
                result.r1 = 1;
                if (!taken.tryLeave(window, HOME, LockMode.EXCLUSIVE)) {
                    result.r1 = 2;
                    main.execute(() -> taken.leave(locks, window, HOME, LockMode.EXCLUSIVE));
                }
            }
        }

        /** The main loop. */
        @Actor
        public void main() {
            ask();
            main.turn();
        }

        /** The main loop does what is left; rank 1 holds it. */
        @Arbiter
        public void after(IIJ_Result result) {
            result.r2 = grants();
            result.r3 = word();
        }
    }

    /** The same for one that shares its lock. */
    @JCStressTest
    @Outcome(id = "0, 10, 2", expect = ACCEPTABLE, desc = "rank 1 was first")
    @Outcome(id = "1, 10, 2", expect = ACCEPTABLE, desc = "done; then rank 1 found it free")
    @Outcome(id = "2, 10, 2", expect = ACCEPTABLE, desc = "done; the main loop passed it on")
    @State
    public static class SharedOperationAgainstQueue extends Lock {
        /** The loop of rank 2. */
        @Actor
        public void other(IIJ_Result result) {
            if (taken.tryEnter(window, HOME, LockMode.SHARED)) {
                result.r1 = 1;
                if (!taken.tryLeave(window, HOME, LockMode.SHARED)) {
                    result.r1 = 2;
                    main.execute(() -> taken.leave(locks, window, HOME, LockMode.SHARED));
                }
            }
        }

        /** The main loop. */
        @Actor
        public void main() {
            ask();
            main.turn();
        }

        /** The main loop does what is left; rank 1 holds it. */
        @Arbiter
        public void after(IIJ_Result result) {
            result.r2 = grants();
            result.r3 = word();
        }
    }

    /** A reader goes away without a release while a writer asks. */
    @JCStressTest
    @Outcome(id = "0, 10, 2", expect = ACCEPTABLE, desc = "passed on once, whatever the order")
    @State
    public static class DepartureAgainstQueue extends Lock {
        /** Rank 2 reads. */
        public DepartureAgainstQueue() {
            taken.tryLock(window, HOME, LockMode.SHARED);
        }

        /** The loop of rank 2. */
        @Actor
        public void other() {
            leave();
        }

        /** The main loop. */
        @Actor
        public void main() {
            ask();
            main.turn();
        }

        /** The main loop does what is left; rank 1 holds it. */
        @Arbiter
        public void after(IIJ_Result result) {
            result.r2 = grants();
            result.r3 = word();
        }
    }

    /** A reader of the node has the server release what it holds, while another one comes and goes on its loop. */
    @JCStressTest
    @Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "believed, and nobody else's share is taken")
    @State
    public static class ReaderOfTheNode extends Lock {
        /** Rank 0 has taken it by itself. */
        public ReaderOfTheNode() {
            WindowLock.tryAcquire(window.part(HOME), LockMode.SHARED, LOCAL);
        }

        /** The loop of rank 2. */
        @Actor
        public void other(IIJ_Result result) {
            result.r1 = taken.tryLock(window, HOME, LockMode.SHARED) && unlock(LockMode.SHARED) ? 1 : 0;
        }

        /** The main loop, for rank 0. */
        @Actor
        public void main(IIJ_Result result) {
            result.r2 = locks.unlock(window, HOME, LockMode.SHARED, LOCAL) ? 1 : 0;
        }

        /** The word is free. */
        @Arbiter
        public void after(IIJ_Result result) {
            result.r3 = word();
        }
    }
}

package org.tributary.server.memory;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.tributary.server.StressLoop;
import org.tributary.wire.shm.MutexWord;
import org.tributary.wire.shm.SegmentKind;

/** Mutexes that other event loops take and release by compare-and-swap, against the queues of the main one. */
public class TakenMutexesStress {
    private static final int HOME = 0;
    private static final long OFFSET = MutexWord.STRIDE;
    private static final int FIRST = 1;
    private static final int SECOND = 2;

    /** A mutex, and ranks 1 and 2 of other nodes. */
    abstract static class Mutex {
        final StressLoop main = new StressLoop();
        final NodeSegment segment = Segments.take(SegmentKind.MUTEXES, 2);
        final SegmentRegistry registry = Segments.registry(segment, 2);
        final MutexQueues queues = new MutexQueues(Segments::isLocal, Segments.RANKS);
        /** What rank 2 has taken on its loop. */
        final TakenMutexes taken = new TakenMutexes(SECOND);
        /** What the mutex protects. */
        private int updates;
        /** How often rank 1 was granted it, and how many updates it has seen then. */
        private int granted;
        private int seen;

        /** Main loop: rank 1 asks, and waits if need be. */
        final void ask() {
            queues.lock(segment, HOME, OFFSET, new WaiterQueues.Waiter() {
                @Override
                public int rank() {
                    return FIRST;
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
            });
        }

        final boolean tryLock() {
            return taken.tryLock(segment, HOME, OFFSET);
        }

        /** Rank 2 changes what it protects, and releases it; whether on its own loop. */
        final boolean updateAndUnlock() {
            updates++;
            boolean isDone = taken.tryUnlock(segment, HOME, OFFSET);
            if (!isDone) {
                handOver(() -> {
                    if (!queues.unlock(segment, HOME, OFFSET, SECOND)) {
                        throw new AssertionError("rank 2 holds it");
                    }
                });
            }
            return isDone;
        }

        /** Rank 2 changes what the mutex protects, and its connection ends. */
        final void leave() {
            updates++;
            handOver(() -> {
                taken.tellMain(queues);
                queues.rankGone(SECOND, registry);
            });
        }

        /** The loop of rank 2 has the main loop do that, and goes on. */
        final void handOver(Runnable work) {
            main.execute(work);
        }

        /** Main loop: what was granted to rank 1, and how many updates it saw; once the main loop has done all. */
        final int grants() {
            main.turn();
            return 10 * granted + seen;
        }

        final int holder() {
            return MutexWord.holder(segment.part(HOME), OFFSET) + 100 * queues.waiting();
        }
    }

    /** The holder releases while another rank asks. */
    @JCStressTest
    @Outcome(id = "1, 11, 1", expect = ACCEPTABLE, desc = "released first; rank 1 finds it free")
    @Outcome(id = "0, 11, 1", expect = ACCEPTABLE, desc = "rank 1 waits; the main loop passes it on")
    @State
    public static class ReleaseAgainstQueue extends Mutex {
        /** Rank 2 holds it. */
        public ReleaseAgainstQueue() {
            tryLock();
        }

        /** The loop of rank 2. */
        @Actor
        public void other(III_Result result) {
            result.r1 = updateAndUnlock() ? 1 : 0;
        }

        /** The main loop. */
        @Actor
        public void main() {
            ask();
            main.turn();
        }

        /** The main loop does what is left; rank 1 holds it. */
        @Arbiter
        public void after(III_Result result) {
            result.r2 = grants();
            result.r3 = holder();
        }
    }

    /** Two ranks want a free mutex, on two loops. */
    @JCStressTest
    @Outcome(id = "0, 10, 1", expect = ACCEPTABLE, desc = "rank 1 was first")
    @Outcome(id = "1, 11, 1", expect = ACCEPTABLE, desc = "rank 2 was first and released it; rank 1 found it free")
    @Outcome(id = "2, 11, 1", expect = ACCEPTABLE, desc = "rank 2 was first, and the main loop passed it on")
    @State
    public static class TakeAgainstQueue extends Mutex {
        /** The loop of rank 2. */
        @Actor
        public void other(III_Result result) {
            if (tryLock()) {
                result.r1 = updateAndUnlock() ? 1 : 2;
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
        public void after(III_Result result) {
            result.r2 = grants();
            result.r3 = holder();
        }
    }

    /** The holder goes away without a release while another rank asks. */
    @JCStressTest
    @Outcome(id = "0, 11, 1", expect = ACCEPTABLE, desc = "it is passed on once, whatever the order")
    @State
    public static class DepartureAgainstQueue extends Mutex {
        /** Rank 2 holds it. */
        public DepartureAgainstQueue() {
            tryLock();
        }

        /** The loop of rank 2, whose connection ends. */
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
        public void after(III_Result result) {
            result.r2 = grants();
            result.r3 = holder();
        }
    }
}

package org.tributary.wire.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.tributary.wire.shm.AccumulateLocks;

/** Two processes add under the same lock. */
public class AccumulateLocksStress {
    private static final long SUM = 64;

    /** The lock is free at first. */
    @JCStressTest
    @Outcome(id = "2, 0", expect = ACCEPTABLE, desc = "both additions are there and the lock is free")
    @State
    public static class Exclusion {
        private final MemorySegment memory = Blocks.take();

        private void add(int holder) {
            AccumulateLocks locks = new AccumulateLocks("a table", memory, holder, token -> true, () -> { });
            locks.acquire(0);
            memory.set(ValueLayout.JAVA_LONG, SUM, memory.get(ValueLayout.JAVA_LONG, SUM) + 1);
            locks.release(0);
        }

        /** One process. */
        @Actor
        public void one() {
            add(1);
        }

        /** Another one. */
        @Actor
        public void other() {
            add(2);
        }

        /** The sum and the lock. */
        @Arbiter
        public void after(JJ_Result result) {
            result.r1 = memory.get(ValueLayout.JAVA_LONG, SUM);
            result.r2 = memory.get(ValueLayout.JAVA_INT, 0);
        }
    }
}

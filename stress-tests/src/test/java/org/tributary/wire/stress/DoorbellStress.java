package org.tributary.wire.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.tributary.wire.shm.Doorbell;
import org.tributary.wire.shm.SharedWord;

/** A sleeper and a ringer that meet at any point: a lost wake-up shows as a sleep to the end of its timeout. */
public class DoorbellStress {
    private static final long FLAG = 64;
    private static final long TIMEOUT_NS = 100_000_000_000L;

    /** One sleeper, one ring. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "woken, or never slept; nobody is counted as asleep")
    @Outcome(id = "-1, .*", expect = FORBIDDEN, desc = "slept through the ring")
    @State
    public static class Wake {
        private final MemorySegment memory = Blocks.take();
        private final Doorbell doorbell = new Doorbell(memory);

        /** Changes the condition, then rings. */
        @Actor
        public void ringer() {
            SharedWord.setRelease(memory, FLAG, 1);
            doorbell.ring();
        }

        /** Sleeps until the condition holds. */
        @Actor
        public void sleeper(II_Result result) {
            long startNs = System.nanoTime();
            while (SharedWord.getAcquire(memory, FLAG) == 0) {
                doorbell.sleep(() -> SharedWord.getAcquire(memory, FLAG) == 1, TIMEOUT_NS);
            }
            result.r1 = System.nanoTime() - startNs < TIMEOUT_NS ? 1 : -1;
        }

        /** Sleepers left. */
        @Arbiter
        public void after(II_Result result) {
            result.r2 = SharedWord.getAcquire(memory, 4);
        }
    }
}

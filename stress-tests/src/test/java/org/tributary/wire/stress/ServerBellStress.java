package org.tributary.wire.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.tributary.wire.shm.ServerBell;
import org.tributary.wire.shm.SharedWord;

/** A rank that publishes while the server falls asleep. */
public class ServerBellStress {
    private static final long PUBLISHED = 64;

    /** One rank, one attempt to sleep. */
    @JCStressTest
    @Outcome(id = "0, 2", expect = ACCEPTABLE, desc = "seen before the server thought of sleeping")
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "stayed awake, and sees what was published")
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "the same, and the rank wakes it in vain")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "fell asleep, and the rank wakes it")
    @Outcome(id = "0, 1", expect = FORBIDDEN, desc = "fell asleep, and nobody wakes it")
    @Outcome(id = ".*, -1", expect = FORBIDDEN, desc = "stayed awake, but does not see what was published")
    @State
    public static class Sleep {
        private final MemorySegment memory = Blocks.take();
        private final ServerBell bell = new ServerBell(memory);
        private final ServerBell rung = new ServerBell(memory);

        /** Publishes, then rings. */
        @Actor
        public void rank(II_Result result) {
            SharedWord.setLongRelease(memory, PUBLISHED, 1);
            result.r1 = rung.ring() ? 1 : 0;
        }

        /** Looks, then sleeps unless rung. */
        @Actor
        public void server(II_Result result) {
            int seen = bell.rings();
            if (SharedWord.getLongAcquire(memory, PUBLISHED) == 1) {
                result.r2 = 2;
            } else if (bell.sleep(seen)) {
                result.r2 = 1;
            } else {
                bell.rings();
                result.r2 = SharedWord.getLongAcquire(memory, PUBLISHED) == 1 ? 0 : -1;
            }
        }
    }
}

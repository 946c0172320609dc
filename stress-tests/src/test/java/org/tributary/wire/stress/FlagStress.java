package org.tributary.wire.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.tributary.wire.shm.SharedWord;

/** Put with flag: a rank that sees the flag sees the data that was put before it. */
public class FlagStress {
    private static final long DATA = 0;
    private static final long FLAG = 64;

    /** The flag is set. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "neither flag nor data yet")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "data before its flag")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "flag seen, data seen")
    @Outcome(id = "1, 0", expect = FORBIDDEN, desc = "flag seen without its data")
    @State
    public static class Set {
        private final MemorySegment memory = Blocks.take();

        /** Puts, then sets the flag. */
        @Actor
        public void requester() {
            memory.set(ValueLayout.JAVA_LONG, DATA, 1);
            SharedWord.setLongRelease(memory, FLAG, 1);
        }

        /** Looks at the flag, then at the data. */
        @Actor
        public void target(JJ_Result result) {
            result.r1 = SharedWord.getLongAcquire(memory, FLAG);
            result.r2 = memory.get(ValueLayout.JAVA_LONG, DATA);
        }
    }

    /** The flag counts. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "neither flag nor data yet")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "data before its flag")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "flag seen, data seen")
    @Outcome(id = "1, 0", expect = FORBIDDEN, desc = "flag seen without its data")
    @State
    public static class Add {
        private final MemorySegment memory = Blocks.take();

        /** Puts, then adds to the flag. */
        @Actor
        public void requester() {
            memory.set(ValueLayout.JAVA_LONG, DATA, 1);
            SharedWord.getAndAddLong(memory, FLAG, 1);
        }

        /** Looks at the flag, then at the data. */
        @Actor
        public void target(JJ_Result result) {
            result.r1 = SharedWord.getLongAcquire(memory, FLAG);
            result.r2 = memory.get(ValueLayout.JAVA_LONG, DATA);
        }
    }
}

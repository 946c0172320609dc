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
import org.openjdk.jcstress.infra.results.I_Result;
import org.tributary.wire.shm.StressAccess;
import org.tributary.wire.shm.WaitKind;
import org.tributary.wire.shm.WaitSlots;

/** Threads that say what they wait for, and who reads it. */
public class WaitSlotsStress {
    /** A wait, and the next one, while another process looks. */
    @JCStressTest
    @Outcome(id = "0", expect = ACCEPTABLE, desc = "no wait, or a slot that is being written")
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "the first wait")
    @Outcome(id = "2", expect = ACCEPTABLE, desc = "the second wait")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "something of each")
    @State
    public static class Reading {
        private static final WaitKind[] KINDS = WaitKind.values();

        private final MemorySegment memory = Blocks.take().asSlice(0, StressAccess.SLOTS_BYTES);
        private final WaitSlots waits = StressAccess.waitSlots(memory);

        /** Waits twice. */
        @Actor
        public void rank() {
            waits.end(waits.begin(KINDS[1], 1, 1, 1));
            waits.end(waits.begin(KINDS[2], 2, 2, 2));
        }

        /** Looks once. */
        @Actor
        public void reader(I_Result result) {
            result.r1 = StressAccess.kindOfFirst(memory);
        }
    }

    /** Two threads begin to wait at once. */
    @JCStressTest
    @Outcome(id = {"0, 1", "1, 0"}, expect = ACCEPTABLE, desc = "each has a slot of its own")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "both have the same slot, or one has none")
    @State
    public static class Taking {
        private final WaitSlots waits =
            StressAccess.waitSlots(Blocks.take().asSlice(0, StressAccess.SLOTS_BYTES));

        /** One thread. */
        @Actor
        public void one(II_Result result) {
            result.r1 = waits.begin(WaitKind.FENCE, 1, 1, 1);
        }

        /** Another one. */
        @Actor
        public void other(II_Result result) {
            result.r2 = waits.begin(WaitKind.MUTEX, 2, 2, 2);
        }
    }

    /** A thread blocks that finds no slot while another one gives its slot back. */
    @JCStressTest
    @Outcome(id = "2", expect = ACCEPTABLE, desc = "the further wait is shown")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "a slot is free, or the end of the other wait is shown")
    @State
    public static class Giving {
        private final MemorySegment memory = Blocks.take().asSlice(0, StressAccess.SLOTS_BYTES);
        private final WaitSlots waits = StressAccess.waitSlots(memory);

        /** All slots are in use. */
        public Giving() {
            for (int slot = 0; slot < WaitSlots.SLOTS; slot++) {
                waits.begin(WaitKind.values()[1], 1, 1, 1);
            }
        }

        /** The first of them is over. */
        @Actor
        public void first() {
            waits.end(0);
        }

        /** A further one. */
        @Actor
        public void further() {
            waits.begin(WaitKind.values()[2], 2, 2, 2);
        }

        /** What is shown then. */
        @Arbiter
        public void shown(I_Result result) {
            result.r1 = StressAccess.kindOfFirst(memory);
        }
    }
}

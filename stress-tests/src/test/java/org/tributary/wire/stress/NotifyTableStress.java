package org.tributary.wire.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.tributary.wire.shm.NotifyTable;

/** Notifications counted by several processes at once. */
public class NotifyTableStress {
    /** A table of four entries, which is what 64 bytes hold. */
    private static final int CAPACITY = 2;
    private static final long DATA = 64;
    /** Ranks that begin at the same entry of four, so that both want to claim it. */
    private static final int ONE = 0;
    private static final int SAME_ENTRY = sameEntry();

    private static int sameEntry() {
        int first = (ONE * 0x9E3779B9 ^ ONE * 0x9E3779B9 >>> 16) & 3;
        int other = ONE + 1;
        while (((other * 0x9E3779B9 ^ other * 0x9E3779B9 >>> 16) & 3) != first) {
            other++;
        }
        return other;
    }

    /** Two ranks claim the same free entry. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "each has an entry of its own")
    @State
    public static class Claim {
        private final NotifyTable table = new NotifyTable(Blocks.take(), CAPACITY);

        /** One rank. */
        @Actor
        public void one() {
            table.add(ONE);
        }

        /** Another one. */
        @Actor
        public void other() {
            table.add(SAME_ENTRY);
        }

        /** Both counts. */
        @Arbiter
        public void after(JJ_Result result) {
            result.r1 = table.count(ONE);
            result.r2 = table.count(SAME_ENTRY);
        }
    }

    /** A rank notifies directly and through the server at once. */
    @JCStressTest
    @Outcome(id = "2, 0", expect = ACCEPTABLE, desc = "both counted, in one entry")
    @State
    public static class SameSource {
        private final NotifyTable table = new NotifyTable(Blocks.take(), CAPACITY);

        /** From one process. */
        @Actor
        public void one() {
            table.add(ONE);
        }

        /** From another one. */
        @Actor
        public void other() {
            table.add(ONE);
        }

        /** The count, and that of a rank that never notified. */
        @Arbiter
        public void after(JJ_Result result) {
            result.r1 = table.count(ONE);
            result.r2 = table.count(SAME_ENTRY);
        }
    }

    /** A rank that sees the notification sees the data that was stored before it. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "neither yet")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "data before its notification")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "notification seen, data seen")
    @Outcome(id = "1, 0", expect = FORBIDDEN, desc = "notification seen without the data")
    @State
    public static class Visibility {
        private final MemorySegment memory = Blocks.take();
        private final NotifyTable table = new NotifyTable(memory, CAPACITY);

        /** Stores, then notifies. */
        @Actor
        public void requester() {
            memory.set(ValueLayout.JAVA_LONG, DATA, 1);
            table.add(ONE);
        }

        /** Looks at the notification, then at the data. */
        @Actor
        public void target(JJ_Result result) {
            result.r1 = table.count(ONE);
            result.r2 = memory.get(ValueLayout.JAVA_LONG, DATA);
        }
    }
}

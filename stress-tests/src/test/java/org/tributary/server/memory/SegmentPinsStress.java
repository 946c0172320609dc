package org.tributary.server.memory;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.tributary.server.StressLoop;
import org.tributary.wire.shm.SegmentKind;

/** A segment that the main event loop removes while others use it: who has it unmapped, and when. */
public class SegmentPinsStress {
    private static final int MAIN = 0;
    private static final int FIRST = 1;
    private static final int SECOND = 2;

    /** A segment of the main loop and others, as a registry holds it. */
    abstract static class Shared {
        final StressLoop main = new StressLoop();
        final StressLoop first = new StressLoop();
        final StressLoop second = new StressLoop();
        private final LoopPass pass;
        private final NodeSegment segment;
        /** What loops find. */
        private volatile NodeSegment found;
        /** Changed by each loop on its own, and read when the segment is unmapped. */
        private final int[] uses = new int[SECOND + 1];
        private int unmapped;
        private int seen;
        /** All loops have been where they know of the removal. */
        volatile boolean isPassed;

        Shared(int loops) {
            pass = new LoopPass(List.of(main.tasks(), first.tasks(), second.tasks()).subList(0, loops));
            segment = Segments.take(SegmentKind.DATA, loops);
            found = segment;
        }

        final NodeSegment find() {
            return found;
        }

        final boolean isUnmapped() {
            return unmapped != 0;
        }

        /** As {@link SegmentRegistry} does. */
        final void remove() {
            segment.remove();
            found = null;
            segment.unmap(arena -> {
                unmapped++;
                seen = uses[FIRST] + uses[SECOND];
            });
            pass.through(segment::letGo, () -> isPassed = true);
        }

        /** Uses what was found; -1 when that is unmapped, which nobody may see. */
        final int use(int loop) {
            if (isUnmapped()) {
                return -1;
            }
            uses[loop]++;
            return 1;
        }

        /** How often it was unmapped, and after how many uses. */
        final int ends() {
            return 10 * unmapped + seen;
        }
    }

    /** Found and used in one turn. */
    @JCStressTest
    @Outcome(id = "1, 11", expect = ACCEPTABLE, desc = "found, used and then unmapped, which sees the use")
    @Outcome(id = "0, 10", expect = ACCEPTABLE, desc = "removed before")
    @State
    public static class UseInOneTurn extends Shared {
        /** Of two loops. */
        public UseInOneTurn() {
            super(SECOND);
        }

        /** The main loop. */
        @Actor
        public void main() {
            remove();
            main.turnUntil(() -> isPassed);
        }

        /** Another one. */
        @Actor
        public void other(II_Result result) {
            result.r1 = find() == null ? 0 : use(FIRST);
            first.turnUntil(() -> isPassed);
        }

        /** The end of it. */
        @Arbiter
        public void after(II_Result result) {
            result.r2 = ends();
        }
    }

    /** Found in one turn, used in a later one. */
    @JCStressTest
    @Outcome(id = "1, 11", expect = ACCEPTABLE, desc = "unmapped when the last pin went")
    @Outcome(id = "0, 10", expect = ACCEPTABLE, desc = "removed before")
    @State
    public static class UseInALaterTurn extends Shared {
        /** Of two loops. */
        public UseInALaterTurn() {
            super(SECOND);
        }

        /** The main loop. */
        @Actor
        public void main() {
            remove();
            main.turnUntil(() -> isPassed);
        }

        /** Another one. */
        @Actor
        public void other(II_Result result) {
            NodeSegment pinned = find();
            if (pinned != null) {
                pinned.pin(FIRST);
                first.turn();
                result.r1 = use(FIRST);
                pinned.unpin(FIRST);
            }
            first.turnUntil(() -> isPassed);
        }

        /** The end of it. */
        @Arbiter
        public void after(II_Result result) {
            result.r2 = ends();
        }
    }

    /** The main loop has pins, too: of an operation that waits for the lock of a window. */
    @JCStressTest
    @Outcome(id = "1, 11", expect = ACCEPTABLE, desc = "unmapped once, by whoever was last, who sees the use")
    @Outcome(id = "0, 10", expect = ACCEPTABLE, desc = "removed before")
    @State
    public static class MainPinsToo extends Shared {
        /** Of two loops. */
        public MainPinsToo() {
            super(SECOND);
        }

        /** The main loop. */
        @Actor
        public void main() {
            NodeSegment pinned = find();
            pinned.pin(MAIN);
            remove();
            main.turn();
            pinned.unpin(MAIN);
            main.turnUntil(() -> isPassed);
        }

        /** Another one. */
        @Actor
        public void other(II_Result result) {
            NodeSegment pinned = find();
            if (pinned != null) {
                pinned.pin(FIRST);
                result.r1 = use(FIRST);
                first.turn();
                pinned.unpin(FIRST);
            }
            first.turnUntil(() -> isPassed);
        }

        /** The end of it. */
        @Arbiter
        public void after(II_Result result) {
            result.r2 = ends();
        }
    }

    /** Two loops have found it before it was removed, and let go at the same time. */
    @JCStressTest
    @Outcome(id = "1, 12", expect = ACCEPTABLE, desc = "the last one has it unmapped, and sees what both did")
    @State
    public static class TwoLetGo extends Shared {
        private final NodeSegment ofFirst = find();
        private final NodeSegment ofSecond = find();

        /** The main loop has been there. */
        public TwoLetGo() {
            super(SECOND + 1);
            ofSecond.pin(SECOND);
            remove();
        }

        /** One that comes to the removal after its use. */
        @Actor
        public void first() {
            if (ofFirst != null) {
                use(FIRST);
            }
            first.turn();
        }

        /** One that has been there, and has it pinned. */
        @Actor
        public void second(II_Result result) {
            second.turn();
            result.r1 = use(SECOND);
            ofSecond.unpin(SECOND);
        }

        /** The end of it. */
        @Arbiter
        public void after(II_Result result) {
            result.r2 = ends();
        }
    }
}

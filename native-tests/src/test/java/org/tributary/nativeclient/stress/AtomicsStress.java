package org.tributary.nativeclient.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;
import org.openjdk.jcstress.infra.results.J_Result;
import org.tributary.client.shape.Scale;
import org.tributary.wire.shape.ElementType;

/** Ranks in Java and in C that change one word. */
public class AtomicsStress {
    /** Both add one. */
    @JCStressTest
    @Outcome(id = "0, 1, 2", expect = ACCEPTABLE, desc = "Java first")
    @Outcome(id = "1, 0, 2", expect = ACCEPTABLE, desc = "C first")
    @State
    public static class FetchAndAdd {
        private final TwoRanks ranks = TwoRanks.get();
        private final long word = ranks.block();

        /** Rank 0. */
        @Actor
        public void java(JJJ_Result result) {
            result.r1 = ranks.memory().fetchAndAdd(0, word, 1);
        }

        /** Rank 1. */
        @Actor
        public void c(JJJ_Result result) {
            result.r2 = ranks.fetchAndAdd(word, 1);
        }

        /** The sum. */
        @Arbiter
        public void after(JJJ_Result result) {
            result.r3 = ranks.memory().getLong(0, word);
        }
    }

    /** Both replace 0, Java by 1 and C by 2. */
    @JCStressTest
    @Outcome(id = "0, 1, 1", expect = ACCEPTABLE, desc = "Java did")
    @Outcome(id = "2, 0, 2", expect = ACCEPTABLE, desc = "C did")
    @State
    public static class CompareAndSwap {
        private final TwoRanks ranks = TwoRanks.get();
        private final long word = ranks.block();

        /** Rank 0. */
        @Actor
        public void java(JJJ_Result result) {
            result.r1 = ranks.memory().compareAndSwap(0, word, 0, 1);
        }

        /** Rank 1. */
        @Actor
        public void c(JJJ_Result result) {
            result.r2 = ranks.compareAndSwap(word, 0, 2);
        }

        /** The word. */
        @Arbiter
        public void after(JJJ_Result result) {
            result.r3 = ranks.memory().getLong(0, word);
        }
    }

    /** Both accumulate one, under the lock of the stripe. */
    @JCStressTest
    @Outcome(id = "2", expect = ACCEPTABLE, desc = "both are there")
    @State
    public static class Accumulate {
        private final TwoRanks ranks = TwoRanks.get();
        private final long word = ranks.block();
        private final MemorySegment one = MemorySegment.ofArray(new long[] {1});

        /** Rank 0. */
        @Actor
        public void java() {
            ranks.memory().accumulate(0, word, Scale.one(ElementType.LONG), one, 0, Long.BYTES);
        }

        /** Rank 1. */
        @Actor
        public void c() {
            ranks.accumulate(word, 1);
        }

        /** The sum. */
        @Arbiter
        public void after(J_Result result) {
            result.r1 = ranks.memory().getLong(0, word);
        }
    }
}

package org.tributary.wire.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIJ_Result;
import org.tributary.wire.shm.MutexWord;

/** The mutex word between ranks and the server. */
public class MutexWordStress {
    private static final long PROTECTED = 64;

    private static int increment(MemorySegment memory, int rank) {
        if (!MutexWord.tryAcquire(memory, 0, rank)) {
            return 0;
        }
        memory.set(ValueLayout.JAVA_LONG, PROTECTED, memory.get(ValueLayout.JAVA_LONG, PROTECTED) + 1);
        return MutexWord.tryRelease(memory, 0, rank) ? 1 : -1;
    }

    /** Two ranks try the fast path. */
    @JCStressTest
    @Outcome(id = "1, 1, 2", expect = ACCEPTABLE, desc = "one after the other, both updates are there")
    @Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "the second found it held")
    @Outcome(id = "0, 1, 1", expect = ACCEPTABLE, desc = "the first found it held")
    @State
    public static class Exclusion {
        private final MemorySegment memory = Blocks.take();

        /** Rank 0. */
        @Actor
        public void rank0(IIJ_Result result) {
            result.r1 = increment(memory, 0);
        }

        /** Rank 1. */
        @Actor
        public void rank1(IIJ_Result result) {
            result.r2 = increment(memory, 1);
        }

        /** What was protected. */
        @Arbiter
        public void after(IIJ_Result result) {
            result.r3 = memory.get(ValueLayout.JAVA_LONG, PROTECTED);
        }
    }

    /** The holder releases while the server marks the word for another that waits. */
    @JCStressTest
    @Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "released first: the server took it for the waiter")
    @Outcome(id = "0, 1, 0", expect = ACCEPTABLE, desc = "marked first: the holder has to ask the server")
    @State
    public static class ReleaseAgainstContend {
        private final MemorySegment memory = Blocks.take();

        /** Rank 0 holds the mutex. */
        public ReleaseAgainstContend() {
            MutexWord.tryAcquire(memory, 0, 0);
        }

        /** Rank 0. */
        @Actor
        public void holder(IIJ_Result result) {
            result.r1 = MutexWord.tryRelease(memory, 0, 0) ? 1 : 0;
        }

        /** The server, for rank 1. */
        @Actor
        public void server(IIJ_Result result) {
            result.r2 = MutexWord.contendOrAcquire(memory, 0, 1) ? 1 : 0;
        }

        /** Who holds it now. */
        @Arbiter
        public void after(IIJ_Result result) {
            result.r3 = MutexWord.holder(memory, 0);
        }
    }

    /** The server hands a contended mutex over while another rank tries to overtake. */
    @JCStressTest
    @Outcome(id = "0, 0, 1", expect = ACCEPTABLE, desc = "the head of the queue has it, nobody overtook")
    @State
    public static class HandOver {
        private final MemorySegment memory = Blocks.take();

        /** Rank 0 holds the mutex, rank 1 waits. */
        public HandOver() {
            MutexWord.tryAcquire(memory, 0, 0);
            MutexWord.contendOrAcquire(memory, 0, 1);
        }

        /** The server executes rank 0's unlock; the fast release must not work any more. */
        @Actor
        public void server(IIJ_Result result) {
            result.r1 = MutexWord.tryRelease(memory, 0, 0) ? 1 : 0;
            MutexWord.handOver(memory, 0, 1, false);
        }

        /** Rank 2 comes by. */
        @Actor
        public void other(IIJ_Result result) {
            result.r2 = MutexWord.tryAcquire(memory, 0, 2) ? 1 : 0;
        }

        /** Who holds it now. */
        @Arbiter
        public void after(IIJ_Result result) {
            result.r3 = MutexWord.holder(memory, 0);
        }
    }
}

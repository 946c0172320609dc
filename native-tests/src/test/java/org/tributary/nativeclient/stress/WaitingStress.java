package org.tributary.nativeclient.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.foreign.ValueLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.openjdk.jcstress.infra.results.J_Result;
import org.tributary.wire.shm.SharedWord;

/** Ranks in Java and in C of which one waits for the other. */
public class WaitingStress {
    private static final long DATA = 8;
    private static final long TIMEOUT_NS = 100_000_000_000L;

    /** Both count in plain memory under a mutex, which goes from one to the other through the server if need be. */
    @JCStressTest
    @Outcome(id = "2", expect = ACCEPTABLE, desc = "one after the other")
    @State
    public static class Mutex {
        private final TwoRanks ranks = TwoRanks.get();
        private final long word = ranks.block();
        private final int mutex = ranks.mutex(word);

        private void count() {
            ranks.memory().local().set(ValueLayout.JAVA_LONG, word,
                ranks.memory().local().get(ValueLayout.JAVA_LONG, word) + 1);
        }

        /** Rank 0. */
        @Actor
        public void java() {
            ranks.mutexes().lock(0, mutex);
            count();
            ranks.mutexes().unlock(0, mutex);
        }

        /** Rank 1. */
        @Actor
        public void c() {
            ranks.lock(mutex);
            count();
            ranks.unlock(mutex);
        }

        /** The count. */
        @Arbiter
        public void after(J_Result result) {
            result.r1 = ranks.memory().getLong(0, word);
        }
    }

    /** C puts data, then sets a flag. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "neither yet")
    @Outcome(id = "0, 7", expect = ACCEPTABLE, desc = "the data already")
    @Outcome(id = "1, 7", expect = ACCEPTABLE, desc = "both")
    @Outcome(id = "1, 0", expect = FORBIDDEN, desc = "the flag before its data")
    @State
    public static class Publish {
        private final TwoRanks ranks = TwoRanks.get();
        private final long flag = ranks.block();

        /** Rank 1. */
        @Actor
        public void c() {
            ranks.putFlag(flag + DATA, 7, flag);
        }

        /** Rank 0. */
        @Actor
        public void java(JJ_Result result) {
            result.r1 = SharedWord.getLongAcquire(ranks.memory().local(), flag);
            result.r2 = ranks.memory().local().get(ValueLayout.JAVA_LONG, flag + DATA);
        }
    }

    /** Java falls asleep on its doorbell while C sets the flag and rings: a lost wake-up lasts to the time-out. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "woken, or never slept; nobody is counted as asleep")
    @Outcome(id = "-1, .*", expect = FORBIDDEN, desc = "slept through the ring")
    @State
    public static class Wake {
        private final TwoRanks ranks = TwoRanks.get();
        private final long flag = ranks.block();

        private boolean isSet() {
            return SharedWord.getLongAcquire(ranks.memory().local(), flag) == 1;
        }

        /** Rank 1. */
        @Actor
        public void c() {
            ranks.putFlag(flag + DATA, 7, flag);
        }

        /** Rank 0. */
        @Actor
        public void java(II_Result result) {
            long startNs = System.nanoTime();
            while (!isSet()) {
                ranks.doorbell().sleep(this::isSet, TIMEOUT_NS);
            }
            result.r1 = System.nanoTime() - startNs < TIMEOUT_NS ? 1 : -1;
        }

        /** Data that came with it. */
        @Arbiter
        public void after(II_Result result) {
            result.r2 = (int) ranks.memory().getLong(0, flag + DATA) - 7;
        }
    }
}

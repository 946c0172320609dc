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
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.shm.WindowLayout;
import org.tributary.wire.shm.WindowLock;

/** The lock word of a window between ranks and the server. */
public class WindowLockStress {
    private static final long PROTECTED = 0;

    private static void increment(MemorySegment memory) {
        memory.set(ValueLayout.JAVA_LONG, PROTECTED, memory.get(ValueLayout.JAVA_LONG, PROTECTED) + 1);
    }

    /** A word that is free again reads 0; else what is left of it. */
    private static long word(MemorySegment memory) {
        return memory.get(ValueLayout.JAVA_LONG, WindowLayout.LOCK);
    }

    /** Two writers try the fast path. */
    @JCStressTest
    @Outcome(id = "1, 1, 2", expect = ACCEPTABLE, desc = "one after the other, both updates are there")
    @Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "the second found it held")
    @Outcome(id = "0, 1, 1", expect = ACCEPTABLE, desc = "the first found it held")
    @State
    public static class Writers {
        private final MemorySegment memory = Blocks.take();

        private int update(int rank) {
            if (!WindowLock.tryAcquire(memory, LockMode.EXCLUSIVE, rank)) {
                return 0;
            }
            increment(memory);
            return WindowLock.tryRelease(memory, LockMode.EXCLUSIVE, rank) ? 1 : -1;
        }

        /** Rank 0. */
        @Actor
        public void rank0(IIJ_Result result) {
            result.r1 = update(0);
        }

        /** Rank 1. */
        @Actor
        public void rank1(IIJ_Result result) {
            result.r2 = update(1);
        }

        /** What was protected, and the word, which is free. */
        @Arbiter
        public void after(IIJ_Result result) {
            result.r3 = memory.get(ValueLayout.JAVA_LONG, PROTECTED) + 1000 * word(memory);
        }
    }

    /** The server lets a reader in that goes before a writer, while another one comes and goes by itself. */
    @JCStressTest
    @Outcome(id = "1, 1, 4294967296", expect = ACCEPTABLE, desc = "both are readers; the one let in is left")
    @State
    public static class ReaderThatJoins {
        private final MemorySegment memory = Blocks.take();

        /** Rank 0 comes and goes. */
        @Actor
        public void rank0(IIJ_Result result) {
            result.r1 = WindowLock.tryAcquire(memory, LockMode.SHARED, 0)
                && WindowLock.tryRelease(memory, LockMode.SHARED, 0) ? 1 : 0;
        }

        /** The server. */
        @Actor
        public void server(IIJ_Result result) {
            result.r2 = WindowLock.join(memory) ? 1 : 0;
        }

        /** The word. */
        @Arbiter
        public void after(IIJ_Result result) {
            result.r3 = word(memory);
        }
    }

    /** A reader beside a writer: the reader sees both halves of an update or neither. */
    @JCStressTest
    @Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "read before the update")
    @Outcome(id = "1, 2, 0", expect = ACCEPTABLE, desc = "read after the update")
    @Outcome(id = "1, -1, 0", expect = ACCEPTABLE, desc = "the reader found the writer")
    @Outcome(id = "0, 0, 0", expect = ACCEPTABLE, desc = "the writer found the reader")
    @State
    public static class ReaderAndWriter {
        private final MemorySegment memory = Blocks.take();

        /** Rank 0 writes. */
        @Actor
        public void writer(IIJ_Result result) {
            if (WindowLock.tryAcquire(memory, LockMode.EXCLUSIVE, 0)) {
                increment(memory);
                increment(memory);
                result.r1 = WindowLock.tryRelease(memory, LockMode.EXCLUSIVE, 0) ? 1 : -1;
            }
        }

        /** Rank 1 reads. */
        @Actor
        public void reader(IIJ_Result result) {
            result.r2 = -1;
            if (WindowLock.tryAcquire(memory, LockMode.SHARED, 1)) {
                result.r2 = (int) memory.get(ValueLayout.JAVA_LONG, PROTECTED);
                if (!WindowLock.tryRelease(memory, LockMode.SHARED, 1)) {
                    result.r2 = -2;
                }
            }
        }

        /** The word is free. */
        @Arbiter
        public void after(IIJ_Result result) {
            result.r3 = word(memory);
        }
    }

    /** Two readers share. */
    @JCStressTest
    @Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "neither keeps the other out, both are counted out")
    @State
    public static class Readers {
        private final MemorySegment memory = Blocks.take();

        private int share(int rank) {
            return WindowLock.tryAcquire(memory, LockMode.SHARED, rank)
                && WindowLock.tryRelease(memory, LockMode.SHARED, rank) ? 1 : 0;
        }

        /** Rank 0. */
        @Actor
        public void rank0(IIJ_Result result) {
            result.r1 = share(0);
        }

        /** Rank 1. */
        @Actor
        public void rank1(IIJ_Result result) {
            result.r2 = share(1);
        }

        /** The word is free. */
        @Arbiter
        public void after(IIJ_Result result) {
            result.r3 = word(memory);
        }
    }

    /** A reader releases while the server marks the word for a writer that waits. */
    @JCStressTest
    @Outcome(id = "1, 1, 2", expect = ACCEPTABLE, desc = "released first: the server took it for the writer")
    @Outcome(id = "0, 0, -9223372032559808512", expect = ACCEPTABLE, desc = "marked first: one reader, contended")
    @State
    public static class ReleaseAgainstContend {
        private final MemorySegment memory = Blocks.take();

        /** Rank 0 reads. */
        public ReleaseAgainstContend() {
            WindowLock.tryAcquire(memory, LockMode.SHARED, 0);
        }

        /** Rank 0. */
        @Actor
        public void reader(IIJ_Result result) {
            result.r1 = WindowLock.tryRelease(memory, LockMode.SHARED, 0) ? 1 : 0;
        }

        /** The server, for rank 1. */
        @Actor
        public void server(IIJ_Result result) {
            result.r2 = WindowLock.acquireOrContend(memory, LockMode.EXCLUSIVE, 1) ? 1 : 0;
        }

        /** What the word is. */
        @Arbiter
        public void after(IIJ_Result result) {
            result.r3 = word(memory);
        }
    }

    /** The server hands a contended lock over while another reader comes by. */
    @JCStressTest
    @Outcome(id = "1, 0, 2", expect = ACCEPTABLE, desc = "the writer that waited has it, the reader did not overtake")
    @State
    public static class HandOver {
        private final MemorySegment memory = Blocks.take();

        /** Rank 0 reads, rank 1 waits to write. */
        public HandOver() {
            WindowLock.tryAcquire(memory, LockMode.SHARED, 0);
            WindowLock.acquireOrContend(memory, LockMode.EXCLUSIVE, 1);
        }

        /** The server executes rank 0's unlock; the fast release must not work any more. */
        @Actor
        public void server(IIJ_Result result) {
            if (!WindowLock.tryRelease(memory, LockMode.SHARED, 0)) {
                WindowLock.releaseContended(memory, LockMode.SHARED);
                result.r1 = WindowLock.handOver(memory, LockMode.EXCLUSIVE, 1, false) ? 1 : 0;
            }
        }

        /** Rank 2 comes by. */
        @Actor
        public void other(IIJ_Result result) {
            result.r2 = WindowLock.tryAcquire(memory, LockMode.SHARED, 2) ? 1 : 0;
        }

        /** What the word is. */
        @Arbiter
        public void after(IIJ_Result result) {
            result.r3 = word(memory);
        }
    }
}

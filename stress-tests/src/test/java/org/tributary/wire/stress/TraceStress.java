package org.tributary.wire.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import org.tributary.wire.shm.SharedFile;
import org.tributary.wire.shm.SharedWord;
import org.tributary.wire.shm.Trace;
import org.tributary.wire.shm.TraceLayout;
import org.tributary.wire.shm.TraceOperation;

/** Threads of a rank that record in one ring, and another process that reads it. All states share the ring. */
public class TraceStress {
    private static final String JOB = "job";
    private static final Path FOLDER = StressFiles.folderFor(TraceLayout.file(Path.of(""), JOB, 0).toString());
    private static final Trace TRACE = create();
    private static final MemorySegment READ = map();

    private static Trace create() {
        try {
            return Trace.create(FOLDER, JOB, 0, 0, 1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static MemorySegment map() {
        try {
            return SharedFile.map(TraceLayout.file(FOLDER, JOB, 0), Arena.global());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void record(TraceOperation what, int number) {
        TRACE.operation(what, number, number, number, number, number);
    }

    private static long next() {
        return SharedWord.getLongAcquire(READ, TraceLayout.NEXT_OFFSET);
    }

    /** The number in all fields of the record before {@code next}; 0 when it is not complete, -1 when they differ. */
    private static int numberBefore(long next) {
        long at = TraceLayout.RECORDS_OFFSET + (next - 1 & TraceLayout.CAPACITY - 1) * TraceLayout.RECORD_BYTES;
        if (next == 0 || SharedWord.getLongAcquire(READ, at + TraceLayout.SEQUENCE_OFFSET) != next) {
            return 0;
        }
        int peer = SharedWord.getAcquire(READ, at + TraceLayout.PEER_OFFSET);
        int kind = SharedWord.getAcquire(READ, at + TraceLayout.KIND_OFFSET);
        boolean isOne = SharedWord.getLongAcquire(READ, at + TraceLayout.BEGAN_OFFSET) == peer
            && SharedWord.getLongAcquire(READ, at + TraceLayout.BYTES_OFFSET) == peer
            && SharedWord.getLongAcquire(READ, at + TraceLayout.SEGMENT_OFFSET) == peer
            && SharedWord.getLongAcquire(READ, at + TraceLayout.NUMBER_OFFSET) == peer
            && kind == (peer % 2 == 1 ? TraceOperation.PUT : TraceOperation.GET).ordinal();
        boolean isStill = SharedWord.getLongAcquire(READ, at + TraceLayout.SEQUENCE_OFFSET) == next;
        return !isStill ? 0 : isOne ? peer : -1;
    }

    /** Reads the record that was begun last. */
    @JCStressTest
    @Outcome(id = "0", expect = ACCEPTABLE, desc = "none that is complete")
    @Outcome(id = {"1", "2"}, expect = ACCEPTABLE, desc = "one of the two")
    @Outcome(id = "-1", expect = FORBIDDEN, desc = "complete, with something of another")
    @State
    public static class Reading {
        /** Records twice. */
        @Actor
        public void rank() {
            record(TraceOperation.PUT, 1);
            record(TraceOperation.GET, 2);
        }

        /** Looks once. */
        @Actor
        public void reader(I_Result result) {
            result.r1 = numberBefore(next());
        }
    }

    /** Two threads record at once, and each looks for what it has recorded. */
    @JCStressTest
    @Outcome(id = "1, 2", expect = ACCEPTABLE, desc = "each has a place of its own")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "one has written over the other")
    @State
    public static class Together {
        private static int find(int number, long began) {
            for (long next = next(); next > began; next--) {
                if (numberBefore(next) == number) {
                    return number;
                }
            }
            return 0;
        }

        /** One thread. */
        @Actor
        public void one(II_Result result) {
            long began = next();
            record(TraceOperation.PUT, 1);
            result.r1 = find(1, began);
        }

        /** Another one. */
        @Actor
        public void other(II_Result result) {
            long began = next();
            record(TraceOperation.GET, 2);
            result.r2 = find(2, began);
        }
    }
}

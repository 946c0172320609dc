package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.tributary.client.testing.TestJob;

/** What the suites share: jobs of one program, and memory with contents that tell where they came from. */
public final class Jobs {
    private Jobs() {
    }

    /** Runs a program on every rank of a job with messages so small that a few hundred kilobytes need several. */
    public static void run(String layout, TestJob.RankProgram program) {
        try (TestJob job = start(layout)) {
            job.run(program);
        }
    }

    /** The same on a network that lets what travels on different connections overtake each other. */
    public static void runSlowly(String layout, TestJob.RankProgram program) {
        try (TestJob job = TestJob.startSlow(TestJob.topology(layout), "message.max-payload=64k")) {
            job.run(program);
        }
    }

    /** Starts the servers of such a job. */
    public static TestJob start(String layout) {
        return TestJob.start(layout, "message.max-payload=64k");
    }

    /** Reads all that servers of other nodes have sent, such as answers for which a wait was over before they came. */
    public static void readAnswers(Gas gas) {
        for (int rank = 0; rank < gas.rankCount(); rank++) {
            if (!gas.sameNode(rank)) {
                gas.access().stateOf(rank); // answers come in order
            }
        }
    }

    /** Bytes on the heap that differ for each seed. */
    public static MemorySegment random(long seed, long bytes) {
        byte[] contents = new byte[Math.toIntExact(bytes)];
        new SplittableRandom(seed).nextBytes(contents);
        return MemorySegment.ofArray(contents);
    }

    /** Zeros on the heap. */
    public static MemorySegment empty(long bytes) {
        return MemorySegment.ofArray(new byte[Math.toIntExact(bytes)]);
    }

    /** The same off the heap. */
    public static MemorySegment nativeCopy(Arena arena, MemorySegment source) {
        return arena.allocate(Math.max(1, source.byteSize())).asSlice(0, source.byteSize()).copyFrom(source);
    }

    /** Fails when they differ. */
    public static void assertSame(MemorySegment expected, MemorySegment actual, String what) {
        assertEquals(expected.byteSize(), actual.byteSize(), what);
        assertEquals(-1, expected.mismatch(actual), () -> what + ": first difference");
    }
}

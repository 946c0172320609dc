package org.tributary.client.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.wire.shm.CallLayout;
import org.tributary.wire.shm.LatencySample;
import org.tributary.wire.shm.Trace;
import org.tributary.wire.shm.TraceOperation;

/** What the trace of a rank has of its collectives. */
class RecordingTest {
    private static final int CALLS = 1000;
    private static final long LONG_NS = 3_600_000_000_000L;

    @TempDir
    private Path folder;
    private long waitsSinceNs;
    private long waitsSeenNs;

    /** A member of two on a node. */
    private final class Member extends AloneInboxes {
        private final Trace trace;

        private Member(Trace trace) {
            super(2, MemorySegment.NULL);
            this.trace = trace;
        }

        @Override
        public Trace trace() {
            return trace;
        }

        @Override
        public long waitsSinceNs() {
            return waitsSinceNs;
        }

        @Override
        public long waitsSeenNs() {
            return waitsSeenNs;
        }
    }

    private Trace trace() throws IOException {
        return Trace.create(folder, "job", 3, 1, 5);
    }

    /** Sums of all records of an operation: how many for how many calls, their bytes, and the longest. */
    private record Told(long records, long calls, long bytes, long longestNs) {
    }

    private Told told(TraceOperation what) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(1 << 20).order(ByteOrder.LITTLE_ENDIAN);
        try (FileChannel channel = FileChannel.open(folder.resolve("job.3.trace"))) {
            channel.read(bytes);
        }
        Told told = new Told(0, 0, 0, 0);
        for (int at = 4096; at < 4096 + 64 * bytes.getLong(192); at += 64) {
            if (bytes.getInt(at + 36) == what.ordinal()) {
                told = new Told(told.records + 1, told.calls + bytes.getInt(at + 32),
                    told.bytes + bytes.getLong(at + 24), Math.max(told.longestNs, bytes.getLong(at + 16)));
            }
        }
        return told;
    }

    /** Of every 16th the time is taken, as of short ones. */
    private static void call(Recording recording, int number, int kind, long bytes) {
        boolean isTimed = number % 16 == 0;
        long began = recording.begin(isTimed ? System.nanoTime() : LatencySample.NOT_TIMED, bytes);
        recording.ended(kind, began, isTimed ? System.nanoTime() : LatencySample.NOT_TIMED, -1, bytes, number);
    }

    @Test
    void shouldHaveAllOfThemWhenFewAreTimed() throws IOException {
        Trace trace = trace();
        Recording recording = new Recording(new Member(trace), true);
        for (int i = 0; i < 3 * CALLS; i++) {
            call(recording, i, CallLayout.BARRIER, 0);
            if (i % 3 == 0) {
                call(recording, i + 1, CallLayout.ALLREDUCE, i % 2 == 0 ? 8 : 24);
            }
        }
        recording.close();
        trace.finish(true);
        Told barriers = told(TraceOperation.BARRIER);
        assertEquals(3 * CALLS, barriers.calls);
        assertTrue(barriers.records < CALLS, () -> barriers.records + " records");
        assertEquals(CALLS, told(TraceOperation.ALLREDUCE).calls);
        assertEquals(16 * CALLS, told(TraceOperation.ALLREDUCE).bytes);
    }

    @Test
    void shouldHaveAllOfThemWhenTheRankLeavesWithoutAnEndOfTheGroup() throws IOException {
        Trace trace = trace();
        Recording recording = new Recording(new Member(trace), true);
        for (int i = 1; i < 16; i++) { // none is timed
            call(recording, i, CallLayout.BROADCAST, 100);
        }
        trace.finish(true);
        recording.close();
        assertEquals(15, told(TraceOperation.BROADCAST).calls);
        assertEquals(1500, told(TraceOperation.BROADCAST).bytes);
    }

    @Test
    void shouldRecordALongOneWhenItsWaitsHaveSeenTheClock() throws IOException {
        Trace trace = trace();
        Recording recording = new Recording(new Member(trace), true);
        for (int i = 1; i < 16; i++) {
            waitsSeenNs = i == 7 ? System.nanoTime() : 0;
            waitsSinceNs = i == 7 ? waitsSeenNs - LONG_NS : 0;
            call(recording, i, CallLayout.BARRIER, 0);
        }
        recording.close();
        Told barriers = told(TraceOperation.BARRIER);
        assertEquals(15, barriers.calls);
        assertTrue(barriers.longestNs >= LONG_NS, () -> "longest " + barriers.longestNs);
        assertTrue(barriers.records < 15, () -> barriers.records + " records");
    }

    @Test
    void shouldRecordEachWhenTheyAreOfSeveralNodesOrLarge() throws IOException {
        Trace trace = trace();
        Recording ofNodes = new Recording(new Member(trace), false);
        for (int i = 0; i < 20; i++) {
            call(ofNodes, i, CallLayout.BARRIER, 0);
        }
        ofNodes.close();
        assertEquals(new Told(20, 20, 0, told(TraceOperation.BARRIER).longestNs), told(TraceOperation.BARRIER));
        assertTrue(told(TraceOperation.BARRIER).longestNs < LONG_NS, "each is timed");
        Recording ofNode = new Recording(new Member(trace), true);
        assertTrue(ofNode.begin(LatencySample.NOT_TIMED, 1 << 20) != LatencySample.NOT_TIMED, "a large one is timed");
    }
}

package org.tributary.wire.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bytes of a trace, which ranks in C write, too. */
class TraceTest {
    private static final int MANY = 20_000;
    private static final long LONG_NS = 3_600_000_000_000L;

    @TempDir
    private Path folder;

    private ByteBuffer beginning() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(4096 + 64 * MANY).order(ByteOrder.LITTLE_ENDIAN);
        try (FileChannel channel = FileChannel.open(folder.resolve("job.3.trace"))) {
            channel.read(bytes);
        }
        return bytes;
    }

    @Test
    void shouldHaveEachFieldInItsPlaceWhenARankRecords() throws IOException {
        long before = System.nanoTime();
        Trace trace = Trace.create(folder, "job", 3, 1, 5);
        trace.operation(TraceOperation.GET, before, 2, 0x1122334455L, 77, 99);
        trace.finish(true);
        ByteBuffer bytes = beginning();
        assertEquals("TRIBTRAC", new String(bytes.array(), 0, 8, StandardCharsets.US_ASCII));
        assertEquals(1, bytes.getInt(8));
        assertEquals(3, bytes.getInt(12));
        assertEquals(1, bytes.getInt(16));
        assertEquals(5, bytes.getInt(20));
        assertEquals(1 << 18, bytes.getLong(24));
        assertEquals(4096 + 64 * (1L << 18), Files.size(folder.resolve("job.3.trace")));
        assertTrue(bytes.getLong(32) >= before && bytes.getLong(48) >= bytes.getLong(32));
        assertTrue(Math.abs(bytes.getLong(40) / 1_000_000 - System.currentTimeMillis()) < 60_000);
        assertEquals("job\0", new String(bytes.array(), 64, 4, StandardCharsets.US_ASCII));
        assertEquals(Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip(),
            new String(bytes.array(), 96, 36, StandardCharsets.US_ASCII));
        assertEquals(1, bytes.getLong(192));
        assertEquals(1, bytes.getLong(4096));
        assertEquals(before, bytes.getLong(4104));
        assertTrue(bytes.getLong(4112) >= 0 && bytes.getLong(4112) <= bytes.getLong(48) - before);
        assertEquals(0x1122334455L, bytes.getLong(4120));
        assertEquals(1, bytes.getInt(4128));
        assertEquals(1, bytes.getInt(4132)); // the second operation
        assertEquals(2, bytes.getInt(4136));
        assertEquals((int) Thread.currentThread().threadId(), bytes.getInt(4140));
        assertEquals(77, bytes.getLong(4144));
        assertEquals(99, bytes.getLong(4152));
    }

    @Test
    void shouldRecordWhatWasHeldBackAndNoGoodEndWhenTheJobHasFailed() throws IOException {
        Trace trace = Trace.create(folder, "job", 3, 1, 5);
        for (int i = 0; i < MANY; i++) {
            trace.endOneWay(TraceOperation.PUT, trace.beginOneWay(TraceOperation.PUT, 8), 2, 8, 0);
        }
        trace.finish(false);
        ByteBuffer bytes = beginning();
        assertCounts(bytes, MANY);
        assertEquals(0, bytes.getLong(48));
    }

    @Test
    void shouldRecordALongOneForItselfOnlyWhenItIsDue() throws IOException {
        Trace trace = Trace.create(folder, "job", 3, 1, 5);
        long secondAgoNs = System.nanoTime() - 1_000_000_000;
        while (trace.beginOneWay(TraceOperation.PUT, 8) != 0) { // until some are held back
            trace.endOneWay(TraceOperation.PUT, System.nanoTime(), 2, 8, 0);
        }
        trace.endOneWay(TraceOperation.PUT, 0, 2, 8, 0);
        trace.endOneWay(TraceOperation.PUT, secondAgoNs, 2, 8, 0);
        trace.finish(true);
        ByteBuffer bytes = beginning();
        int records = (int) bytes.getLong(192);
        long totalNs = 0;
        for (int i = 0; i < records; i++) {
            totalNs += bytes.getLong(4096 + 64 * i + 16) * bytes.getInt(4096 + 64 * i + 32);
        }
        assertTrue(totalNs >= 1_000_000_000 && totalNs < 2_000_000_000L, "ns in all: " + totalNs);
    }

    @Test
    void shouldRecordOneForManyWhenOperationsWaitForNothing() throws IOException {
        Trace trace = Trace.create(folder, "job", 3, 1, 5);
        for (int i = 0; i < MANY; i++) {
            trace.endOneWay(TraceOperation.PUT, trace.beginOneWay(TraceOperation.PUT, 8), 2, 8, 0);
        }
        trace.finish(true);
        trace.operation(TraceOperation.GET, 1, 2, 0, 0, 0); // too late
        ByteBuffer bytes = beginning();
        assertEquals(1, bytes.getInt(4096 + 32));
        assertCounts(bytes, MANY);
    }

    /** Of operations of 8 bytes, in a few records. */
    private static void assertCounts(ByteBuffer bytes, long operations) {
        long records = bytes.getLong(192);
        assertTrue(records < operations / 16, () -> records + " records of " + operations);
        long counted = 0;
        long size = 0;
        for (int at = 4096; at < 4096 + 64 * records; at += 64) {
            counted += bytes.getInt(at + 32);
            size += bytes.getLong(at + 24);
        }
        assertEquals(operations, counted);
        assertEquals(8 * operations, size);
    }

    @Test
    void shouldRecordALongOneWithItsLengthWhenItIsAmongShortOnes() throws IOException {
        Trace trace = Trace.create(folder, "job", 3, 1, 5);
        Trace.Samples ofGroup = trace.samples();
        Trace.Samples ofAnother = trace.samples();
        for (int i = 0; i < MANY; i++) {
            Trace.Samples samples = i % 3 == 0 ? ofGroup : ofAnother;
            if (i != MANY / 2 && !samples.isDue(TraceOperation.BARRIER)) {
                samples.count(TraceOperation.BARRIER, 8);
            } else {
                samples.ended(TraceOperation.BARRIER, System.nanoTime() - (i == MANY / 2 ? LONG_NS : 0), -1, 8, 7, i);
            }
        }
        trace.end(ofGroup);
        trace.finish(true);
        trace.end(ofAnother);
        ByteBuffer bytes = beginning();
        assertCounts(bytes, MANY);
        int at = 4096;
        while (bytes.getLong(at + 56) != MANY / 2 || bytes.getLong(at + 16) < LONG_NS) {
            at += 64;
        }
        assertEquals(1, bytes.getInt(at + 32));
    }

    /** Counts one more, or records it if it is due; returns whether it was. */
    private static boolean operate(Trace.Samples samples) {
        boolean isDue = samples.isDue(TraceOperation.BARRIER);
        if (isDue) {
            samples.ended(TraceOperation.BARRIER, System.nanoTime(), -1, 8, 7, 0);
        } else {
            samples.count(TraceOperation.BARRIER, 8);
        }
        return isDue;
    }

    @Test
    void shouldRecordFewerWhenRecordsWouldComeSoon() throws Exception {
        Trace trace = Trace.create(folder, "job", 3, 1, 5);
        Trace.Samples samples = trace.samples();
        long operations = 200L * MANY;
        for (long i = 0; i < operations; i++) {
            operate(samples);
        }
        long records = beginning().getLong(192);
        assertTrue(records > 10 && records < operations / (2 * TraceLayout.SAMPLE), () -> records + " records");
        int row = 0;
        for (int round = 0; round < 20; round++) {
            TimeUnit.NANOSECONDS.sleep(5L * TraceLayout.SAMPLE_NS);
            row = 1;
            while (!operate(samples)) {
                row++;
            }
            operations += row;
        }
        assertTrue(row <= 2 * TraceLayout.SAMPLE, "still " + row + " for one record when records are far apart");
        trace.finish(true);
        assertCounts(beginning(), operations);
    }

    @Test
    void shouldRecordEachWhenOperationsThatWaitAreFarApart() throws IOException {
        Trace trace = Trace.create(folder, "job", 3, 1, 5);
        for (int i = 0; i < MANY; i++) {
            trace.answered(TraceOperation.ATOMIC, i, 1000, 2, 8, 7, i);
        }
        long records = beginning().getLong(192);
        for (int i = 1; i <= 40; i++) {
            trace.answered(TraceOperation.ATOMIC, 5L * i * TraceLayout.SAMPLE_NS, 1000, 2, 8, 7, i);
        }
        assertEquals(records + 40, beginning().getLong(192));
        assertEquals(MANY + 40, sum(beginning(), TraceOperation.ATOMIC.ordinal(), 32));
    }

    /** Short operations that wait for answers, and a long one among them; the file of a rank that never leaves. */
    @Test
    void shouldHaveAllOfThemAtAnyMomentWhenOperationsWaitForAnswers() throws IOException {
        Trace trace = Trace.create(folder, "job", 3, 1, 5);
        for (int i = 1; i <= MANY; i++) {
            trace.answered(TraceOperation.ATOMIC, i, i == MANY / 2 ? LONG_NS : 1000, 2, 8, 7, i);
            trace.answered(TraceOperation.GET, i, 1000, 1, 100, 7, i);
            if (i % (MANY / 10) == 0) {
                ByteBuffer bytes = beginning();
                assertTrue(bytes.getLong(192) < 2 * i / 10 + 20, "records: " + bytes.getLong(192));
                assertEquals(i, sum(bytes, 4, 32));
                assertEquals(8 * i, sum(bytes, 4, 24));
                assertEquals(i, sum(bytes, 1, 32));
                assertEquals(100 * i, sum(bytes, 1, 24));
            }
        }
        ByteBuffer bytes = beginning();
        int at = 4096;
        while (bytes.getLong(at + 16) != LONG_NS) {
            at += 64;
        }
        assertEquals(1, bytes.getInt(at + 32));
        assertEquals(MANY / 2, bytes.getLong(at + 56));
    }

    /** Of the records of an operation: of the counts at 32, or of the bytes at 24. */
    private static long sum(ByteBuffer bytes, int operation, int field) {
        long sum = 0;
        for (int at = 4096; at < 4096 + 64 * bytes.getLong(192); at += 64) {
            if (bytes.getInt(at + 36) == operation) {
                sum += field == 32 ? bytes.getInt(at + 32) : bytes.getLong(at + 24);
            }
        }
        return sum;
    }

    @Test
    void shouldHaveAllOfThemWhenManyThreadsWaitForAnswers() throws Exception {
        Trace trace = Trace.create(folder, "job", 3, 1, 5);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (int done = 0; done < MANY / 4; done++) {
                    trace.answered(TraceOperation.ATOMIC, done, 1000, 2, 8, 7, 0);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(MANY, sum(beginning(), 4, 32));
        assertEquals(8 * MANY, sum(beginning(), 4, 24));
    }

    /** The place of its record is soon that of another one. */
    @Test
    void shouldAddToNoOldRecordWhenTheRingHasGoneOn() throws IOException {
        Trace trace = Trace.create(folder, "job", 3, 1, 5);
        for (int i = 0; i < 1000; i++) {
            trace.answered(TraceOperation.ATOMIC, i, 1000, 2, 8, 7, 0);
        }
        for (int i = 0; i <= TraceLayout.GROWS; i++) {
            trace.operation(TraceOperation.GET, i, 2, 0, 7, 0);
        }
        long before = beginning().getLong(192);
        trace.answered(TraceOperation.ATOMIC, 1, 1000, 2, 8, 7, 0);
        assertEquals(before + 1, beginning().getLong(192));
    }

    /** A wait of which a slot tells is recorded with its cause, from when the thread began to poll. */
    @Test
    void shouldRecordWaitsWhenTheirSlotsAreLeft() throws IOException {
        Trace trace = Trace.create(folder, "job", 3, 1, 5);
        WaitSlots waits = WaitSlots.unshared();
        waits.end(waits.begin(WaitKind.MUTEX, 0, 0, 0)); // nobody records yet
        waits.record(trace);
        long since = System.nanoTime() - 1_000_000;
        waits.end(waits.begin(WaitKind.COLLECTIVE, 4, 7, 9), since);
        ByteBuffer bytes = beginning();
        assertEquals(1, bytes.getLong(192));
        assertEquals(since, bytes.getLong(4104));
        assertTrue(bytes.getLong(4112) >= 1_000_000);
        assertEquals(256 + 8, bytes.getInt(4132)); // the ninth kind of wait
        assertEquals(4, bytes.getInt(4136));
        assertEquals(7, bytes.getLong(4144));
        assertEquals(9, bytes.getLong(4152));
    }
}

package org.tributary.launcher.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.wire.shm.Trace;
import org.tributary.wire.shm.TraceLayout;
import org.tributary.wire.shm.TraceOperation;
import org.tributary.wire.shm.WaitKind;

/** What is made of traces, whatever has become of their files. */
class TraceReportTest {
    private static final String JOB = "job.1";
    private static final long MS = 1_000_000;

    @TempDir
    private Path folder;

    private Trace trace(int rank) throws IOException {
        return Trace.create(folder, JOB, rank, rank, 2);
    }

    private Path file(int rank) {
        return TraceLayout.file(folder, JOB, rank);
    }

    private TraceReport report() throws IOException {
        Map<String, List<Path>> jobs = TraceFolder.jobs(folder);
        return TraceReport.make(JOB, jobs.get(JOB), folder.resolve("out.json"),
            done -> { });
    }

    private List<TraceRecord> records(int rank) throws IOException {
        TraceRing ring = new TraceRing();
        ring.load(TraceFile.read(file(rank)));
        return StreamSupport.stream(ring.spliterator(), false).toList();
    }

    private static void overwrite(Path file, long offset, long value, int bytes) throws IOException {
        try (RandomAccessFile memory = new RandomAccessFile(file.toFile(), "rw")) {
            memory.seek(offset);
            memory.write(ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(value).array(), 0,
                bytes);
        }
    }

    @Test
    void shouldSumByOperationAndCauseWhenRanksHaveLeft() throws IOException {
        Trace one = trace(0);
        Trace other = trace(1);
        long now = System.nanoTime();
        for (int i = 0; i < 300; i++) {
            one.endOneWay(TraceOperation.PUT, one.beginOneWay(TraceOperation.PUT, 8), 1, 8, 7);
        }
        one.operation(TraceOperation.GET, now, 1, 100, 7, 0);
        one.waited(WaitKind.COLLECTIVE, now - 5 * MS, 1, 0, 1);
        one.waited(WaitKind.ANSWER, System.nanoTime(), 1, 0, 0); // too short
        other.waited(WaitKind.FENCE, now - 30 * MS, 0, 0, 0);
        one.finish(true);
        other.finish(true);
        overwrite(file(0), TraceLayout.MONOTONIC_OFFSET, now - 100 * MS, Long.BYTES);
        overwrite(file(1), TraceLayout.MONOTONIC_OFFSET, now - 100 * MS, Long.BYTES);
        TraceReport report = report();
        assertEquals(List.of(), report.problems());
        String lines = String.join("\n", report.lines());
        assertTrue(lines.contains("job " + JOB + ": 2 of 2 ranks"), lines);
        assertTrue(lines.matches("(?s).*\nput +300 +2.34 KiB .*"), lines);
        assertTrue(lines.matches("(?s).*\nget +1 +100 B .*"), lines);
        assertTrue(lines.matches("(?s).*\ncollective +1 .* rank 1 \\(100 %\\)\n.*"), lines);
        assertTrue(lines.matches("(?s).*\nfence +1 .* node 0 \\(100 %\\)\n.*"), lines);
        assertTrue(!lines.contains("answer"), lines);
        assertTrue(lines.contains("imbalance: rank 0 was busy (did not wait) longest"), lines);
    }

    @Test
    void shouldWriteEventsAsTheFormatHasThemWhenThereAreRecords() throws IOException {
        Trace one = trace(0);
        one.operation(TraceOperation.GET, System.nanoTime(), 1, 100, 7, 0);
        one.finish(true);
        report();
        String json = Files.readString(folder.resolve("out.json"));
        assertTrue(json.startsWith("{\"displayTimeUnit\": \"ns\", \"otherData\": {\"job\": \"job.1\"}, "
            + "\"traceEvents\": [\n{\"ph\": \"M\", \"pid\": 0, \"tid\": 0, \"name\": \"process_name\", "
            + "\"args\": {\"name\": \"rank 0 (node 0)\"}}"), json);
        assertTrue(json.matches("(?s).*\n\\{\"ph\": \"X\", \"pid\": 0, \"tid\": \\d+, \"ts\": \\d+\\.\\d{3}, \"dur\": "
            + "\\d+\\.\\d{3}, \"cat\": \"operation\", \"name\": \"get\", \"args\": \\{\"rank\": 1, \"bytes\": 100, "
            + "\"operations\": 1, \"segment\": 7}}\n]}\n"), json);
    }

    private void reportTo(Path out) throws IOException {
        TraceReport.make(JOB, TraceFolder.jobs(folder).get(JOB), out, done -> { });
    }

    /** As a device must: /dev/null is everybody's. */
    @Test
    void shouldWriteIntoWhatIsThereWhenItIsNoRegularFile() throws Exception {
        trace(0).finish(true);
        Path queue = folder.resolve("queue");
        assertEquals(0, new ProcessBuilder("mkfifo", queue.toString()).start().waitFor());
        CompletableFuture<String> read = CompletableFuture.supplyAsync(() -> {
            try {
                return Files.readString(queue);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        reportTo(queue);
        assertTrue(read.get().startsWith("{\"displayTimeUnit\""), read::join);
        assertTrue(Files.readAttributes(queue, BasicFileAttributes.class).isOther());
    }

    @Test
    void shouldFollowALinkAndKeepTheModeWhenAFileIsReplaced() throws IOException {
        trace(0).finish(true);
        Path old = Files.writeString(folder.resolve("old.json"), "old");
        Files.setPosixFilePermissions(old, PosixFilePermissions.fromString("rw-r-----"));
        Path link = Files.createSymbolicLink(folder.resolve("link.json"), old.getFileName());
        reportTo(link);
        assertTrue(Files.isSymbolicLink(link));
        assertTrue(Files.readString(old).startsWith("{"));
        assertEquals("rw-r-----", PosixFilePermissions.toString(Files.getPosixFilePermissions(old)));
        Path fresh = folder.resolve("fresh.json");
        reportTo(fresh);
        assertEquals(Files.getPosixFilePermissions(Files.createFile(folder.resolve("any"))),
            Files.getPosixFilePermissions(fresh));
    }

    @Test
    void shouldSayWhatIsMissingWhenARankWasKilledAndAnotherIsElsewhere() throws IOException {
        trace(1).operation(TraceOperation.BARRIER, System.nanoTime(), -1, 0, 0, 1);
        String lines = String.join("\n", report().lines());
        assertTrue(lines.contains("1 of 2 ranks"), lines);
        assertTrue(lines.contains("not here: ranks 0; if other hosts have their files, copy them to this folder"),
            lines);
        assertTrue(lines.contains("did not leave the job in good order, or have not left yet: ranks 1"), lines);
        assertTrue(lines.matches("(?s).*\nbarrier +1 .*"), lines);
    }

    @Test
    void shouldKeepTheLatestWhenTheRingIsFull() throws IOException {
        Trace one = trace(0);
        for (int i = 0; i < TraceLayout.CAPACITY + 10; i++) {
            one.operation(TraceOperation.ATOMIC, System.nanoTime(), 1, 8, i, 0);
        }
        assertEquals(TraceLayout.CAPACITY, records(0).size());
        assertEquals(10, TraceFile.read(file(0)).overwritten());
        assertEquals(10, records(0).stream().mapToLong(TraceRecord::segment).min().orElseThrow());
    }

    @Test
    void shouldFindNoDamageWhenTheRankGoesOn() throws Exception {
        Trace one = trace(0);
        for (int i = 0; i < TraceLayout.CAPACITY; i++) {
            one.operation(TraceOperation.ATOMIC, System.nanoTime(), 1, 8, 7, 0);
        }
        AtomicBoolean isOver = new AtomicBoolean();
        Thread rank = Thread.ofPlatform().start(() -> {
            while (!isOver.get()) {
                one.operation(TraceOperation.ATOMIC, System.nanoTime(), 1, 8, 7, 0);
            }
        });
        try {
            TraceRing ring = new TraceRing();
            for (int i = 0; i < 20; i++) {
                ring.load(TraceFile.read(file(0)));
                assertEquals(List.of(), ring.problems());
            }
        } finally {
            isOver.set(true);
            rank.join();
        }
    }

    @Test
    void shouldCountWhatARankThatGoesOnHasOverwrittenSinceItsFileWasRead() throws IOException {
        Trace one = trace(0);
        for (int i = 0; i < TraceLayout.CAPACITY; i++) {
            one.operation(TraceOperation.ATOMIC, System.nanoTime(), 1, 8, i, 0);
        }
        TraceFile before = TraceFile.read(file(0));
        for (int i = 0; i < 5; i++) {
            one.operation(TraceOperation.ATOMIC, System.nanoTime(), 1, 8, i, 0);
        }
        assertEquals(0, before.overwritten());
        assertEquals(5, rank(before).overwritten);
    }

    private Summary.Rank rank(int rank) throws IOException {
        return rank(TraceFile.read(file(rank)));
    }

    private static Summary.Rank rank(TraceFile of) throws IOException {
        TraceRing ring = new TraceRing();
        ring.load(of);
        Summary summary = new Summary();
        summary.add(of, ring);
        return summary.ranks().get(of.rank());
    }

    /** It waited half of the time, long before as well. */
    @Test
    void shouldCountFromTheFirstRecordThatIsLeftWhenOthersWereOverwritten() throws IOException {
        Trace one = trace(0);
        long endNs = System.nanoTime();
        overwrite(file(0), TraceLayout.MONOTONIC_OFFSET, endNs - 100_000 * MS, Long.BYTES);
        overwrite(file(0), TraceLayout.NEXT_OFFSET, 9L * TraceLayout.CAPACITY, Long.BYTES);
        for (int i = 0; i < 64; i++) {
            one.waited(WaitKind.ANSWER, System.nanoTime() - MS, 1, 0, 0);
            long at = TraceLayout.RECORDS_OFFSET + (long) i * TraceLayout.RECORD_BYTES;
            overwrite(file(0), at + TraceLayout.BEGAN_OFFSET, endNs - 640 * MS + i * 10 * MS, Long.BYTES);
            overwrite(file(0), at + TraceLayout.DURATION_OFFSET, 5 * MS, Long.BYTES);
        }
        Summary.Rank rank = rank(0);
        assertEquals(630 * MS, rank.elapsedNs);
        assertEquals(63 * 5 * MS, rank.waitingNs);
    }

    @Test
    void shouldNotCountARankAsWaitingWhileOneOfItsThreadsDoesNot() throws Exception {
        Trace one = trace(0);
        long now = System.nanoTime();
        overwrite(file(0), TraceLayout.MONOTONIC_OFFSET, now - 100 * MS, Long.BYTES);
        one.operation(TraceOperation.GET, now - 90 * MS, 1, 8, 0, 0);
        one.waited(WaitKind.ANSWER, now - 40 * MS, 1, 0, 0);
        Thread listener = Thread.ofPlatform().start(() -> one.waited(WaitKind.NOTIFICATION, now - 80 * MS, 1, 0, 0));
        listener.join();
        Summary.Rank rank = rank(0);
        assertTrue(rank.waitingNs >= 40 * MS && rank.waitingNs <= rank.elapsedNs - 60 * MS,
            rank.waitingNs + " of " + rank.elapsedNs);
    }

    @Test
    void shouldHaveEveryRecordOnceWhenThreadsRecordTogether() throws Exception {
        Trace one = trace(0);
        List<Thread> threads = IntStream.range(0, 4).mapToObj(thread -> Thread.ofPlatform().start(() -> {
            for (int i = 0; i < 1000; i++) {
                one.operation(TraceOperation.GET, System.nanoTime(), thread, i, 0, 0);
            }
        })).toList();
        for (Thread thread : threads) {
            thread.join();
        }
        Map<Integer, Long> bytes = records(0).stream().collect(
            Collectors.groupingBy(TraceRecord::peer, TreeMap::new, Collectors.summingLong(TraceRecord::bytes)));
        assertEquals(Map.of(0, 499500L, 1, 499500L, 2, 499500L, 3, 499500L), bytes);
    }

    /** One at a time is in memory: two would not fit. */
    @Test
    @Timeout(value = 240, unit = TimeUnit.SECONDS)
    void shouldReadEveryRecordOfFullRingsWhenMemoryHoldsOneOfThem() throws Exception {
        int ranks = 16;
        Trace one = Trace.create(folder, JOB, 0, 0, ranks);
        long now = System.nanoTime();
        for (int i = 0; i < TraceLayout.CAPACITY; i++) {
            one.operation(TraceOperation.ATOMIC, now, 1, 8, 0, 0);
        }
        one.finish(true);
        for (int rank = 1; rank < ranks; rank++) {
            Files.copy(file(0), file(rank));
            overwrite(file(rank), TraceLayout.RANK_OFFSET, rank, Integer.BYTES);
        }
        Path out = folder.resolve("out.txt");
        Process command = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC", "-Xmx40m", "-cp", System.getProperty("java.class.path"), Summarizer.class.getName(),
            JOB, folder.toString()).redirectErrorStream(true).redirectOutput(out.toFile()).start();
        try {
            assertTrue(command.waitFor(200, TimeUnit.SECONDS));
            String said = Files.readString(out);
            assertEquals(0, command.exitValue(), said);
            assertTrue(said.contains("job " + JOB + ": 16 of 16 ranks"), said);
            assertTrue(said.matches("(?s).*\natomic +" + (long) ranks * TraceLayout.CAPACITY + " .*"), said);
        } finally {
            command.destroyForcibly();
        }
    }

    /** First all are opened, then read. */
    @Test
    void shouldTellHowFarItIsWithEachFile() throws IOException {
        for (int rank = 0; rank < 2; rank++) {
            trace(rank).finish(true);
        }
        List<Integer> told = new ArrayList<>();
        TraceReport.make(JOB, TraceFolder.jobs(folder).get(JOB), Writer.nullWriter(), told::add);
        assertEquals(List.of(0, 0, 0, 1), told);
    }

    @Test
    void shouldSayWhichFileWhenItHasBecomeAnotherWhileItWasRead() throws IOException {
        trace(0).finish(true);
        TraceFile first = TraceFile.read(file(0));
        overwrite(file(0), TraceLayout.NODE_OFFSET, 1, Integer.BYTES);
        String message = assertThrows(IOException.class, () -> new TraceRing().load(first)).getMessage();
        assertTrue(message.startsWith(file(0) + " has become another trace"), message);
    }

    /** Each names the file, the byte and what is there. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "0    | 5          | 8 | no trace begins with 5",
        "0    | 0          | 8 | its rank ended while it attached",
        "8    | 9          | 4 | at byte 8, version 9, not 1",
        "12   | 2          | 4 | at byte 12, rank 2 of 2",
        "16   | -1         | 4 | at byte 16, node -1",
        "20   | 0          | 4 | at byte 20, a job of 0 ranks",
        "20   | 2147483647 | 4 | at byte 20, a job of 2147483647 ranks",
        "24   | 7          | 8 | at byte 24, a ring of 7 records",
        "48   | 1          | 8 | at byte 48, a rank that left -",
        "48   | 9223372036854775807 | 8 | at byte 48, a rank that left 9",
        "192  | -4         | 8 | at byte 192, -4 records",
        "4096 | 77         | 8 | 1 damaged records, the first at byte 4096, which has sequence 77, not 1",
        "4112 | -1         | 8 | the first at byte 4096, which begins ",
        "4120 | -1         | 8 | stands for 1 operations of -1 bytes",
        "4128 | 0          | 4 | stands for 0 operations",
        "4132 | 999        | 4 | is of the unknown kind 999"})
    void shouldNameFileAndByteWhenAFileIsDamaged(long offset, long value, int bytes, String said) throws IOException {
        Trace one = trace(0);
        one.operation(TraceOperation.GET, System.nanoTime(), 1, 100, 7, 0);
        one.finish(true);
        overwrite(file(0), offset, value, bytes);
        String problems = String.join("\n", report().problems());
        assertTrue(problems.contains(file(0).toString()) && problems.contains(said), problems);
    }

    @Test
    void shouldReadWhatIsThereWhenAFileWasTruncated() throws IOException {
        Trace one = trace(0);
        one.operation(TraceOperation.GET, System.nanoTime(), 1, 100, 7, 0);
        one.operation(TraceOperation.PUT, System.nanoTime(), 1, 100, 7, 0);
        try (RandomAccessFile memory = new RandomAccessFile(file(0).toFile(), "rw")) {
            memory.setLength(TraceLayout.RECORDS_OFFSET + TraceLayout.RECORD_BYTES + 5);
        }
        TraceReport report = report();
        assertEquals(List.of(file(0) + " was truncated: it has 4165 of " + TraceLayout.fileBytes() + " bytes"),
            report.problems());
        assertTrue(String.join("\n", report.lines()).matches("(?s).*\nget +1 .*"));
        one.operation(TraceOperation.GET, System.nanoTime(), 1, 100, 7, 0); // goes on: the memory may be gone
        Files.write(file(0), new byte[9]);
        assertTrue(report().problems().getFirst().contains("it has 9 bytes, not at least 4096"));
    }

    @Test
    void shouldRefuseWhenARankOfThisJobHasRecordedHere() throws IOException {
        trace(0);
        String message = assertThrows(IOException.class, () -> trace(0)).getMessage();
        assertTrue(message.contains("rank 0 cannot record: " + file(0) + " is there already"), message);
    }

    @Test
    void shouldTellJobsApartWhenTheyShareAFolder() throws IOException {
        trace(0);
        trace(1);
        Trace.create(folder, "other", 0, 0, 1);
        Files.createFile(folder.resolve("notes.txt"));
        Map<String, List<Path>> jobs = TraceFolder.jobs(folder);
        assertEquals(List.of(JOB, "other"), List.copyOf(jobs.keySet()));
        assertEquals(List.of(file(0), file(1)), jobs.get(JOB));
    }

    @Test
    void shouldSayWhyWhenAFolderCannotBeUsed() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        String problem = TraceFolder.problem(file, 1).orElseThrow();
        assertTrue(problem.startsWith("cannot use the folder " + file), problem);
        String full = TraceFolder.problem(folder, Integer.MAX_VALUE).orElseThrow();
        assertTrue(full.contains(" MiB free in " + folder + ", and the traces of 2147483647 ranks take "), full);
        assertTrue(TraceFolder.problem(folder.resolve("a/b"), 1).isEmpty());
        assertTrue(Files.isDirectory(folder.resolve("a/b")));
    }

    /** Prints the summary of a job's traces; the events, which would be a large file, go nowhere. */
    static final class Summarizer {
        private Summarizer() {
        }

        public static void main(String[] args) throws IOException {
            TraceReport report = TraceReport.make(args[0], TraceFolder.jobs(Path.of(args[1])).get(args[0]),
                Writer.nullWriter(), done -> { });
            report.lines().forEach(System.out::println);
            report.problems().forEach(System.out::println);
        }
    }
}

package org.tributary.nativeclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.testsupport.Stopping;
import org.tributary.testsupport.ToleratesErrors;
import org.tributary.wire.shm.TraceLayout;

/** Files in shared memory that somebody truncates while ranks in C or Java use them: the job ends and names them. */
@ToleratesErrors({"cannot tell the ranks of the node by .*/control", "Bus error"})
final class TruncatedFilesTest {
    /** Of a control file for two ranks. */
    private static final long RANK_BLOCKS = 66_048;
    private static final int RANK_HEADER = 16_512;
    private static final int TABLE_BYTES = 64;
    private static final int SCRIBBLED = 16 * 4096;
    private static final long RINGS_HEADER = 256;
    private static final long RING_HEAD = 128;

    @BeforeEach
    void assumeBuilt() {
        NativeBuild.assumeBuilt();
    }

    private static Path file(Jobs jobs, String name) throws IOException {
        try (Stream<Path> files = Files.walk(jobs.shm())) {
            return files.filter(file -> file.getFileName().toString().equals(name)).findFirst().orElseThrow();
        }
    }

    @ParameterizedTest
    @CsvSource({"C, segment, 2", "C, small-stack, 2", "C, control, 2", "C, rings, '2,1'", "Java, segment, 2",
        "Java, control, 2", "Java, rings, '2,1'"})
    void shouldEndTheJobNamingTheFileWhenItIsTruncated(String language, String which, String layout) throws Exception {
        try (Jobs jobs = new Jobs()) {
            String how = which.equals("control") ? "barrier" : which.equals("rings") ? "ring" : which;
            List<String> settings = new ArrayList<>(List.of("--set", "attach.timeout=90s"));
            if (which.equals("rings")) {
                settings.addAll(List.of("--set", "cooperation.mode=combine", "--set", "cooperation.scope=node"));
            }
            Jobs.Running job = language.equals("C")
                ? jobs.run(layout, settings, NativeBuild.program("truncated"), how)
                : jobs.run(layout, settings, "/bin/sh", "-c", "exec " + Jobs.javaRank(TruncatedRank.class) + " " + how);
            List<String> ids = job.await(".*ready rank \\d+ segment (\\w+).*", layout.equals("2") ? 2 : 3);
            Path file = file(jobs, which.startsWith("s") ? "segment-" + ids.getFirst() : which);
            long beganNs = System.nanoTime();
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(0);
            }
            assertNotEquals(0, job.exitCode());
            assertTrue(System.nanoTime() - beganNs < TimeUnit.SECONDS.toNanos(60), "ends in time");
            assertTrue(job.output().contains(file + " was truncated while the job uses it: it has 0 bytes, not ")
                || job.output().contains(" of " + file + ", which was truncated while the job uses it: it has 0 bytes"),
                job.output());
            jobs.assertNothingLeft();
        }
    }

    /** The servers are stopped, so that no other thread hears of it before. */
    @Test
    void shouldTellAListenerThatMakesCallsWhenARingIsScribbled() throws Exception {
        try (Jobs jobs = new Jobs()) {
            Jobs.Running job = jobs.run("1,1", List.of("--set", "cooperation.mode=combine", "--set",
                "cooperation.scope=node"), NativeBuild.program("truncated"), "listen");
            job.await(".*ready rank \\d+ segment (\\w+).*", 2);
            Path rings;
            try (Stream<Path> files = Files.walk(jobs.shm())) {
                rings = files.filter(file -> file.endsWith("rings") && file.getParent().toString().endsWith("-0"))
                    .findFirst().orElseThrow();
            }
            long[] servers = job.process().descendants().filter(process -> process.info().command()
                .filter(command -> command.endsWith("/java")).isPresent()).mapToLong(ProcessHandle::pid).toArray();
            assertTrue(servers.length > 0, job::output);
            Stopping.stop(servers);
            try (FileChannel channel = FileChannel.open(rings, StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.allocate(Long.BYTES).putLong(0, -1), RINGS_HEADER + RING_HEAD);
            }
            String reason = job.await(".*rank 0 was told: (.*)", 1).getFirst();
            assertTrue(reason.contains(rings + " is damaged: the head of ring 0 is -1"), reason);
            Stopping.goOn(servers);
            assertNotEquals(0, job.exitCode());
            jobs.assertNothingLeft();
        }
    }

    /**
     * Whatever others write into the trace of a rank, it goes on. Without memory behind it a rank in C ends and names
     * the file; one in Java records no more, and goes on until something else ends it.
     */
    @ParameterizedTest
    @ValueSource(strings = {"C", "Java"})
    void shouldGoOnOrNameTheTraceWhenItIsScribbledAndTruncated(String language) throws Exception {
        try (Jobs jobs = new Jobs()) {
            Path folder = jobs.work().resolve("traces");
            List<String> options = List.of("--trace", folder.toString());
            Jobs.Running job = language.equals("C") ? jobs.run("1,1", options, NativeBuild.program("truncated"), "ring")
                : jobs.run("1,1", options, "/bin/sh", "-c", "exec " + Jobs.javaRank(TruncatedRank.class) + " ring");
            List<String> ids = job.await(".*ready rank \\d+ segment (\\w+).*", 2);
            Path trace;
            try (Stream<Path> files = Files.list(folder)) {
                trace = files.filter(file -> file.toString().endsWith(".0.trace")).findFirst().orElseThrow();
            }
            try (FileChannel channel = FileChannel.open(trace, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                scribble(channel);
                channel.truncate(0);
            }
            if (language.equals("Java")) {
                job.await(".*the rank records no more: there is no memory behind (" + Pattern.quote(trace.toString())
                    + ").*", 1);
                try (FileChannel channel = FileChannel.open(file(jobs, "segment-" + ids.getFirst()),
                    StandardOpenOption.WRITE)) {
                    channel.truncate(0);
                }
            }
            assertNotEquals(0, job.exitCode());
            assertTrue(language.equals("Java") || job.output().contains(" of " + trace
                + ", which was truncated while the job uses it: it has 0 bytes"), job.output());
            jobs.assertNothingLeft();
        }
    }

    /** Until the rank has recorded something after that. */
    private static void scribble(FileChannel trace) throws IOException {
        byte[] ones = new byte[SCRIBBLED];
        Arrays.fill(ones, (byte) -1);
        trace.write(ByteBuffer.wrap(ones), 0);
        ByteBuffer next = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        while (next.getLong(0) < 1) {
            trace.read(next.clear(), TraceLayout.NEXT_OFFSET);
        }
    }

    /** A table that only seems to be full does not have the program raise a setting. */
    @ParameterizedTest
    @ValueSource(strings = {"C", "Java"})
    void shouldEndTheJobNamingTheTableWhenItsEntriesAreOfNoRank(String language) throws Exception {
        try (Jobs jobs = new Jobs()) {
            Jobs.Running job = language.equals("C")
                ? jobs.run("2", List.of(), NativeBuild.program("truncated"), "notify")
                : jobs.run("2", List.of(), "/bin/sh", "-c", "exec " + Jobs.javaRank(TruncatedRank.class) + " notify");
            job.await(".*ready rank \\d+ segment (\\w+).*", 2);
            Path file = file(jobs, "control");
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                byte[] ofNoRank = new byte[TABLE_BYTES];
                Arrays.fill(ofNoRank, (byte) 0x55);
                for (int rank = 0; rank < 2; rank++) {
                    channel.write(ByteBuffer.wrap(ofNoRank), RANK_BLOCKS + rank * (RANK_HEADER + TABLE_BYTES)
                        + RANK_HEADER);
                }
            }
            assertNotEquals(0, job.exitCode());
            assertTrue(job.output().matches("(?s).*(" + file + " is damaged: entry \\d of the notification table of"
                + " rank \\d|the notification table of rank \\d in " + file + " is damaged: entry \\d)"
                + " is of rank 1431655764, and there are 2.*"), job.output());
            jobs.assertNothingLeft();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"before", "after"})
    void shouldLeaveTheProgramsOwnHandlerAloneWhenItHasOne(String when) throws Exception {
        try (Jobs jobs = new Jobs()) {
            Jobs.Running job = jobs.run("1", List.of(), NativeBuild.program("truncated"), "handlers", when);
            String output = job.succeed();
            assertTrue(output.contains("goes on"), output);
            assertFalse(output.contains("tributary: rank"), output);
            jobs.assertNothingLeft();
        }
    }

    /** A fault that is none of the library's business kills the process as ever, without a word of the library. */
    @ParameterizedTest
    @ValueSource(strings = "never")
    void shouldDieOfItsOwnFaultWhenThereIsNoHandler(String when) throws Exception {
        try (Jobs jobs = new Jobs()) {
            Jobs.Running job = jobs.run("1", List.of(), NativeBuild.program("truncated"), "handlers", when);
            assertEquals(128 + 7, job.exitCode());
            assertFalse(job.output().contains("cannot go on"), job.output());
            assertTrue(job.output().contains("SIGBUS"), job.output());
            jobs.assertNothingLeft();
        }
    }
}

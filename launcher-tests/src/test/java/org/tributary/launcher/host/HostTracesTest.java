package org.tributary.launcher.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.launcher.cli.Version;
import org.tributary.launcher.job.JobPlan;
import org.tributary.launcher.job.LineSink;
import org.tributary.launcher.link.LaunchCommand;
import org.tributary.wire.shm.Trace;
import org.tributary.wire.shm.TraceLayout;
import org.tributary.wire.shm.TraceOperation;

/** Traces of jobs that have ended, by agents that are processes of this machine. */
class HostTracesTest {
    private static final String JOB = "traced";
    private static final String RELEASE = Version.release();
    private static final String AS_IT_IS = "exec \"$@\"\n";

    @TempDir
    private Path directory;
    private Path from;
    private Path folder;
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @BeforeEach
    void shouldHaveFolders() {
        from = directory.resolve("there");
        folder = directory.resolve("here/new");
    }

    private HostTraces traces(String launch) throws IOException {
        Path command = Files.createFile(directory.resolve("launch"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.writeString(command, "#!/bin/sh\nhost=$1; shift\n" + launch);
        JobPlan plan = new JobPlan(Topology.parse("2,1,1"), Settings.builder().set("attach.timeout=45s").build(),
            List.of(), List.of(), Map.of(), true, 0, false);
        HostTraces traces = new HostTraces(plan, JOB, List.of("a", "b", "c"), LaunchCommand.parse(command.toString()),
            RELEASE, from, folder, new LineSink(err));
        traces.begin((inquiry, taker) -> List.of("no node answers"));
        return traces;
    }

    /** Of four ranks; that of the last one has records in its first and last places alone. */
    private void record() throws IOException {
        for (int rank = 0; rank < 4; rank++) {
            Trace trace = Trace.create(from, JOB, rank, Math.max(0, rank - 1), 4);
            for (int i = 0; i < (rank == 1 ? TraceLayout.CAPACITY : 10); i++) {
                trace.operation(TraceOperation.GET, 1, 2, 3, 4, 5);
            }
            trace.finish(true);
        }
    }

    private boolean isHere(int rank) throws IOException {
        Path here = TraceLayout.file(folder, JOB, rank);
        return Files.exists(here) && Files.mismatch(here, TraceLayout.file(from, JOB, rank)) == -1;
    }

    /** Names of files in the launcher's folder. */
    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private String errors() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldHaveAllTracesWhenHostsHaveFoldersOfTheirOwn() throws Exception {
        record();
        traces(AS_IT_IS).collect();
        assertEquals("", errors());
        for (int rank = 0; rank < 4; rank++) {
            assertTrue(isHere(rank), "rank " + rank);
        }
        assertEquals(List.of("traced.0.trace", "traced.1.trace", "traced.2.trace", "traced.3.trace", "traced.clocks"),
            files());
    }

    @Test
    void shouldCopyNothingWhenTheFolderIsShared() throws Exception {
        record();
        folder = from;
        traces(AS_IT_IS).collect();
        assertEquals("", errors());
        assertEquals(5, files().size(), "in " + from);
    }

    @Test
    void shouldTakeTheOthersWhenAHostIsGone() throws Exception {
        record();
        traces("[ $host = b ] && { echo 'no route to host' >&2; exit 255; }\n" + AS_IT_IS).collect();
        assertEquals("tributary: the traces of host b (node 1) are not all here, and may be in " + from
            + " there: no route to host (launch exited with code 255)",
            errors().strip().replace(directory.resolve("launch").toString(), "launch"));
        assertTrue(isHere(0) && isHere(1) && isHere(3), files()::toString);
    }

    @Test
    void shouldLeaveNoPartWhenAConnectionEndsInTheMiddle() throws Exception {
        record();
        traces("[ $host = a ] && \"$@\" | { dd bs=64K count=120 2>&-; kill -9 $$; }\n" + AS_IT_IS).collect();
        assertTrue(errors().contains("the traces of host a (node 0) are not all here"), errors());
        assertEquals(List.of("traced.0.trace", "traced.2.trace", "traced.3.trace", "traced.clocks"), files());
        assertTrue(isHere(0) && isHere(2) && isHere(3));
    }

    @Test
    void shouldReplaceNothingWhenAFileIsThereAlready() throws Exception {
        record();
        Files.createDirectories(folder);
        Files.writeString(TraceLayout.file(folder, JOB, 2), "mine");
        traces(AS_IT_IS).collect();
        assertEquals("mine", Files.readString(TraceLayout.file(folder, JOB, 2)));
        assertTrue(isHere(0) && isHere(3), errors());
    }

    /** By a clock that is faster than the machine's. */
    @Test
    void shouldSayHowFarItIsAndHowMuchLongerWhenThereIsNoTerminal() throws Exception {
        record();
        Path go = directory.resolve("go");
        HostTraces traces = traces("[ $host = b ] && until [ -e '" + go + "' ]; do sleep 0.05; done\n" + AS_IT_IS);
        AtomicLong seconds = new AtomicLong();
        Pattern line = Pattern.compile("tributary: collecting traces: 2 of 3 hosts, \\d+ MiB after [1-9]\\d* s,"
            + " about [1-9]\\d* s left\n");
        traces.by(() -> {
            if (line.matcher(errors()).find() && !Files.exists(go)) {
                create(go);
            }
            return TimeUnit.SECONDS.toNanos(seconds.incrementAndGet());
        }).collect();
        assertTrue(line.matcher(errors()).find(), errors());
        assertTrue(isHere(0) && isHere(1) && isHere(2) && isHere(3), errors());
    }

    private static void create(Path file) {
        try {
            Files.createFile(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldEndWhenItIsStopped() throws Exception {
        record();
        Path silent = directory.resolve("silent");
        HostTraces traces = traces("[ $host = b ] && { : > " + silent + "; exec sleep 1000; }\n" + AS_IT_IS);
        CountDownLatch ended = new CountDownLatch(1);
        Thread stopper = Thread.ofVirtual().start(() -> {
            try {
                while (!Files.exists(silent) && !ended.await(5, TimeUnit.MILLISECONDS)) {
                    Thread.onSpinWait();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            traces.stop();
        });
        traces.collect();
        ended.countDown();
        stopper.join();
        assertTrue(errors().contains("host b (node 1) are not all here") && errors().contains("interrupted"), errors());
        assertTrue(files().stream().noneMatch(name -> name.startsWith(".")), files()::toString);
    }

    @Test
    void shouldSayWhereTracesStayWhenTheFolderCannotBeMade() throws Exception {
        record();
        folder = Files.createFile(directory.resolve("file")).resolve("below");
        traces(AS_IT_IS).collect();
        assertTrue(errors().startsWith("tributary: the traces stay on their hosts, in " + from + ": cannot write to "
            + folder), errors());
    }

    @Test
    void shouldBeWithinItsErrorWhenAHostHasAnotherClock() throws Exception {
        assumeTrue(new ProcessBuilder("unshare", "--time", "--monotonic", "1000", "true").start().waitFor() == 0,
            "no clocks of their own here (unshare --time, as root)");
        record();
        Path boot = Files.writeString(directory.resolve("boot"), "another-machine\n");
        traces("[ $host = b ] && exec unshare --mount --time --monotonic 5000 --fork --kill-child sh -c "
            + "'mount --bind " + boot + " /proc/sys/kernel/random/boot_id; exec \"$@\"' sh \"$@\"\n" + AS_IT_IS)
            .collect();
        assertEquals("", errors());
        List<String> clocks = Files.readAllLines(folder.resolve("traced.clocks"));
        assertEquals(4, clocks.size(), clocks::toString);
        String[] other = clocks.stream().filter(line -> line.startsWith("another-machine ")).findAny().orElseThrow()
            .split(" ");
        long aheadNs = Long.parseLong(other[2]);
        long errorNs = Long.parseLong(other[3]);
        assertTrue(Math.abs(aheadNs + 5_000_000_000_000L) <= errorNs, clocks::toString);
        assertEquals(2, clocks.stream().filter(line -> line.endsWith(" 0 0")).count(), clocks::toString);
    }
}

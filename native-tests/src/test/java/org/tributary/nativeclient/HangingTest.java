package org.tributary.nativeclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.config.ProcessFiles;
import org.tributary.testsupport.Stopping;
import org.tributary.wire.shm.NodeDirectory;

/** What {@code tributary status} tells of ranks in C that do not go on; as of ranks in Java. */
final class HangingTest {
    private static final String LAYOUT = "2,2";
    private static final int RANKS = 4;

    @BeforeEach
    void assumeBuilt() {
        NativeBuild.assumeBuilt();
    }

    private static Jobs.Running run(Jobs jobs, String how, String hangReport) throws Exception {
        Jobs.Running job = jobs.run(LAYOUT, List.of("--set", "job.hang-report=" + hangReport),
            NativeBuild.program("hanging"), how);
        job.await(".*(ready) rank \\d", RANKS);
        return job;
    }

    /** What the job has printed since all ranks were ready: before that, all may have waited for slow servers. */
    private static String sinceReady(Jobs.Running job) {
        String output = job.output();
        return output.substring(output.lastIndexOf("ready rank "));
    }

    private static String why(Jobs jobs) throws Exception {
        String id;
        try (Stream<Path> entries = Files.list(jobs.shm())) {
            id = entries.map(entry -> entry.getFileName().toString())
                .filter(name -> NodeDirectory.NAME.matcher(name).matches()).findAny().orElseThrow()
                .replaceFirst("^tributary-", "").replaceFirst("-\\d+$", "");
        }
        List<String> command = new ArrayList<>(Jobs.launcher());
        command.addAll(List.of("status", "--why", id));
        return jobs.start(command).succeed();
    }

    private static void end(Jobs jobs, Jobs.Running job) throws Exception {
        job.process().destroy();
        assertEquals(143, job.exitCode());
        jobs.assertNothingLeft();
    }

    private static long ranks(Jobs jobs) {
        return jobs.processes().stream().filter(process -> ProcessFiles.of(process).commandLine().getFirst()
            .endsWith("/hanging")).count();
    }

    private static boolean isGdbInstalled() {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, "gdb")));
    }

    /** The launcher tells of it by itself. */
    @ParameterizedTest
    @CsvSource({"deadlock, 'deadlock: ranks 0, 3 wait for each other', 'waits for mutex 1 of rank 3, held by rank 3'",
        "groups, 'deadlock: ranks 0, 1 wait for each other', 'in barrier, call 1 of group '",
        "all-wait, 'ranks 1-3 wait for rank 0 in barrier, call ', 'rank 0 waits for a flag of its own, which '"})
    void shouldTellOfItOnceWhenNothingGoesOn(String how, String first, String second) throws Exception {
        try (Jobs jobs = new Jobs()) {
            Jobs.Running job = run(jobs, how, "2s");
            job.await(".*(" + first + ").*", 1);
            job.await(".*(" + second + ").*", 1);
            String why = why(jobs);
            assertTrue(why.contains(first) && why.contains(second), why);
            job.await("(.*no progress for .*)", 1);
            assertEquals(1, sinceReady(job).split("no progress for ", -1).length - 1, job::output);
            end(jobs, job);
        }
    }

    @Test
    void shouldNameTheServerAndNoDeadlockWhenItWasStoppedBetweenRanksThatExchange() throws Exception {
        try (Jobs jobs = new Jobs()) {
            Jobs.Running job = run(jobs, "exchange", "2s");
            long[] server = secondServer(jobs);
            Stopping.stop(server);
            job.await(".*(the server of node 1 was stopped).*", 1);
            assertEquals(-1, job.output().indexOf("deadlock"), job::output);
            String why = why(jobs);
            assertTrue(why.contains("the server of node 1 was stopped") && !why.contains("deadlock"), why);
            Stopping.goOn(server);
            end(jobs, job);
        }
    }

    /** Those that wait for it hear that it has left when its server goes on, which ends the job. */
    @Test
    void shouldSayThatARankHasLeftWhenItsServerIsStoppedMeanwhile() throws Exception {
        try (Jobs jobs = new Jobs()) {
            Path go = jobs.work().resolve("go");
            Jobs.Running job = jobs.run(LAYOUT, List.of(), NativeBuild.program("hanging"), "leave", go.toString());
            job.await(".*(ready) rank \\d", RANKS);
            long[] server = secondServer(jobs);
            Stopping.stop(server);
            Files.createFile(go);
            while (ranks(jobs) == RANKS) {
                LockSupport.parkNanos(5_000_000);
            }
            String why = why(jobs);
            assertTrue(why.contains("has left; requests of it still wait at its server"), why);
            assertFalse(why.contains("has died"), why);
            Stopping.goOn(server);
            job.await(".*(rank 2 has left the job while rank ).*", 1);
            assertNotEquals(0, job.exitCode());
            jobs.assertNothingLeft();
        }
    }

    private static long[] secondServer(Jobs jobs) {
        return jobs.processes().stream().filter(process -> ProcessFiles.of(process).text("cmdline")
            .contains("--supervised") && ProcessFiles.of(process).findsVariable("TRIBUTARY_NODE", "1"))
            .mapToLong(ProcessHandle::pid).toArray();
    }

    /** As Ctrl-\ at a terminal does. */
    @Test
    void shouldSayWhoWaitsAndGoOnWhenAllProcessesAreQuit() throws Exception {
        try (Jobs jobs = new Jobs()) {
            Jobs.Running job = run(jobs, "notification", "0");
            jobs.awaitNoThread("tributary-quit"); // launchers and servers get ready for SIGQUIT in the background
            String waits = "rank 0 waits for notification 1 of rank 3";
            String why = why(jobs);
            for (int look = 0; look < RANKS && !why.contains(waits); look++) {
                why = why(jobs); // it may just have been on its way
            }
            jobs.signal("QUIT");
            job.await(".*(who waits for whom .SIGQUIT.).*", 1);
            job.await(".*(" + waits + ").*", 1);
            assertEquals(RANKS, ranks(jobs), job::output);
            assertEquals(-1, job.output().indexOf("thread dump"), job::output);
            end(jobs, job);
        }
    }

    @Test
    void shouldShowTheStackOfWhoComputesWhenOthersAreInABarrier() throws Exception {
        try (Jobs jobs = new Jobs()) {
            Jobs.Running job = run(jobs, "late", "1s");
            String why = why(jobs);
            for (int look = 0; look < RANKS && !why.contains("ranks 0, 2, 3 wait for rank 1 in barrier"); look++) {
                why = why(jobs); // they may just have been on their way
            }
            assertTrue(why.contains("ranks 0, 2, 3 wait for rank 1 in barrier, call "), why);
            assertTrue(why.contains(isGdbInstalled() ? "compute_the_matrix" : "rank 1 computes"), why);
            assertEquals(-1, sinceReady(job).indexOf("no progress"), job::output);
            end(jobs, job);
        }
    }
}

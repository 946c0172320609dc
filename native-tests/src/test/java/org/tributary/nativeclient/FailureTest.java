package org.tributary.nativeclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.testsupport.Stopping;
import org.tributary.wire.RankState;
import org.tributary.wire.shm.ControlFile;
import org.tributary.wire.shm.NodeDirectory;

/** A rank in C that dies, leaves or gives up, and what the others hear of it. */
final class FailureTest {
    /** Longer than a rank waits before it looks whether another one is still there. */
    private static final long SEEN_MS = 300;

    @BeforeEach
    void assumeBuilt() {
        NativeBuild.assumeBuilt();
    }

    private static void kill(String pid) throws Exception {
        assertEquals(0, new ProcessBuilder("/bin/sh", "-c", "kill -KILL " + pid).start().waitFor());
    }

    @ParameterizedTest
    @CsvSource({"3, barrier", "3, compute", "3, flag", "3, notify", "3, lock", "'1,1,1', barrier", "'1,1,1', get",
        "'1,1,1', compute", "'1,1,1', lock"})
    void shouldEndTheJobWhenARankIsKilled(String layout, String how) throws Exception {
        try (Jobs jobs = new Jobs()) {
            Jobs.Running job = jobs.run(layout, List.of(), NativeBuild.program("failing"), how);
            job.await(".*(ready).*", 3);
            kill(job.await(".*ready rank 1 pid (\\d+).*", 1).getFirst());
            assertNotEquals(0, job.exitCode());
            assertTrue(job.output().contains("rank 1"), job.output());
            assertFalse(job.output().contains("goes on"), job.output());
            jobs.assertNothingLeft();
        }
    }

    /** The server shows that a rank is dead a moment before it tells why the job ends. */
    @Test
    void shouldHearTheReasonOfTheServerWhenARankIsSeenDeadBefore() throws Exception {
        try (Jobs jobs = new Jobs(); Arena arena = Arena.ofShared()) {
            Jobs.Running job = jobs.run("2", List.of(), NativeBuild.program("failing"), "barrier");
            job.await(".*(ready).*", 2);
            String victim = job.await(".*ready rank 1 pid (\\d+).*", 1).getFirst();
            ControlFile.open(new NodeDirectory(jobs.nodeDirectory()).control(), arena)
                .setRankState(1, RankState.DEAD, Long.parseLong(victim));
            Thread.sleep(SEEN_MS);
            kill(victim);
            assertNotEquals(0, job.exitCode());
            assertFalse(job.output().contains("goes on"), job.output());
            jobs.assertNothingLeft();
        }
    }

    @ParameterizedTest
    @CsvSource({"3, barrier", "3, notify", "'1,1,1', barrier", "'1,1,1', get", "'1,1,1', lock"})
    void shouldReturnFromWaitsWhenFailuresAreToBeReturned(String layout, String how) throws Exception {
        try (Jobs jobs = new Jobs()) {
            Jobs.Running job = jobs.run(layout, List.of("--set", "job.on-failure=throw", "--set", "job.grace=10s"),
                NativeBuild.sanitizedProgram("failing"), how);
            job.await(".*(ready).*", 3);
            kill(job.await(".*ready rank 1 pid (\\d+).*", 1).getFirst());
            assertNotEquals(0, job.exitCode());
            assertFalse(job.output().contains("Sanitizer"), job.output());
            jobs.assertNothingLeft();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "1,1"})
    void shouldEndTheJobWhenARankAbortsIt(String layout) throws Exception {
        try (Jobs jobs = new Jobs()) {
            Jobs.Running job = jobs.run(layout, List.of(), NativeBuild.sanitizedProgram("failing"), "abort");
            assertNotEquals(0, job.exitCode());
            jobs.assertNothingLeft();
        }
    }

    /** The process ends at once: the server must have what is in the ring by then. */
    @Test
    void shouldTellWhyWhenARankAbortsTheJobThroughItsRing() throws Exception {
        try (Jobs jobs = new Jobs()) {
            Jobs.Running job = jobs.run("1,1", List.of("--set", "cooperation.mode=combine", "--set",
                "cooperation.scope=node"), NativeBuild.program("failing"), "abort");
            assertNotEquals(0, job.exitCode());
            assertTrue(job.output().contains("rank 1 has had enough"), job.output());
            assertFalse(job.output().contains("without leaving the job"), job.output());
            jobs.assertNothingLeft();
        }
    }

    /** The own server does not read the rank's requests, which wait for the stopped server of node 2. */
    @ParameterizedTest
    @ValueSource(strings = {"process", "node"})
    void shouldTellWhyWhenARankAbortsTheJobBehindRequestsThatWait(String scope) throws Exception {
        try (Jobs jobs = new Jobs(); Arena arena = Arena.ofShared()) {
            Jobs.Running job = jobs.run("4*1", List.of("--set", "cooperation.mode=forward", "--set",
                "cooperation.groups=0,3;1,2", "--set", "cooperation.scope=" + scope, "--set",
                "cooperation.direct-connections=0", "--set", "job.grace=2s"), NativeBuild.program("failing"),
                "abort-behind");
            job.await(".*(ready).*", 4);
            Stopping.stop(ControlFile.open(new NodeDirectory(jobs.nodeDirectory(2)).control(), arena).serverPid());
            Files.createFile(jobs.work().resolve("stopped"));
            assertNotEquals(0, job.exitCode());
            assertTrue(job.output().contains("rank 1 has had enough"), job.output());
            assertFalse(job.output().contains("without leaving the job"), job.output());
            jobs.assertNothingLeft();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "1,1"})
    void shouldHearOfALeftRankWhenItWaitsForIt(String layout) throws Exception {
        try (Jobs jobs = new Jobs()) {
            String output = jobs.run(layout, List.of(), NativeBuild.sanitizedProgram("failing"), "leave").succeed();
            assertTrue(output.contains("rank 0 has heard of it"), output);
            jobs.assertNothingLeft();
        }
    }

    /** What was not waited for to its end is there for the next wait. */
    @ParameterizedTest
    @ValueSource(strings = {"2", "1,1"})
    void shouldCountANotificationOnceWhenWaitsForItHaveFailed(String layout) throws Exception {
        try (Jobs jobs = new Jobs()) {
            String output = jobs.run(layout, List.of(), NativeBuild.sanitizedProgram("failing"), "late").succeed();
            assertTrue(output.contains("rank 0 has heard of it"), output);
            jobs.assertNothingLeft();
        }
    }

    /** It ends as ranks do that have attached in time; the launcher says why. */
    @Test
    void shouldEndWithTheJobWhenItAttachesAfterAFailure() throws Exception {
        try (Jobs jobs = new Jobs()) {
            Jobs.Running job = jobs.run("2", List.of("--set", "job.grace=60s"), NativeBuild.sanitizedProgram("failing"),
                "too-late");
            assertNotEquals(0, job.exitCode());
            assertTrue(job.output().contains("rank 1 has ended with code 75"), job.output());
            assertTrue(job.output().contains("rank 0 has had enough"), job.output());
            assertFalse(job.output().contains("ENDING") || job.output().contains("goes on"), job.output());
            jobs.assertNothingLeft();
        }
    }

    @Test
    void shouldLeaveInGoodOrderWhenTheProcessExitsWithoutDetaching() throws Exception {
        try (Jobs jobs = new Jobs()) {
            jobs.run("2,1", List.of(), NativeBuild.program("failing"), "exit").succeed();
            jobs.assertNothingLeft();
        }
    }
}

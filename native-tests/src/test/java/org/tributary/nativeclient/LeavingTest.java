package org.tributary.nativeclient;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A rank in C that leaves its job while its other threads are in calls. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class LeavingTest {
    @BeforeEach
    void assumeBuilt() {
        NativeBuild.assumeBuilt();
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "1,1", "1,1,1"})
    void shouldEndTheCallsOfOtherThreadsWhenARankLeaves(String layout) throws Exception {
        try (Jobs jobs = new Jobs()) {
            String output = jobs.run(layout, List.of(), NativeBuild.sanitizedProgram("leaving")).succeed();
            assertTrue(output.contains("rank 0 has left"), output);
            jobs.assertNothingLeft();
        }
    }

    /** For longer than it waits for the calls of other threads. */
    @ParameterizedTest
    @ValueSource(strings = {"2", "1,1"})
    void shouldEndTheCallsOfOtherThreadsWhenTheySpin(String layout) throws Exception {
        try (Jobs jobs = new Jobs()) {
            String output = jobs.run(layout, List.of("--set", "wait.spin=10s"), NativeBuild.program("leaving"))
                .succeed();
            assertTrue(output.contains("rank 0 has left"), output);
            jobs.assertNothingLeft();
        }
    }

    @Test
    void shouldHaveNoDataRacesWhenARankLeaves() throws Exception {
        try (Jobs jobs = new Jobs()) {
            String output = jobs.run("1,1", List.of(), NativeBuild.racedProgram("leaving")).succeed();
            assertTrue(output.contains("rank 0 has left"), output);
            jobs.assertNothingLeft();
        }
    }

    @Test
    void shouldFreeNothingThatACallUsesWhenItDoesNotEnd() throws Exception {
        try (Jobs jobs = new Jobs()) {
            Jobs.Running job = jobs.run("1", List.of("--set", "job.grace=30s"),
                NativeBuild.sanitizedProgram("leaving"), "stuck");
            job.await(".*(rank 0 has kept it).*", 1);
            job.exitCode();
            assertFalse(job.output().contains("Sanitizer"), job.output());
            jobs.assertNothingLeft();
        }
    }
}

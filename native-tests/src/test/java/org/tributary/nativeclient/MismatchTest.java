package org.tributary.nativeclient;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Collective calls that do not match, of ranks in C and of ranks in both languages. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class MismatchTest {
    @BeforeEach
    void assumeBuilt() {
        NativeBuild.assumeBuilt();
    }

    private static void assertNamed(Jobs.Running job, String one, String other) throws Exception {
        assertNotEquals(0, job.exitCode());
        String output = job.output();
        assertTrue(output.contains("collective calls do not match in a group of "), output);
        assertTrue(output.contains(" in " + one + ", call "), output);
        assertTrue(output.contains(" in " + other + ", call "), output);
        assertFalse(output.contains("got through"), output);
        assertFalse(output.contains("Sanitizer"), output);
    }

    @ParameterizedTest
    @CsvSource({
        "3, length, allreduce sum of 2 long, allreduce sum of 4 long",
        "'1,1', operation, allreduce sum of 1 double, allreduce maximum of 1 double",
        "2, type, allreduce sum of 1 long, allreduce sum of 1 double",
        "'2,1', root, broadcast of 64 bytes from member 0, broadcast of 64 bytes from member 2",
        "2, kind, allreduce sum of 1 long, barrier",
        "'1,2', missing, barrier, allgather of 16 bytes each",
        "2, allocate, allocate (allgather of 16 bytes each), create mutexes (allgather of 16 bytes each)",
        "2, free, barrier after close of segment 100000001, barrier after close of segment 100000002",
        "2, group, barrier, close the group (barrier)"})
    void shouldNameBothCallsWhenTheyDiffer(String layout, String how, String one, String other) throws Exception {
        try (Jobs jobs = new Jobs()) {
            Jobs.Running job = jobs.run(layout, List.of(), NativeBuild.sanitizedProgram("mismatch"), how);
            assertNamed(job, one, other);
            jobs.assertNothingLeft();
        }
    }

    /** Odd ranks are in C, or even ones; the last one differs. */
    @ParameterizedTest
    @CsvSource({"2, 0, length, allreduce sum of 2 long, allreduce sum of 4 long",
        "'1,1', 1, kind, allreduce sum of 1 long, barrier",
        "'1,1', 0, allocate, allocate (allgather of 16 bytes each), create mutexes (allgather of 16 bytes each)",
        "2, 1, free, barrier after close of segment 100000001, barrier after close of segment 100000002"})
    void shouldNameBothCallsWhenRanksAreInBothLanguages(String layout, int remainder, String how, String one,
        String other) throws Exception {
        String choose = "if [ $((TRIBUTARY_RANK % 2)) = " + remainder + " ]; then exec "
            + NativeBuild.sanitizedProgram("mismatch") + " " + how + "; else exec "
            + Jobs.javaRank(MismatchRank.class) + " " + how + "; fi";
        try (Jobs jobs = new Jobs()) {
            assertNamed(jobs.run(layout, List.of(), "/bin/sh", "-c", choose), one, other);
            jobs.assertNothingLeft();
        }
    }

    @ParameterizedTest
    @CsvSource({"3", "'1,1'"})
    void shouldEndTheJobWhenARankLeavesInsteadOfCalling(String layout) throws Exception {
        try (Jobs jobs = new Jobs()) {
            Jobs.Running job = jobs.run(layout, List.of(), NativeBuild.sanitizedProgram("mismatch"), "leave");
            assertNotEquals(0, job.exitCode());
            String output = job.output();
            assertTrue(output.contains(" has left the job while rank "), output);
            assertTrue(output.contains(", in allreduce sum of 1 long, call 6 of a group of "), output);
            assertTrue(output.contains("; its last one there was barrier, call 5"), output);
            jobs.assertNothingLeft();
        }
    }
}

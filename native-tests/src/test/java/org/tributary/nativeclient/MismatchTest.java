package org.tributary.nativeclient;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Collective calls that do not match, of ranks in C and of ranks in both languages. */
final class MismatchTest {
    @BeforeEach
    void assumeBuilt() {
        NativeBuild.assumeBuilt();
    }

    /** Every rank runs the command of its language, and fails; what all of them print. */
    private static String outputOf(Jobs jobs, String layout, IntPredicate inC, String how) throws Exception {
        List<String> command = List.of(NativeBuild.sanitizedProgram("mismatch").toString(), how);
        List<String> javaCommand = List.of("/bin/sh", "-c", "exec " + Jobs.javaRank(MismatchRank.class) + " " + how);
        StringBuilder output = new StringBuilder();
        try (Servers servers = new Servers(jobs, layout, List.of(Servers.EXIT))) {
            List<Jobs.Running> ranks = new ArrayList<>();
            for (int rank = 0; rank < servers.ranks(); rank++) {
                ranks.add(jobs.start(inC.test(rank) ? command : javaCommand, servers.variablesOf(rank)));
            }
            for (Jobs.Running rank : ranks) {
                assertNotEquals(0, rank.exitCode(), rank::output);
                output.append(rank.output());
            }
            servers.awaitBadEnd();
        }
        jobs.assertNothingLeft();
        return output.toString();
    }

    private static void assertNamed(String output, String one, String other) {
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
            assertNamed(outputOf(jobs, layout, rank -> true, how), one, other);
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
        try (Jobs jobs = new Jobs()) {
            assertNamed(outputOf(jobs, layout, rank -> rank % 2 == remainder, how), one, other);
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

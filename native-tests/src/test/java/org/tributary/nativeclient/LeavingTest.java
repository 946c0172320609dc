package org.tributary.nativeclient;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.testsupport.TestedProviders;

/** A rank in C that leaves its job while its other threads are in calls. */
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

    /** One rank of node 1 stays until rank 0 has left, which reads its memory. */
    @Test
    void shouldStayWhenAllRanksOfItsNodeHaveLeft() throws Exception {
        Path mpirun = NativeBuild.assumeTool("mpirun.openmpi");
        try (Jobs jobs = new Jobs()) {
            Path go = jobs.work().resolve("go");
            Jobs.Running ranks = jobs.start(List.of(mpirun.toString(), "--oversubscribe", "-n", "3",
                NativeBuild.program("leaving").toString(), "node", go.toString()),
                Map.of("TRIBUTARY_HOME", jobs.home().toString(), "TRIBUTARY_NODES", "2", "OMPI_ALLOW_RUN_AS_ROOT", "1",
                    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"));
            ranks.await("(.*has left, and still waits for the communication server of node 1.*)", 1);
            Files.createFile(go);
            ranks.succeed();
            jobs.assertNothingLeft();
        }
    }

    private static String leave(String how, Path program, String... options) throws Exception {
        try (Jobs jobs = new Jobs()) {
            String output = jobs.run("2,2", List.of(options), program, how).succeed();
            assertTrue(output.contains("rank 0 has left"), output);
            jobs.assertNothingLeft();
            return output;
        }
    }

    /** A server does not read on while answers cannot leave, and others take a rank whose goodbye is lost for dead. */
    @ParameterizedTest
    @ValueSource(strings = {"get", "exit", "getting", "exit-getting", "exit-flags"})
    void shouldLeaveInGoodOrderWhenAnswersAreUnderWay(String how) throws Exception {
        leave(how, NativeBuild.sanitizedProgram("leaving"));
    }

    @Test
    void shouldLeaveInGoodOrderWhenTheProcessEndsWhileAThreadDetaches() throws Exception {
        leave("exit-detaching", NativeBuild.sanitizedProgram("leaving"));
    }

    @ParameterizedTest
    @CsvSource({"exit, network.encryption=aes-gcm", "getting, network.encryption=aes-gcm",
        "exit, cooperation.mode=combine", "getting, cooperation.mode=combine"})
    void shouldLeaveInGoodOrderWhenAnswersAreUnderWayOnOtherPaths(String how, String setting) throws Exception {
        leave(how, NativeBuild.program("leaving"), "--set", setting, "--set", "cooperation.scope=process");
    }

    /** Requests, and the goodbye, go by the endpoint that reads into memory of threads that leave. */
    @ParameterizedTest
    @CsvSource({"exit, 0", "getting, 0", "exit, 4", "getting, 4"})
    void shouldLeaveInGoodOrderWhenTheAdapterMovesAnswers(String how, int channels) throws Exception {
        assumeTrue(Files.exists(NativeBuild.fabric()), "libfabric is not installed");
        leave(how, NativeBuild.program("leaving"), "--set", "network.fabric=" + TestedProviders.first(), "--set",
            "fabric.channels=" + channels);
    }

    /** It would take days. */
    @Test
    void shouldEndAPutOfManyMessagesWhenARankLeaves() throws Exception {
        leave("putting", NativeBuild.sanitizedProgram("leaving"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"getting", "putting", "flags"})
    void shouldHaveNoDataRacesWhenMuchIsUnderWay(String how) throws Exception {
        leave(how, NativeBuild.racedProgram("leaving"));
    }

    /** The adapter is given back while calls begin, which fail; it is there in such a job without libfabric, too. */
    @Test
    void shouldUseNothingThatIsFreedWhenCallsBeginTooLate() throws Exception {
        assumeTrue(Files.exists(NativeBuild.fabric()), "libfabric is not installed");
        leave("late", NativeBuild.racedProgram("leaving"), "--set", "network.fabric=" + TestedProviders.first());
    }

    /** The others hear that the rank has left after they have all that it has sent. */
    @ParameterizedTest
    @ValueSource(strings = {"none", "combine"})
    void shouldHaveExecutedWhatThreadsSentWhenARankHasLeft(String mode) throws Exception {
        String output = leave("flags", NativeBuild.program("leaving"), "--set", "cooperation.mode=" + mode);
        long sent = number(output, "after (\\d+) flags");
        long executed = number(output, "the flag is (\\d+)");
        // One more may have been on its way when its call ended.
        assertTrue(executed == sent || executed == sent + 1, output);
    }

    private static long number(String output, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(output);
        assertTrue(matcher.find(), output);
        return Long.parseLong(matcher.group(1));
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

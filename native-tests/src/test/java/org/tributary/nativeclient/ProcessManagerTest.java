package org.tributary.nativeclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A rank in C and a process manager that answers wrongly, late or not at all (PMI-1). */
final class ProcessManagerTest {
    private static final String END = "END";
    private final Map<String, String> answers = new HashMap<>(Map.of(
        "initack", "cmd=initack\ncmd=set size=2\ncmd=set rank=0\ncmd=set debug=0",
        "init", "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0",
        "get_maxes", "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024",
        "get_my_kvsname", "cmd=my_kvsname kvsname=space",
        "put", "cmd=put_result rc=0 msg=success",
        "get", "cmd=get_result rc=0 msg=success value=0:text",
        "barrier_in", "cmd=barrier_out",
        "finalize", "cmd=finalize_ack"));
    private Jobs jobs;
    private ServerSocket listener;

    @BeforeEach
    void open() throws Exception {
        NativeBuild.assumeBuilt();
        jobs = new Jobs();
        listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::serve);
    }

    @AfterEach
    void close() throws Exception {
        if (jobs != null) {
            listener.close();
            jobs.close();
        }
    }

    private void serve() {
        try (Socket rank = listener.accept();
             BufferedReader lines = new BufferedReader(new InputStreamReader(rank.getInputStream(),
                 StandardCharsets.US_ASCII))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String answer = answers.getOrDefault(line.split("[ =]")[1], "");
                if (answer.equals(END)) {
                    return;
                }
                rank.getOutputStream().write(answer.isEmpty() ? new byte[0]
                    : (answer + "\n").getBytes(StandardCharsets.US_ASCII));
            }
        } catch (IOException e) {
            answers.put("failed", e.toString()); // the rank has gone
        }
    }

    private String assertProblem(String problem) throws Exception {
        return assertProblem(problem, "300s");
    }

    private String assertProblem(String problem, String timeout) throws Exception {
        Jobs.Running rank = jobs.start(List.of(NativeBuild.sanitizedProgram("campaign").toString(), "1", "1"),
            Map.of("PMI_PORT", "127.0.0.1:" + listener.getLocalPort(), "PMI_ID", "0", "TRIBUTARY_ATTACH_TIMEOUT",
                timeout));
        assertEquals(1, rank.exitCode(), rank::output);
        assertTrue(rank.output().contains(problem), rank.output());
        jobs.assertNothingLeft();
        return rank.output();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "init           | END                              | has closed its connection (PMI-1) instead of answering",
        "init           | cmd=response_to_init rc=-1       | PMI-1 refuses 'cmd=init'",
        "get_maxes      | no sense at all                  | 'no sense at all', which is not PMI-1",
        "get_maxes      | cmd=maxes vallen_max=many        | vallen_max='many' is not a number",
        "get_maxes      | cmd=maxes vallen_max=17          | values of 16 characters, at least 64 are needed",
        "get_my_kvsname | cmd=my_kvsname                   | has no kvsname",
        "put            | cmd=put_result rc=-1             | PMI-1 refuses 'cmd=put'",
        "get            | cmd=get_result rc=0 value=x      | which rank 1 has not put",
        "get            | cmd=get_result rc=0 value=-1:x   | which rank 1 has not put",
        "get            | cmd=get_result rc=0 value=0:a;b  | has 2 fields, not 7",
        "get            | cmd=get_result rc=0 value=0:r;a;0;0;0;0;%4 | a % that no two digits follow",
        "barrier_in     | cmd=put_result rc=0              | do all 2 ranks attach?",
    })
    void shouldSayWhatIsWrongWhenAnswerIsMalformed(String to, String answer, String problem) throws Exception {
        answers.put(to, answer);
        assertProblem(problem);
    }

    /** What ranks put and get holds the secret of the job. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "put        | cmd=put_result rc=-1 value=0:hush          | PMI-1 refuses 'cmd=put'",
        "put        | value=0:hush                               | which is not PMI-1",
        "get        | 0:hush                                     | 6 characters, which is not PMI-1",
        "get        | cmd=get_result rc=-1 value=0:hush          | PMI-1 refuses 'cmd=get'",
        "get        | cmd=get_result rc=0 value=hush             | 4 characters for trib-1-1-0, which rank 1 has not",
        "get        | cmd=get_result rc=0 value=0:hush;%4;0;0;0;0;0 | a % that no two digits follow",
        "get        | cmd=get_result rc=0 value=0:hush%4;0;0;0;0;0;0 | a % that no two digits follow",
        "barrier_in | cmd=get_result rc=0 value=0:hush           | answers 'cmd=barrier_in' by 'cmd=get_result",
    })
    void shouldNotRepeatValuesWhenExchangeFails(String to, String answer, String problem) throws Exception {
        answers.put(to, answer);
        assertFalse(assertProblem(problem).contains("hush"));
    }

    @Test
    void shouldRefuseWhenRankIsBeyondTheLast() throws Exception {
        answers.put("initack", answers.get("initack").replace("rank=0", "rank=5"));
        assertProblem("PMI-1 says that this is rank 5 of 2");
    }

    @Test
    void shouldRefuseWhenAnswerHasNoEnd() throws Exception {
        answers.put("get_maxes", "x".repeat(20_000));
        assertProblem("a line of more than 8192 characters");
    }

    @Test
    void shouldGiveUpWhenProcessManagerIsSilent() throws Exception {
        answers.put("barrier_in", "");
        assertProblem("has not answered 'cmd=barrier_in' within 4.0 s (twice attach.timeout); do all 2 ranks attach?",
            "2s");
    }

    /** A process that a rank has started inherits the variable, and other files under the number. */
    @Test
    void shouldNotTouchDescriptorWhenItIsNoConnection() throws Exception {
        Jobs.Running rank = jobs.start(List.of(NativeBuild.sanitizedProgram("campaign").toString(), "1", "1"),
            Map.of("PMI_FD", "1", "PMI_RANK", "0", "PMI_SIZE", "2"));
        assertEquals(1, rank.exitCode(), rank::output);
        assertTrue(rank.output().contains("PMI_FD=1 is no connection of this process"), rank.output());
    }
}

package org.tributary.client.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.client.error.AttachException;
import org.tributary.wire.Deadline;

class PmiTest {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(200);
    private static final long SHORT_NS = TimeUnit.SECONDS.toNanos(2);

    private static UnaryOperator<String> answer(String to, String answer) {
        return line -> line.split("[ =]")[1].equals(to) ? answer : null;
    }

    @Test
    void shouldExchangeTextsWhenProcessManagerSpeaksPmi1() throws Exception {
        try (FakeProcessManager manager = new FakeProcessManager("2", line -> null)) {
            Pmi pmi = Pmi.open(manager.environment(), TIMEOUT_NS);
            assertEquals(2, pmi.size());
            assertEquals(0, pmi.rank());
            Exchange exchange = new Exchange(pmi);
            assertEquals(List.of("mine", "text"), exchange.gather("mine"));
            assertEquals("all", exchange.broadcast("all"));
            pmi.leave();
            assertEquals(List.of("cmd=initack pmiid=7", "cmd=init pmi_version=1 pmi_subversion=1", "cmd=get_maxes",
                "cmd=get_my_kvsname", "cmd=put kvsname=space key=trib-1-0-0 value=0:mine", "cmd=barrier_in",
                "cmd=get kvsname=space key=trib-1-1-0", "cmd=put kvsname=space key=trib-2-0-0 value=0:all",
                "cmd=barrier_in", "cmd=finalize"), manager.heard());
            pmi.abort(3, "why");
            Deadline deadline = Deadline.in(TIMEOUT_NS);
            while (!manager.heard().getLast().equals("cmd=abort exitcode=3")) {
                assertFalse(deadline.isOver(), manager.heard().toString());
                LockSupport.parkNanos(1_000_000);
            }
        }
    }

    /** As Slurm's answers differ from those of Hydra. */
    @Test
    void shouldLookAtValuesAloneWhenAnswersHaveOtherNames() throws Exception {
        try (FakeProcessManager manager = new FakeProcessManager("1",
            answer("get_my_kvsname", "cmd=GETMYKVSNAMERESP_CMD rc=0 kvsname=1.0\n"))) {
            assertEquals(1, Pmi.open(manager.environment(), TIMEOUT_NS).size());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "init      | END                       | has closed its connection (PMI-1) instead of answering 'cmd=init ",
        "init      | cmd=response_to_init rc=-1 | PMI-1 refuses 'cmd=init pmi_version=1 pmi_subversion=1'",
        "get_maxes | no sense at all           | 'no sense at all', which is not PMI-1",
        "get_maxes | cmd=maxes vallen_max=many | vallen_max='many' is not a number",
        "get_maxes | cmd=maxes vallen_max=17   | values of 16 characters, at least 64 are needed",
        "get_my_kvsname | cmd=my_kvsname       | 'get_my_kvsname' has no kvsname",
        "initack   | END                       | has closed its connection",
    })
    void shouldSayWhatIsWrongWhenAnswerIsMalformed(String to, String answer, String problem) throws Exception {
        String sent = answer.equals("END") ? FakeProcessManager.END : answer + "\n";
        try (FakeProcessManager manager = new FakeProcessManager("2", answer(to, sent))) {
            IOException e = assertThrows(IOException.class, () -> Pmi.open(manager.environment(), TIMEOUT_NS));
            assertTrue(e.getMessage().contains(problem), e.getMessage());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "put        | cmd=put_result rc=-1 msg=full       | refuses 'cmd=put",
        "get        | cmd=get_result rc=-1 value=unknown  | refuses 'cmd=get",
        "get        | cmd=get_result rc=0 value=x         | which rank 1 has not put",
        "get        | cmd=get_result rc=0 value=-1:x      | which rank 1 has not put",
        "barrier_in | cmd=put_result rc=0                 | do all 2 ranks attach?",
    })
    void shouldFailExchangeWhenAnswerIsMalformed(String to, String answer, String problem) throws Exception {
        try (FakeProcessManager manager = new FakeProcessManager("2", answer(to, answer + "\n"))) {
            Exchange exchange = new Exchange(Pmi.open(manager.environment(), TIMEOUT_NS));
            IOException e = assertThrows(IOException.class, () -> exchange.gather("mine"));
            assertTrue(e.getMessage().contains(problem), e.getMessage());
        }
    }

    /** What ranks put and get holds the secret of the job. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "put        | END                                | instead of answering 'cmd=put key=trib-1-0-0'",
        "put        | cmd=put_result rc=-1 value=0:hush  | refuses 'cmd=put key=trib-1-0-0': {",
        "put        | value=0:hush                       | which is not PMI-1",
        "get        | END                                | instead of answering 'cmd=get key=trib-1-1-0'",
        "get        | 0:hush                             | 6 characters, which is not PMI-1",
        "get        | cmd=get_result rc=-1 value=0:hush  | refuses 'cmd=get key=trib-1-1-0': {",
        "get        | cmd=get_result rc=0 value=hush     | 4 characters for trib-1-1-0, which rank 1 has not put",
        "barrier_in | cmd=get_result rc=0 value=0:hush   | answers 'cmd=barrier_in' by {",
    })
    void shouldNotRepeatValuesWhenExchangeFails(String to, String answer, String problem) throws Exception {
        String sent = answer.equals("END") ? FakeProcessManager.END : answer + "\n";
        try (FakeProcessManager manager = new FakeProcessManager("2", answer(to, sent))) {
            Exchange exchange = new Exchange(Pmi.open(manager.environment(), TIMEOUT_NS));
            IOException e = assertThrows(IOException.class, () -> exchange.gather("hush"));
            assertTrue(e.getMessage().contains(problem), e.getMessage());
            assertFalse(e.getMessage().contains("hush"), e.getMessage());
        }
    }

    @Test
    void shouldNotRepeatValueWhenPutIsNotAnswered() throws Exception {
        try (FakeProcessManager manager = new FakeProcessManager("2", answer("put", FakeProcessManager.SILENCE))) {
            Pmi pmi = Pmi.open(manager.environment(), SHORT_NS);
            IOException e = assertThrows(IOException.class, () -> pmi.put("name", "hush"));
            assertTrue(e.getMessage().contains("has not answered 'cmd=put key=name' within"), e.getMessage());
            assertFalse(e.getMessage().contains("hush"), e.getMessage());
        }
    }

    @ParameterizedTest
    @CsvSource({"hush;b,a text of 6 characters has 2 fields", "hush;%4,at character 5 of 7 a %"})
    void shouldNotRepeatTextWhenFieldsAreMalformed(String text, String problem) {
        IOException e = assertThrows(IOException.class, () -> Fields.split(text, 3));
        assertTrue(e.getMessage().contains(problem), e.getMessage());
        assertFalse(e.getMessage().contains("hush"), e.getMessage());
    }

    @Test
    void shouldRefuseWhenAnswerHasNoEnd() throws Exception {
        try (FakeProcessManager manager = new FakeProcessManager("2", answer("get_maxes", "x".repeat(20_000)))) {
            IOException e = assertThrows(IOException.class, () -> Pmi.open(manager.environment(), TIMEOUT_NS));
            assertTrue(e.getMessage().contains("a line of more than 8192 characters"), e.getMessage());
        }
    }

    @Test
    void shouldGiveUpWhenProcessManagerIsSilent() throws Exception {
        try (FakeProcessManager manager = new FakeProcessManager("2", answer("barrier_in",
            FakeProcessManager.SILENCE))) {
            Pmi pmi = Pmi.open(manager.environment(), SHORT_NS);
            IOException e = assertThrows(IOException.class, pmi::barrier);
            assertTrue(e.getMessage().contains("has not answered 'cmd=barrier_in' within 4.0 s (twice"
                + " attach.timeout); do all 2 ranks attach?"), e.getMessage());
        }
    }

    @Test
    void shouldPutTogetherWhenTextHasSeveralParts() throws Exception {
        try (FakeProcessManager manager = new FakeProcessManager("2", line -> line.contains("cmd=get ")
            ? "cmd=get_result rc=0 value=" + (line.endsWith("-0") ? "1:one" : "0:two") + "\n" : null)) {
            Exchange exchange = new Exchange(Pmi.open(manager.environment(), TIMEOUT_NS));
            String text = "abc".repeat(300);
            assertEquals(List.of(text, "onetwo"), exchange.gather(text));
            assertTrue(manager.heard().stream().filter(line -> line.startsWith("cmd=put")).count() == 2,
                manager.heard().toString());
        }
    }

    @Test
    void shouldRefuseWhenSizeMakesNoSense() throws Exception {
        try (FakeProcessManager manager = new FakeProcessManager("0", line -> null)) {
            IOException e = assertThrows(IOException.class, () -> Pmi.open(manager.environment(), TIMEOUT_NS));
            assertTrue(e.getMessage().contains("rank 0 of 0"), e.getMessage());
        }
    }

    /** A process that a rank has started inherits the variable, and other files under the number. */
    @Test
    void shouldNotTouchDescriptorWhenItIsNoConnection() {
        AttachException e = assertThrows(AttachException.class,
            () -> Launchers.find(Map.of("PMI_FD", "1000000", "PMI_RANK", "0", "PMI_SIZE", "2"), TIMEOUT_NS));
        assertTrue(e.getMessage().contains("PMI_FD=1000000 is no connection of this process"), e.getMessage());
    }

    @Test
    void shouldNameAddressWhenNobodyListens() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        AttachException e = assertThrows(AttachException.class,
            () -> Launchers.find(Map.of("PMI_PORT", "127.0.0.1:" + port), TIMEOUT_NS));
        assertTrue(e.getMessage().contains("PMI_PORT=127.0.0.1:" + port), e.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"SLURM_STEP_NUM_TASKS,--mpi=pmi2", "OMPI_COMM_WORLD_SIZE,--mpi=pmi2", "PMI_SIZE,tributary run"})
    void shouldRefuseToBeAloneWhenLauncherHasStartedSeveral(String variable, String advice) {
        AttachException e = assertThrows(AttachException.class, () -> Launchers.find(Map.of(variable, "3"),
            TIMEOUT_NS));
        assertTrue(e.getMessage().contains("one of 3 (" + variable + ")") && e.getMessage().contains(advice),
            e.getMessage());
    }

    @Test
    void shouldBeAloneWhenNobodyHasLaunchedTheProcess() {
        assertEquals(1, Launchers.find(Map.of("SLURM_STEP_NUM_TASKS", "1"), TIMEOUT_NS).size());
    }

    @Test
    void shouldBeDescribedWhenVariableOfAJobIsSet() {
        assertTrue(Launchers.isDescribed(Map.of("TRIBUTARY_LAYOUT", "2")));
        assertTrue(!Launchers.isDescribed(Map.of("TRIBUTARY_SHM_DIRECTORY", "/dev/shm", "TRIBUTARY_JOB_ID", " ",
            "TRIBUTARY_SECRET_FILE", "f", "TRIBUTARY_NODES", "2")));
    }
}

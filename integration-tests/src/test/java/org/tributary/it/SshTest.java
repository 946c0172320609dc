package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Jobs that the launcher starts on three hosts by ssh. */
class SshTest {
    private static final String ROOM = "256m";

    private final Place place = new Place();
    private SshHosts hosts;

    @AfterEach
    void close() {
        if (hosts != null) {
            hosts.close();
        }
        place.close();
    }

    @Test
    void shouldRunAJobOnThreeHostsWhenAllIsWell() throws Exception {
        hosts = new SshHosts(ROOM, ROOM, ROOM);
        Running job = tributary("--hosts", "n0:2,n1:1,n2:2", "matmul", "--size", "64", "--iterations", "1");
        assertEquals(0, job.exitCode(), job::said);
        assertTrue(job.out().stream().anyMatch(line -> line.startsWith("[0 n0] ") && line.contains("5 ranks on 3")),
            job::said);
        assertTrue(job.out().stream().anyMatch(line -> line.contains("passed")), job::said);
        assertNothingLeft();
    }

    @Test
    void shouldEndEverywhereWhenLauncherIsKilled() throws Exception {
        hosts = new SshHosts(ROOM, ROOM, ROOM);
        Running job = tributary("--hosts", "n0,n1,n2", "--", "sh", "-c", "echo running; exec sleep 1000");
        for (int rank = 0; rank < 3; rank++) {
            job.awaitLine("\\[" + rank + " n" + rank + "\\] running");
        }
        ProcessHandle.of(job.pid()).orElseThrow().destroyForcibly();
        assertNothingLeft();
    }

    @Test
    void shouldEndEverywhereWhenAnAgentIsKilled() throws Exception {
        hosts = new SshHosts(ROOM, ROOM, ROOM);
        Running job = tributary("--hosts", "n0,n1,n2", "--", "sh", "-c", "echo running; exec sleep 1000");
        for (int rank = 0; rank < 3; rank++) {
            job.awaitLine("\\[" + rank + " n" + rank + "\\] running");
        }
        hosts.killAgent(1);
        assertEquals(1, job.exitCode(), job::said);
        assertTrue(job.err().contains("the connection to host n1 (node 1) has ended"), job::said);
        assertNothingLeft();
    }

    @Test
    void shouldEndWithAMessageWhenAHostIsCutOff() throws Exception {
        hosts = new SshHosts(ROOM, ROOM, ROOM);
        List<String> arguments = new ArrayList<>(List.of("--set", "connection.silence-timeout=5s", "--hosts",
            "n0,n1,n2", "--"));
        arguments.addAll(Place.java("org.tributary.it.Program"));
        arguments.add("all-in-barrier");
        Running job = tributary(arguments.toArray(String[]::new));
        for (int rank = 0; rank < 3; rank++) {
            job.awaitLine("\\[" + rank + " n" + rank + "\\] ready rank.*");
        }
        hosts.cut(2);
        assertEquals(1, job.exitCode(), job::said);
        assertTrue(job.err().contains("has not answered for") && job.err().contains("no answer from host n2"),
            job::said);
        place.await("processes are left on n0 and n1", () -> processes(0).isEmpty() && processes(1).isEmpty());
    }

    @Test
    void shouldReportEveryProblemWhenHostsCannotTakePart() throws Exception {
        hosts = new SshHosts(ROOM, ROOM, "64k", ROOM);
        hosts.refuse(1);
        hosts.endSshd(3);
        Running job = tributary("--hosts", "n0,n1,n2,n3,nowhere", "--", "echo", "never");
        assertEquals(2, job.exitCode(), job::said);
        String said = job.err();
        assertTrue(said.contains("nothing was started: 4 of 5 hosts have problems"), said);
        assertTrue(said.matches("(?s).*\\n  n1: .*Permission denied.*"), said);
        assertTrue(said.matches("(?s).*\\n  n2: has [0-9]+ KiB free in /dev/shm.*"), said);
        assertTrue(said.matches("(?s).*\\n  n3: .*Connection refused.*"), said);
        assertTrue(said.matches("(?s).*\\n  nowhere: .*[Rr]esol.*"), said);
        assertTrue(job.out().isEmpty(), job::said);
        assertNothingLeft();
    }

    /** On host n0, from a directory that all hosts have. */
    private Running tributary(String... arguments) {
        List<String> command = new ArrayList<>(Place.launcher());
        command.addAll(List.of("run", "--launch-agent", hosts.ssh(), "--set", "shm.directory=/dev/shm"));
        command.addAll(List.of(arguments));
        return place.start(place.builder(hosts.on(0, command)).directory(new File("target").getAbsoluteFile()));
    }

    private List<String> processes(int host) {
        try {
            return hosts.processes(host);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void assertNothingLeft() throws Exception {
        for (int host = 0; host < 3; host++) {
            int number = host;
            place.await("processes are left on n" + host, () -> processes(number).isEmpty());
            assertEquals(List.of(), hosts.left(host));
        }
    }
}

package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.config.ProcessFiles;

/** How jobs end that the launcher has started on three hosts by ssh. */
class SshEndTest extends SshJob {
    @Test
    void shouldEndEverywhereWhenLauncherIsKilled() throws Exception {
        hosts = new SshHosts(ROOM, ROOM);
        Running job = tributary("--hosts", "n0,n1", "--", "sh", "-c", "echo running; exec sleep 1000");
        for (int rank = 0; rank < 2; rank++) {
            job.awaitLine("\\[" + rank + " n" + rank + "\\] running");
        }
        assertSecretIsInItsFilesAlone();
        ProcessHandle.of(job.pid()).orElseThrow().destroyForcibly();
        assertNothingLeft();
    }

    @ParameterizedTest
    @CsvSource({"INT, 130", "TERM, 143"})
    void shouldEndEverywhereWhenLauncherIsSignalled(String signal, int code) throws Exception {
        hosts = new SshHosts(ROOM, ROOM);
        Running job = tributary("--hosts", "n0,n1", "--", "sh", "-c", "echo running; exec sleep 1000");
        for (int rank = 0; rank < 2; rank++) {
            job.awaitLine("\\[" + rank + " n" + rank + "\\] running");
        }
        Place.signal(signal, job.pid());
        assertEquals(code, job.exitCode(), job::said);
        assertTrue(job.err().contains("ending the job: received SIG" + signal), job::said);
        assertNothingLeft();
    }

    /** Of the launcher, its connections, agents, servers and ranks. */
    private void assertSecretIsInItsFilesAlone() throws IOException {
        Set<String> secrets = new HashSet<>();
        List<String> seen = new ArrayList<>();
        for (int host = 0; host < hosts.count(); host++) {
            for (String process : processes(host)) {
                String pid = process.substring(0, process.indexOf(' '));
                ProcessFiles files = ProcessFiles.of(Long.parseLong(pid));
                seen.add("n" + host + ": " + files.text("cmdline") + files.text("environ"));
                Matcher file = Pattern.compile("(?:^|\0)TRIBUTARY_SECRET_FILE=([^\0]+)").matcher(files.text("environ"));
                if (file.find()) {
                    secrets.add(Files.readString(Path.of("/proc", pid, "root", file.group(1))).strip());
                }
            }
        }
        assertEquals(1, secrets.size(), "of the job, on all hosts");
        String secret = secrets.iterator().next();
        assertTrue(secret.matches("[0-9a-f]{64}"), "32 bytes");
        for (String word : List.of("n0: ssh\0", "agent\0", "--supervised\0", "sleep\0")) {
            assertTrue(seen.stream().anyMatch(process -> process.contains(word)), () -> "no " + word + " in " + seen);
        }
        for (String process : seen) {
            assertFalse(process.contains(secret), process);
        }
    }

    @Test
    void shouldEndEverywhereWhenAnAgentIsKilled() throws Exception {
        hosts = new SshHosts(ROOM, ROOM);
        Running job = tributary("--hosts", "n0,n1", "--", "sh", "-c", "echo running; exec sleep 1000");
        for (int rank = 0; rank < 2; rank++) {
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

    /** Nothing but ssh leads to the launcher's host: it has no node. */
    @Test
    void shouldEndEverywhereWhenTheLaunchersHostIsCutOff() throws Exception {
        hosts = new SshHosts(ROOM, ROOM, ROOM);
        Running job = tributary("--set", "connection.silence-timeout=5s", "--hosts", "n1,n2", "--", "sh", "-c",
            "echo running; exec sleep 1000");
        job.awaitLine("\\[0 n1\\] running");
        job.awaitLine("\\[1 n2\\] running");
        hosts.cut(0);
        for (int host = 1; host < 3; host++) {
            int number = host;
            place.await("processes are left on n" + host, () -> processes(number).isEmpty());
            assertEquals(List.of(), hosts.left(host));
        }
    }

    @Test
    void shouldGoOnWhenTheLauncherAndItsConnectionsAreStopped() throws Exception {
        hosts = new SshHosts(ROOM, ROOM, ROOM);
        Running job = tributary("--set", "connection.silence-timeout=5s", "--hosts", "n1,n2", "--", "sh", "-c",
            "echo running; sleep 15; echo done");
        job.awaitLine("\\[0 n1\\] running");
        job.awaitLine("\\[1 n2\\] running");
        String launcher = processes(0).stream().map(line -> line.substring(0, line.indexOf(' ')))
            .collect(Collectors.joining(" "));
        Place.signal("STOP", launcher);
        place.await("ranks have not slept for three times the time-out", () ->
            Stream.of(1, 2).flatMap(host -> processes(host).stream()).noneMatch(line -> line.endsWith(" sleep 15")));
        Place.signal("CONT", launcher);
        assertEquals(0, job.exitCode(), job::said);
        assertTrue(job.out().containsAll(List.of("[0 n1] done", "[1 n2] done")), job::said);
        assertNothingLeft();
    }
}

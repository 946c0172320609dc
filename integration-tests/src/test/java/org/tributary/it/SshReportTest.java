package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.tributary.testsupport.Stopping;
import org.tributary.wire.shm.NodeDirectory;

/** What is told of hosts that the launcher reaches by ssh, and of jobs on them. */
class SshReportTest extends SshJob {
    /** Of asking again where an answer is late. */
    private static final int MOST_ROUNDS = 5;
    /** Of a rank, in a report. */
    private static final String STACK = "at org.tributary.it.HangingProgram.main";
    /** In its place when the rank, or its host, is late. */
    private static final String NO_STACK = "no stack: ";

    @Test
    void shouldReportEveryProblemWhenHostsCannotTakePart() throws Exception {
        hosts = new SshHosts(ROOM, ROOM, "64k", ROOM);
        hosts.refuse(1);
        hosts.endSshd(3);
        Running job = tributary("--set", "server.port=22", "--hosts", "n0:1,n1,n2,n3,nowhere", "--layout", "2,4*1",
            "--", "echo", "never");
        assertEquals(2, job.exitCode(), job::said);
        String said = job.err();
        assertTrue(said.contains("nothing was started: 5 of 5 hosts have problems, and so has the layout\n"
            + "  the layout: host n0 may have 1 rank, and 2,4*1 wants 2; allow more with --hosts n0:2"), said);
        assertTrue(said.contains("\n  n0: cannot listen at " + hosts.address(0) + " (server.bind-address) port 22"
            + " (server.port): Address already in use"), said);
        assertTrue(said.matches("(?s).*\\n  n1: [^\\n]*Permission denied[^\\n]*; 'ssh n1 true' must work without a"
            + " question\\n.*"), said);
        assertTrue(said.matches("(?s).*\\n  n2: has [0-9]+ KiB free in /dev/shm.*"), said);
        assertTrue(said.matches("(?s).*\\n  n3: .*Connection refused.*"), said);
        assertTrue(said.matches("(?s).*\\n  nowhere: .*[Rr]esol.*"), said);
        assertTrue(job.out().isEmpty(), job::said);
        assertNothingLeft();
    }

    /** The agent there is that of this build, but for the release in its first line. */
    @Test
    void shouldSayWhichReleasesThereAreWhenAHostHasAnother() throws Exception {
        hosts = new SshHosts(ROOM, ROOM);
        Path way = Launchers.script(hosts.folder().resolve("ssh-n1"), "host=$1\nshift\n[ $host = n1 ] || exec "
            + hosts.ssh() + " $host \"$@\"\n" + hosts.ssh()
            + " $host \"$@\" | LC_ALL=C sed -u 's/^tributary agent .*/tributary agent 0.0.9/'");
        Running job = on0(List.of("--launch-agent", way.toString(), "--hosts", "n0:1,n1:1", "--", "echo", "never"),
            List.of());
        assertEquals(2, job.exitCode(), job::said);
        assertTrue(job.err().matches("tributary: nothing was started: 1 of 2 hosts has a problem\n  n1: has Tributary"
            + " 0\\.0\\.9, and the launcher is [0-9]\\S+.*; install one release"), job::said);
        assertEquals(List.of(), job.out());
        assertNothingLeft();
    }

    @Test
    void shouldTellOfAllHostsWhenRanksHang() throws Exception {
        hosts = new SshHosts(ROOM, ROOM, ROOM);
        Running job = tributary("--set", "job.hang-report=2s", "--set", "job.grace=20s", "--hosts", "n0:2,n1:1,n2:1",
            "--class-path", Path.of("target/test-classes").toAbsolutePath().toString(),
            "org.tributary.it.HangingProgram", "deadlock");
        for (int rank = 0; rank < 4; rank++) {
            job.awaitLine("\\[" + rank + " n.] ready rank.*");
        }
        place.await("no report of the launcher", () -> job.err().contains("deadlock: ranks 0, 3 wait for each other")
            && count(job.err(), STACK) == 2);
        String why = awaitStatus(text -> text.contains("nodes seen: 0-2 of 3") && count(text, STACK) == 2, 0, "--why",
            id(0));
        assertTrue(why.contains("deadlock: ranks 0, 3 wait for each other"), why);
        assertTrue(why.contains("rank 3 (node 2, pid "), why);
        String elsewhere = status(2, id(0));
        assertTrue(elsewhere.contains("nodes seen: 2 of 3"), elsewhere);
        assertTrue(elsewhere.contains("' on host n0 (pid ") && elsewhere.contains("shows the nodes of all hosts"),
            elsewhere);
        String named = awaitStatus(text -> text.contains("nodes seen: 0-2 of 3") && count(text, STACK) == 2, 2, "--why",
            "--launch-agent", hosts.ssh(), "--hosts", "n0,n1,n2", id(0));
        assertTrue(named.contains("deadlock: ranks 0, 3 wait for each other"), named);
        Stopping.stop(hosts.agent(1).pid());
        String silent = awaitStatus(text -> text.contains("\"rank\": 3"), 0, "--json", id(0));
        assertTrue(silent.contains("host n1 (node 1): no answer within 4.0 s"), silent);
        Stopping.goOn(hosts.agent(1).pid());
        assertHasStacksWhenAsked(job);
        assertEquals(1, count(job.err(), "no progress for "), job::said);
        Place.signal("TERM", job.pid());
        assertEquals(143, job.exitCode(), job::said);
        assertNothingLeft();
    }

    /** The agent of each host calls the debugger there. */
    @Test
    void shouldShowFramesOfAllHostsWhenRanksInCHang() throws Exception {
        Launchers.assumeCommand("gdb", "gdb");
        Path program = Path.of(CampaignJob.C_PROGRAM).resolveSibling("hanging").toAbsolutePath();
        assumeTrue(Files.isExecutable(program), "the C client has not been built: mvn -DskipTests package");
        hosts = new SshHosts(ROOM, ROOM);
        Running job = tributary("--set", "job.grace=20s", "--hosts", "n0:1,n1:1", "--", program.toString(), "deadlock");
        for (int rank = 0; rank < 2; rank++) {
            job.awaitLine("\\[" + rank + " n" + rank + "] ready rank " + rank);
        }
        String why = awaitStatus(text -> text.contains("deadlock: ranks 0, 1 wait for each other")
            && text.lines().filter(line -> line.matches(" +#[0-9]+ .*\\bmain \\(.*")).count() == 2, 0, "--why", id(0));
        assertTrue(why.contains("nodes seen: 0, 1 of 2") && why.contains(" trib_lock ("), why);
        Place.signal("TERM", job.pid());
        assertEquals(143, job.exitCode(), job::said);
        assertNothingLeft();
    }

    /** Both of them in one report; in a later one where one was late. */
    private void assertHasStacksWhenAsked(Running job) {
        long before;
        int rounds = 0;
        do {
            assertTrue(rounds++ < MOST_ROUNDS, () -> "stacks are late in each report: " + job);
            before = count(job.err(), STACK);
            long told = before + count(job.err(), NO_STACK);
            Place.signal("USR1", job.pid());
            place.await("no report after SIGUSR1", () ->
                count(job.err(), STACK) + count(job.err(), NO_STACK) == told + 2);
        } while (count(job.err(), STACK) != before + 2);
    }

    @Test
    void shouldShowAllNodesOnThePageWhenTheJobHasThreeHosts() throws Exception {
        hosts = new SshHosts(ROOM, ROOM, ROOM);
        Path end = hosts.files().resolve("end");
        Running job = tributary("--dashboard", "--hosts", "n0,n1,n2", "--class-path",
            Path.of("target/test-classes").toAbsolutePath().toString(), "org.tributary.it.Program", "until",
            end.toString());
        for (int rank = 0; rank < 3; rank++) {
            job.awaitLine("\\[" + rank + " n.] ready rank.*");
        }
        Matcher page = Pattern.compile("http://127\\.0\\.0\\.1:(\\d+)(/\\w+/)").matcher(job.err());
        assertTrue(page.find(), job::said);
        Running reader = place.start(place.builder(hosts.on(0, List.of("bash", "-c",
            "exec 3<>/dev/tcp/127.0.0.1/$0;"
                + " printf 'GET %sevents HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' $1 >&3; exec cat <&3",
            page.group(1), page.group(2)))));
        reader.awaitLine(".*\"nodes_seen\": 3[,}].*");
        reader.awaitLine(".*\"node\": 2,.*");
        reader.awaitLine(".*\"cells\": .*\\[0, 2, [1-9].*");
        Files.createFile(end);
        assertEquals(0, job.exitCode(), job::said);
        reader.awaitLine("event: end");
        assertNothingLeft();
    }

    @Test
    void shouldFindWhatIsWrongOnAndBetweenHostsWhenTheDoctorLooks() throws Exception {
        hosts = new SshHosts(ROOM, ROOM, ROOM, ROOM);
        hosts.endSshd(3);
        hosts.block(2, 1);
        Running doctor = place.start(place.builder(hosts.on(0, Stream.of(Place.launcher(), List.of("doctor", "--hosts",
            "n0,n1,n2,n3", "--launch-agent", hosts.ssh())).flatMap(List::stream).toList())));
        assertEquals(1, doctor.exitCode(), doctor::said);
        String found = String.join("\n", doctor.out());
        assertTrue(found.startsWith("4 hosts, "), found);
        assertTrue(found.matches("(?s).*\\nerror +host +n3: .*Connection refused.*"), found);
        assertTrue(found.matches("(?s).*\\nerror +way to n1 +n2: [0-9.]+:[0-9]+: .*-> open the firewall.*"), found);
        assertTrue(found.matches("(?s).*\\nerror +way to n2 +n1: [0-9.]+:[0-9]+: .*"), found);
        assertTrue(found.matches("(?s).*\\nok +way to other hosts +n0: 2 reached.*"), found);
        assertTrue(found.matches("(?s).*\\nok +clock of the host +n0, n1, n2: agrees.*"), found);
        assertNothingLeft();
    }

    private static long count(String text, String what) {
        return text.split(what, -1).length - 1L;
    }

    private String id(int host) throws IOException {
        return hosts.left(host).stream().map(entry -> entry.getFileName().toString())
            .filter(name -> NodeDirectory.NAME.matcher(name).matches()).findAny().orElseThrow()
            .replaceFirst("^tributary-", "").replaceFirst("-\\d+$", "");
    }

    private String status(int host, String... words) throws Exception {
        List<String> command = new ArrayList<>(Place.launcher());
        command.addAll(List.of("status", "--set", "shm.directory=/dev/shm"));
        command.addAll(List.of(words));
        Running status = place.start(place.builder(hosts.on(host, command)));
        assertEquals(0, status.exitCode(), status::said);
        return String.join("\n", status.out());
    }

    /** Asks again while a host or a stack is late. */
    private String awaitStatus(Predicate<String> awaited, int host, String... words) {
        String[] last = {""};
        place.await("that is not in the status", () -> {
            try {
                last[0] = status(host, words);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            return awaited.test(last[0]);
        });
        return last[0];
    }
}

package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.ProcessFiles;

/** Jobs that the launcher starts on three hosts by ssh. */
class SshTest extends SshJob {
    private static final int ROUNDS = 20;

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
    void shouldHaveTracesOfAllHostsOfAFileWhenFoldersAreTheirOwn() throws Exception {
        hosts = new SshHosts(ROOM, ROOM);
        Path file = Files.writeString(hosts.files().resolve("hostfile"), "n0 slots=2 # two ranks\nn1:2\n");
        Running job = tributary("--hostfile", file.toString(), "--trace", "/tmp/traces", "matmul", "--size", "64",
            "--iterations", "1");
        assertEquals(0, job.exitCode(), job::said);
        List<String> command = new ArrayList<>(Place.launcher());
        command.addAll(List.of("trace", "/tmp/traces"));
        Running trace = place.start(place.builder(hosts.on(0, command)));
        assertEquals(0, trace.exitCode(), trace::said);
        assertTrue(trace.out().getFirst().contains(": 4 of 4 ranks"), trace::said);
        assertEquals("", trace.err(), trace::said);
        assertNothingLeft();
    }

    @Test
    void shouldRunAJobWhenHostsHaveAddressesOfIpv6Only() throws Exception {
        hosts = SshHosts.ofIpv6(ROOM, ROOM);
        Running job = tributary("--verbose", "--hosts", "n0:1,n1:2", "matmul", "--size", "64", "--iterations", "1");
        assertEquals(0, job.exitCode(), job::said);
        assertTrue(job.out().stream().anyMatch(line -> line.contains("passed")), job::said);
        for (int host = 0; host < 2; host++) {
            assertTrue(job.err().contains("node " + host + " listens on [fd77:0:0:0:0:0:0:" + (host + 1) + "]:"),
                job::said);
            assertTrue(job.err().matches("(?s).*tributary: host n" + host + ": (ranks are not bound: |each rank is"
                + " bound to a NUMA node).*"), job::said);
        }
        assertNothingLeft();
    }

    /** Ranks 1 and 2, of different nodes, are in C where there is a C client. */
    @Test
    void shouldRunRanksInCWhenHostsHaveAddressesOfIpv6Only() throws Exception {
        hosts = SshHosts.ofIpv6(ROOM, ROOM);
        String ranks = Files.readString(Launchers.mixed(place.work().resolve("mixed"), "$TRIBUTARY_RANK", ROUNDS));
        Running job = tributary("--hosts", "n0:2,n1:2", "--", "sh", "-c", ranks); // each host has a /tmp of its own
        assertEquals(0, job.exitCode(), job::said);
        for (int rank = 0; rank < 4; rank++) {
            String place = "[" + rank + " n" + rank / 2 + "] rank " + rank + " runs on n" + rank / 2;
            assertTrue(job.out().contains(place), job::said);
        }
        assertNothingLeft();
    }

    /** By agents; hosts share the machine of this test, and so its cores. */
    @Test
    void shouldBindRanksOnAllHostsWhenTheyAreToHaveCores() throws Exception {
        BitSet allowed = RunTest.cpus(ProcessFiles.own().text("status"));
        BitSet core = RunTest.firstOfSeveralCores(allowed);
        hosts = new SshHosts(ROOM, ROOM);
        Running job = tributary("--bind", "core", "--verbose", "--hosts", "n0:1,n1:1", "--", "grep",
            "Cpus_allowed_list", "/proc/self/status");
        assertEquals(0, job.exitCode(), job::said);
        for (int host = 0; host < 2; host++) {
            String line = job.awaitLine("\\[" + host + " n" + host + "] Cpus_allowed_list.*").group();
            assertEquals(core, RunTest.cpus(line));
            assertTrue(job.err().contains("host n" + host + ": each rank is bound to a core, servers to processors "),
                job::said);
        }
        assertNothingLeft();
    }

    /** Only ssh knows the names of these hosts: what it tells of the way, and without that the interfaces, decide. */
    @ParameterizedTest
    @ValueSource(strings = {"", " {host} env -u SSH_CONNECTION"})
    void shouldListenWhereOthersReachItWhenABridgeOfContainersComesFirst(String behind) throws Exception {
        hosts = new SshHosts(ROOM, ROOM);
        Running job = on0(List.of("--launch-agent", hosts.ssh() + behind, "--verbose", "--hosts", "a0:1,a1:1", "matmul",
            "--size", "64", "--iterations", "1"), List.of());
        assertEquals(0, job.exitCode(), job::said);
        assertTrue(job.out().stream().anyMatch(line -> line.contains("passed")), job::said);
        for (int host = 0; host < 2; host++) {
            assertTrue(job.err().contains("node " + host + " listens on " + hosts.address(host) + ":"), job::said);
        }
        assertNothingLeft();
    }

    /** As it is where a name service gives a host all of its own addresses. */
    @Test
    void shouldListenWhereOthersReachItWhenItsNameStandsForABridgeOfContainersFirst() throws Exception {
        hosts = new SshHosts(ROOM, ROOM);
        hosts.nameFirst("172.17.0.1", "n0");
        Running job = tributary("--verbose", "--hosts", "n0:1,n1:1", "matmul", "--size", "64", "--iterations", "1");
        assertEquals(0, job.exitCode(), job::said);
        assertTrue(job.out().stream().anyMatch(line -> line.contains("passed")), job::said);
        for (int host = 0; host < 2; host++) {
            assertTrue(job.err().contains("node " + host + " listens on " + hosts.address(host) + ":"), job::said);
        }
        assertNothingLeft();
    }

    @Test
    void shouldTakeHostsAndRanksFromTheFileWhenPbsNamesOne() throws Exception {
        hosts = new SshHosts(ROOM, ROOM);
        Path file = Files.writeString(hosts.folder().resolve("nodes"), "n0\nn0\nn1\n");
        Running job = on0(List.of("--launch-agent", hosts.ssh(), "--", "hostname"),
            List.of("env", "PBS_NODEFILE=" + file));
        assertEquals(0, job.exitCode(), job::said);
        assertEquals(List.of("[0 n0] n0", "[1 n0] n0", "[2 n1] n1"), job.out().stream().sorted().toList(), job::said);
        Running part = on0(List.of("--launch-agent", hosts.ssh(), "--ranks-per-node", "1", "--", "hostname"),
            List.of("env", "PBS_NODEFILE=" + file));
        assertEquals(0, part.exitCode(), part::said);
        assertEquals(List.of("[0 n0] n0", "[1 n1] n1"), part.out().stream().sorted().toList(), part::said);
        assertNothingLeft();
    }
}

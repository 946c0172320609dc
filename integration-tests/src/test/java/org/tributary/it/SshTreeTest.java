package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tributary.launcher.link.Fan;
import org.tributary.testsupport.Thorough;

/** A job on so many hosts that agents reach other agents by ssh. 66 JVMs: only in the thorough build. */
class SshTreeTest {
    private static final int HOSTS = 33;
    private static final long DEADLINE_S = 1_500;
    /** Says from where ssh has reached this rank's agent. */
    private static final String RANK = """
        from=
        pid=$PPID
        while [ -z "$from" ] && [ "$pid" -gt 1 ]; do
            from=$(tr '\\0' '\\n' < "/proc/$pid/environ" | sed -n 's/^SSH_CONNECTION=\\([^ ]*\\) .*/\\1/p')
            pid=$(sed 's/.*) . \\([0-9]*\\) .*/\\1/' "/proc/$pid/stat")
        done
        echo "$(hostname) from $from."
        """;

    @BeforeEach
    void assumeThorough() {
        assumeTrue(Thorough.isOn(), "33 hosts: only with -Pthorough");
    }

    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void shouldReachHostsFromOtherHostsWhenThereAreMany() throws Exception {
        List<String> names = IntStream.range(0, HOSTS).mapToObj(host -> "n" + host).toList();
        try (Place place = new Place();
             SshHosts hosts = new SshHosts(names.stream().map(name -> "64m").toArray(String[]::new))) {
            List<String> command = new ArrayList<>(Place.launcher());
            command.addAll(List.of("run", "--set", "shm.directory=/dev/shm", "--set", "attach.timeout=20min",
                "--launch-agent", hosts.ssh(), "--hosts", String.join(",", names), "--", "sh", "-c",
                RANK));
            Running job = place.start(place.builder(hosts.on(0, command)));
            assertEquals(0, job.exitCode(DEADLINE_S), job::said);
            Map<String, String> from = job.out().stream().map(line -> line.split(" "))
                .collect(Collectors.toMap(words -> words[2], words -> words[4]));
            assertEquals(HOSTS, from.size(), job::said);
            Map<Integer, List<Integer>> behind = Fan.behind(HOSTS);
            assertTrue(behind.size() > 1, behind::toString);
            behind.forEach((first, others) -> others.forEach(
                other -> assertEquals(hosts.address(first) + ".", from.get("n" + other), job::said)));
            for (int host = 0; host < HOSTS; host++) {
                int number = host;
                place.await("processes are left on n" + host, () -> processes(hosts, number).isEmpty());
                assertEquals(List.of(), hosts.left(host));
            }
        }
    }

    private static List<String> processes(SshHosts hosts, int host) {
        try {
            return hosts.processes(host);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

package org.tributary.launcher.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.tributary.launcher.host.JobOnHosts.NAMED;
import static org.tributary.launcher.host.JobOnHosts.RELEASE;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.launcher.job.ExitCodes;
import org.tributary.launcher.link.Fan;

/** Jobs of so many hosts that agents start agents. */
@Timeout(value = 600, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AgentTreeTest {
    private static final int HOSTS = 33;
    private static final List<Fan.Range> LINKS = Fan.of(0, HOSTS);
    /** An agent that could start those behind it, but does not answer. */
    private static final String MUTE = "echo 'tributary agent " + RELEASE + "'; echo 'out of memory' >&2; exit 3";

    @TempDir
    private Path directory;
    private JobOnHosts job;

    @BeforeEach
    void makeJob() {
        job = new JobOnHosts(directory).set("attach.timeout=500s").set("job.grace=60s");
    }

    private static String names() {
        return IntStream.range(0, HOSTS).mapToObj(host -> "h" + host + ":1").collect(Collectors.joining(","));
    }

    /** The agent that has started each, by node; the launcher's host has another name. */
    private String started(int node) throws Exception {
        return Files.readString(directory.resolve("h" + node)).strip();
    }

    @Test
    void shouldStartAgentsFromAgentsWhenThereAreManyHosts() throws Exception {
        JobOnHosts.assumeNamesCanBeGiven();
        assertEquals(0, job.run("echo \"I am on $(hostname)\"; exec cat", names(),
            "hostname > '" + directory + "'/$host\n" + NAMED), job::errors);
        assertEquals(IntStream.range(0, HOSTS).mapToObj(node -> "[" + node + " h" + node + "] I am on h" + node)
            .sorted().toList(), job.output().lines().sorted().toList());
        for (Fan.Range link : LINKS) {
            assertFalse(started(link.first()).matches("h[0-9]+"), started(link.first()));
            for (int node = link.first() + 1; node < link.end(); node++) {
                assertEquals("h" + link.first(), started(node));
            }
        }
    }

    @Test
    void shouldEndEverywhereWhenARankBehindAnAgentFails() throws Exception {
        JobOnHosts.assumeNamesCanBeGiven();
        int last = HOSTS - 1;
        assertEquals(7, job.run("[ $TRIBUTARY_RANK = " + last + " ] && exit 7; exec sleep 1000", names(), NAMED));
        assertTrue(job.errors().contains("rank " + last + " (node " + last + ", host h" + last), job::errors);
    }

    /** The launcher reaches all hosts, and these do not reach each other. */
    @Test
    void shouldNameTheHostFromWhichAnotherCannotBeReached() throws Exception {
        JobOnHosts.assumeNamesCanBeGiven();
        String parents = LINKS.stream().map(link -> "h" + link.first()).collect(Collectors.joining("|"));
        assertEquals(ExitCodes.USAGE, job.run("echo never", names(), "case $host in\n" + parents + ") " + NAMED
            + ";;\n*) echo \"no way to $host\" >&2; exit 9 ;;\nesac\n"), job::errors);
        String said = job.errors();
        for (Fan.Range link : LINKS) {
            for (int node = link.first() + 1; node < link.end(); node++) {
                assertTrue(said.contains("  h" + node + ": from host h" + link.first() + ": no way to h" + node + " ("),
                    said);
            }
        }
    }

    /** Also those of hosts that a lost one was to start. */
    @ParameterizedTest
    @ValueSource(strings = {"exit 255", "echo 'tributary agent 0.0.1'; exec sleep 1000", "mute"})
    void shouldReportTheProblemOfEachHostWhenAgentsCannotStartOthers(String parent) throws Exception {
        String parents = LINKS.stream().map(link -> "h" + link.first()).collect(Collectors.joining("|"));
        assertEquals(ExitCodes.USAGE, job.run("echo never", names(), "case $host in\n" + parents + ") "
            + parent.replace("mute", MUTE) + " ;;\n*) echo \"no way to $host\" >&2; exit 9 ;;\nesac\n"));
        String said = job.errors();
        assertTrue(said.contains("nothing was started: " + HOSTS + " of " + HOSTS + " hosts have problems"), said);
        BitSet firsts = new BitSet();
        LINKS.forEach(link -> firsts.set(link.first()));
        assertEquals(HOSTS - firsts.cardinality(), IntStream.range(0, HOSTS).filter(node -> !firsts.get(node))
            .filter(node -> said.contains("  h" + node + ": no way to h" + node + " (")).count(), said);
        assertFalse(said.contains("was to be started"), said);
    }
}

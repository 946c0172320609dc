package org.tributary.launcher.inquiry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.client.Gas;
import org.tributary.config.Settings;
import org.tributary.launcher.cli.Version;
import org.tributary.launcher.host.JobOnHosts;
import org.tributary.launcher.link.StubAgents;
import org.tributary.launcher.job.LineSink;
import org.tributary.launcher.link.LaunchCommand;
import org.tributary.launcher.status.JobReading;
import org.tributary.launcher.status.JobStep;
import org.tributary.launcher.status.JobView;
import org.tributary.launcher.status.WhyReport;
import org.tributary.launcher.step.Asked;
import org.tributary.testing.Ranks;
import org.tributary.testsupport.Stopping;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.status.NodeStatus;

/**
 * Jobs without a launcher, whose hosts are this machine under other names. Host {@code a} sees node 0 in its shared
 * memory and {@code b} node 1; {@code same} sees both, as this machine does.
 */
@Timeout(value = 400, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class JobsOnHostsTest {
    private static final long DEADLINE_S = 150;
    /** What a host that is only busy does not say any more when it is asked again. */
    private static final Pattern LATE = Pattern.compile(".*: (no answer within [14]\\.0 s"
        + "|has not answered earlier questions yet|still answers an earlier question)");
    private static final String OTHERS = """
        case $host in
            a) node=0 ;;
            b) node=1 ;;
            *) exec "$@" ;;
        esac
        exec unshare -m -u sh -c '
            hostname "$1"; node=$2; shift 2
            for directory in SHM/tributary-*-$node; do
                mkdir -p OWN/$node/${directory##*/}
                mount --bind $directory OWN/$node/${directory##*/}
            done
            mount --rbind OWN/$node SHM
            exec "$@"' sh $host $node "$@"
        """;

    @TempDir
    private Path directory;
    private Path shm;
    private LaunchCommand launch;

    @BeforeEach
    void makeDirectories() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setsid")), "no setsid (util-linux) here");
        JobOnHosts.assumeNamesCanBeGiven();
        shm = Files.createDirectory(directory.resolve("shm"));
        for (int node = 0; node < 2; node++) {
            Files.createDirectories(directory.resolve("own").resolve(Integer.toString(node)));
        }
        launch = StubAgents.in(directory, OTHERS.replace("SHM", shm.toString())
            .replace("OWN", directory.resolve("own").toString()));
    }

    @AfterEach
    void assertNothingLeft() {
        await("agents are left", () -> StubAgents.running().isEmpty());
    }

    private JobsOnHosts open(String timeout, String... hosts) throws InterruptedException {
        return JobsOnHosts.open(List.of(hosts), launch,
            settings(timeout), Version.release(), new LineSink(OutputStream.nullOutputStream()));
    }

    private Settings settings(String timeout) {
        return Settings.builder().set("attach.timeout=" + timeout).set("shm.directory=" + shm).build();
    }

    private static void await(String problem, BooleanSupplier condition) {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadlineNs, problem);
            LockSupport.parkNanos(5_000_000);
        }
    }

    /** What a rank does, which may fail. */
    private interface Look {
        void look(String job) throws Exception;
    }

    /** Runs a job of two nodes with a rank each, in which rank 0 looks at it while rank 1 waits for it in a barrier. */
    private void run(Look look) throws Exception {
        Ranks.of("2*1").with("shm.directory=" + shm).run((Gas gas) -> {
            if (gas.rank() == 0) {
                try {
                    look.look(Files.list(shm).map(path -> path.getFileName().toString())
                        .filter(name -> NodeDirectory.NAME.matcher(name).matches()).findAny().orElseThrow()
                        .replaceFirst("^tributary-", "").replaceFirst("-\\d+$", ""));
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
            gas.barrier();
        });
    }

    /** What is to be asked. */
    private interface Question<T> {
        T ask() throws IOException, InterruptedException;
    }

    /** Asks again while a host is late, as it is on a busy machine. */
    private static <T> T answer(Question<T> question, Function<T, List<String>> problems) {
        long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        try {
            T answer = question.ask();
            while (problems.apply(answer).stream().anyMatch(problem -> LATE.matcher(problem).matches())) {
                assertTrue(System.nanoTime() - untilNs < 0, "a host is late in each answer: " + problems.apply(answer));
                answer = question.ask();
            }
            return answer;
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Map<String, JobView> find(JobsOnHosts hosts) {
        return answer(hosts::find, found -> hosts.problems());
    }

    private static JobReading read(JobView job) {
        return answer(job::read, JobReading::problems);
    }

    private static JobStep step(JobView job) {
        return answer(() -> job.step(Asked.first("page")), JobStep::problems);
    }

    @Test
    void shouldSayWhoWaitsForWhomWhenTheyAreOnTwoHosts() throws Exception {
        run(id -> {
            try (JobsOnHosts hosts = open("60s", "a", "b")) {
                Map<String, JobView> jobs = find(hosts);
                assertEquals(Set.of(id), jobs.keySet());
                assertEquals(List.of(), hosts.problems());
                JobView job = jobs.get(id);
                await("rank 1 does not wait", () -> new WhyReport(read(job), job).reasons().getFirst()
                    .matches("rank 1 waits for rank 0 in barrier, call \\d+ .*"));
                JobReading reading = read(job);
                assertEquals(List.of(0, 1), nodes(reading.status().nodes()));
                assertEquals(List.of(), reading.problems());
                JobStep step = step(job);
                assertEquals(List.of(0, 1), nodes(step.nodes().stream().map(node -> node.status()).toList()));
                assertTrue(new WhyReport(reading, job).stacks(TimeUnit.SECONDS.toNanos(10)).getFirst()
                    .startsWith("rank 0 (node 0, pid "));
            }
        });
    }

    private static List<Integer> nodes(Collection<NodeStatus> of) {
        return of.stream().map(NodeStatus::node).toList();
    }

    @Test
    void shouldShowTheOthersWhenSomeHostsDoNotAnswer() throws Exception {
        run(id -> {
            try (JobsOnHosts hosts = open("60s", "lost", "b", "old")) {
                JobView job = find(hosts).get(id);
                assertEquals(2, hosts.problems().size(), hosts.problems().toString());
                assertTrue(hosts.problems().getFirst().startsWith("host lost: Could not resolve hostname lost ("),
                    hosts.problems().toString());
                assertTrue(hosts.problems().getLast().startsWith("host old: has Tributary 0.0.1, and the launcher is "),
                    hosts.problems().toString());
                assertEquals(List.of(1), nodes(read(job).status().nodes()));
                assertEquals(hosts.problems(), step(job).problems());
            }
        });
    }

    @Test
    void shouldWaitNoLongerThanAllowedWhenAHostIsSilent() throws Exception {
        try (JobsOnHosts hosts = open("1s", "silent")) {
            assertEquals(Map.of(), hosts.find());
            assertEquals(List.of("host silent: no answer within 1.0 s"), hosts.problems());
            assertFalse(hosts.isAnyThere());
        }
    }

    /** By a clock that is faster than the machine's. */
    @Test
    void shouldSayHowFarItIsWhenAHostIsSlow() throws Exception {
        AtomicLong seconds = new AtomicLong();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        try (JobsOnHosts hosts = JobsOnHosts.open(List.of("lost", "silent"), launch, settings("3s"), Version.release(),
            new LineSink(err), () -> TimeUnit.SECONDS.toNanos(seconds.incrementAndGet()))) {
            assertFalse(hosts.isAnyThere());
        }
        assertTrue(err.toString(StandardCharsets.UTF_8).matches("(?s).*tributary: starting agents: 1 of 2 hosts after"
            + " [1-9]\\d* s, about [1-9]\\d* s left\n.*"), err::toString);
    }

    @Test
    void shouldCountEachNodeOnceWhenTwoHostsAreOneMachine() throws Exception {
        run(id -> {
            try (JobsOnHosts hosts = open("60s", "same", "twin")) {
                assertEquals(List.of(0, 1), nodes(read(find(hosts).get(id)).status().nodes()));
            }
        });
    }

    @Test
    void shouldNoticeWhenAJobEndsAndWhenAnotherBegins() throws Exception {
        try (JobsOnHosts hosts = open("60s", "same")) {
            assertEquals(Map.of(), find(hosts));
            String[] first = {""};
            run(id -> {
                first[0] = id;
                assertEquals(Set.of(id), find(hosts).keySet());
            });
            JobView ended = find(hosts).get(first[0]);
            assertEquals(null, ended);
            run(id -> assertEquals(Set.of(id), find(hosts).keySet()));
        }
    }

    @Test
    void shouldKeepWhatWasKnownWhenAHostStandsStill() throws Exception {
        run(id -> {
            try (JobsOnHosts hosts = open("60s", "same")) {
                JobView job = find(hosts).get(id);
                Stopping.stop(agents());
                assertEquals(Set.of(id), hosts.find().keySet());
                assertEquals(List.of("host same: no answer within 4.0 s"), hosts.problems());
                JobStep step = job.step(Asked.first("page"));
                assertEquals(List.of("host same (node 0): no answer within 1.0 s",
                    "host same (node 1): no answer within 1.0 s"), step.problems());
                Stopping.goOn(agents());
                await("it does not answer again", () -> read(job).problems().isEmpty());
                assertEquals(Set.of(id), find(hosts).keySet());
                assertEquals(List.of(), hosts.problems());
            }
        });
    }

    private static long[] agents() {
        return StubAgents.running().stream().mapToLong(ProcessHandle::pid).toArray();
    }

    @Test
    void shouldSayWhyWhenAnAgentDies() throws Exception {
        run(id -> {
            try (JobsOnHosts hosts = open("60s", "same")) {
                JobView job = find(hosts).get(id);
                StubAgents.running().forEach(ProcessHandle::destroyForcibly);
                await("the end of the agent is not noticed", () -> !hosts.isAnyThere());
                JobReading reading = job.read();
                assertEquals(List.of(), reading.status().nodes().stream().toList());
                assertEquals(2, reading.problems().size(), reading.problems().toString());
                assertTrue(reading.problems().getLast().matches("host same \\(node 1\\): .*code 137.*"),
                    reading.problems().toString());
                assertEquals(Map.of(), hosts.find());
            }
        });
    }
}

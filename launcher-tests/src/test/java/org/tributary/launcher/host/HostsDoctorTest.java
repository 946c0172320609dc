package org.tributary.launcher.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.config.Settings;
import org.tributary.launcher.cli.Version;
import org.tributary.launcher.doctor.Finding;
import org.tributary.launcher.doctor.HostsDiagnosis;
import org.tributary.launcher.job.LineSink;
import org.tributary.launcher.link.StubAgents;

/** Hosts that are this machine under other names, or that do not answer as they should. */
class HostsDoctorTest {
    private static final String OTHERS = """
        case $host in
            deaf) exec unshare -m sh -c 'echo "nameserver 127.0.0.77" > "$0"; mount --bind "$0" /etc/resolv.conf
                exec "$@"' "$(dirname "$0")/resolv.conf" "$@" ;;
            slow) until [ -e "$(dirname "$0")/go" ]; do sleep 0.05; done ;;
            way*) export WAY=1 ;;
            far) WAY=1 "$@"; exit ;;
            hung) [ -z "$WAY" ] || { echo $$ > "$0.new"; mv "$0.new" "$(dirname "$0")/hung"; exec sleep 1000; } ;;
            c) [ -z "$WAY" ] || { echo "Permission denied (publickey)" >&2; exit 255; } ;;
            srun) trap 'echo asked > "$(dirname "$0")/ended"; exit' TERM; while :; do sleep 0.05; done ;;
        esac
        """;

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    private Path directory;

    @Test
    void shouldTellOfEachHostWhenSomeDoNotAnswerAsTheyShould() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setsid")), "no setsid (util-linux) here");
        HostsDiagnosis diagnosis = look("60s", "a", "lost", "old");
        assertTrue(diagnosis.hasErrors());
        assertTrue(problem(diagnosis, "lost").startsWith("Could not resolve hostname lost ("), diagnosis::text);
        assertTrue(problem(diagnosis, "old").startsWith("has Tributary 0.0.1, and the launcher is "), diagnosis::text);
        assertTrue(diagnosis.text().contains(" a: 25"), diagnosis::text);
        assertTrue(diagnosis.json().contains("\"subject\": \"JDK\"") && diagnosis.json().contains("\"hosts\": [\"a\"]"),
            diagnosis::json);
        awaitUntil(() -> StubAgents.running().isEmpty(), () -> StubAgents.running() + " are left");
    }

    @Test
    void shouldWaitNoLongerThanAllowedWhenAHostIsSilent() throws Exception {
        assertEquals("no answer within 1.0 s", problem(look("1s", "silent"), "silent"));
    }

    /** As {@code srun} does, which then ends its step. */
    @Test
    void shouldAskCommandsToEndBeforeTheyAreKilledWhenTheyDoNotEndByThemselves() throws Exception {
        assertEquals("no answer within 1.0 s", problem(look("1s", "srun"), "srun"));
        assertEquals("asked\n", Files.readString(directory.resolve("ended")));
    }

    @Test
    void shouldNameBothWhenTwoHostsAreOneMachine() throws Exception {
        HostsDiagnosis diagnosis = look("60s", "a", "b");
        Finding twin = finding(diagnosis, "b", "host name");
        assertEquals(Finding.Level.ERROR, twin.level());
        assertTrue(twin.measured().endsWith(", as that of a"), twin.measured());
    }

    @ParameterizedTest
    @CsvSource({"0, 0, OK, agrees", "1000, 0, OK, agrees", "-1000, 0, OK, agrees", "1001, 0, WARNING, 1.001 s ahead",
        "-90500, 0, WARNING, 90.5 s behind", "3000, 2000, OK, agrees", "-3001, 2000, WARNING, 3.001 s behind"})
    void shouldSayHowFarAClockIsOffWhenItIsMoreThanTheAnswerTook(long aheadMs, long uncertainMs, Finding.Level level,
        String measured) {
        Finding finding = Patient.clock(aheadMs, uncertainMs);
        assertEquals(level, finding.level());
        assertEquals(measured, finding.measured());
    }

    /** All can be reached from here. */
    @Test
    void shouldSayFromWhichHostAgentsOnOthersCannotBeStartedWhereJobsNeedThat() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setsid")), "no setsid (util-linux) here");
        HostsDiagnosis diagnosis = look("120s", System::nanoTime, Map.of(0, List.of(1, 2, 4), 3, List.of(1)), "way1",
            "b", "c", "way2", "lost");
        Finding refused = finding(diagnosis, "way1", "agent on c");
        assertEquals(Finding.Level.ERROR, refused.level());
        assertTrue(refused.measured().startsWith("Permission denied (publickey) ("), refused.measured());
        assertTrue(refused.remedy().startsWith("'ssh c' on this host, or the command of --launch-agent, must run"),
            refused.remedy());
        assertEquals("1 started", finding(diagnosis, "way2", "agents on other hosts").measured());
        assertEquals(List.of("agent on c"), diagnosis.hosts().get("way1").stream().map(Finding::subject)
            .filter(subject -> subject.startsWith("agent")).toList());
        assertEquals(List.of(), diagnosis.hosts().get("b").stream().map(Finding::subject)
            .filter(subject -> subject.startsWith("agent")).toList());
    }

    /** The command for {@code far} does not end what it has started, as ssh does not. */
    @Test
    void shouldEndAttemptsFromOtherHostsAtOnceWhenItIsInterrupted() throws Exception {
        Path started = directory.resolve("hung");
        FutureTask<HostsDiagnosis> look = new FutureTask<>(() ->
            look("1000s", System::nanoTime, Map.of(0, List.of(1)), "far", "hung"));
        Thread looking = Thread.ofVirtual().start(look);
        awaitUntil(() -> Files.exists(started), () -> "no agent was started from the other host");
        ProcessHandle attempt = ProcessHandle.of(Long.parseLong(Files.readString(started).strip())).orElseThrow();
        try {
            looking.interrupt();
            awaitUntil(() -> !attempt.isAlive(), () -> "the attempt goes on");
        } finally {
            attempt.destroyForcibly();
        }
        assertInstanceOf(InterruptedException.class, assertThrows(ExecutionException.class, look::get).getCause());
    }

    private static void awaitUntil(BooleanSupplier condition, Supplier<String> otherwise) {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadlineNs, otherwise);
            LockSupport.parkNanos(5_000_000);
        }
    }

    /** Nobody is asked for such names, which no host can have; the command that starts agents does not look them up. */
    @Test
    void shouldSayWhichNamesAHostDoesNotKnow() throws Exception {
        HostsDiagnosis diagnosis = look("60s", "a..a", "b..b");
        Finding name = finding(diagnosis, "a..a", "name of b..b");
        assertEquals(Finding.Level.WARNING, name.level());
        assertTrue(name.remedy().contains("/etc/hosts"), name.remedy());
        assertEquals(Finding.Level.WARNING, finding(diagnosis, "b..b", "name of a..a").level());
    }

    /** Where none listens, which the C library knows sooner than that one is silent. */
    @Test
    void shouldSayThatNoNameServerAnswersRatherThanThatTheHostDoesNot() throws Exception {
        JobOnHosts.assumeNamesCanBeGiven(); // as root
        HostsDiagnosis diagnosis = look("60s", "deaf", "b.example");
        Finding names = finding(diagnosis, "deaf", "name service");
        assertEquals("no name server answers, for b.example", names.measured());
        assertEquals(List.of(), diagnosis.hosts().get("deaf").stream().filter(finding ->
            finding.subject().startsWith("name of b") || finding.subject().equals("host")).toList());
        assertEquals("1 reached", finding(diagnosis, "deaf", "way to other hosts").measured());
    }

    /** By a clock that is faster than the machine's. */
    @Test
    void shouldSayHowFarItIsAndHowMuchLongerWhenAHostIsSlow() throws Exception {
        Path go = directory.resolve("go");
        AtomicLong seconds = new AtomicLong();
        Pattern line = Pattern.compile("tributary: looking at hosts: 1 of 2 after [1-9]\\d* s,"
            + " about [1-9]\\d* s left\n");
        HostsDiagnosis diagnosis = look("60s", () -> {
            if (line.matcher(err.toString(StandardCharsets.UTF_8)).find() && !Files.exists(go)) {
                create(go);
            }
            return TimeUnit.SECONDS.toNanos(seconds.incrementAndGet());
        }, "lost", "slow");
        assertTrue(line.matcher(err.toString(StandardCharsets.UTF_8)).find(), err::toString);
        assertTrue(diagnosis.text().contains(" slow: 25"), diagnosis::text);
    }

    private static void create(Path file) {
        try {
            Files.createFile(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private HostsDiagnosis look(String timeout, String... hosts) throws Exception {
        return look(timeout, System::nanoTime, hosts);
    }

    private HostsDiagnosis look(String timeout, LongSupplier nanoTime, String... hosts) throws Exception {
        return look(timeout, nanoTime, Map.of(), hosts);
    }

    private HostsDiagnosis look(String timeout, LongSupplier nanoTime, Map<Integer, List<Integer>> behind,
        String... hosts) throws Exception {
        return HostsDoctor.look(List.of(hosts), StubAgents.in(directory, OTHERS),
            Settings.builder().set("attach.timeout=" + timeout).build(), Version.release(),
            new LineSink(err), nanoTime, behind);
    }

    private static String problem(HostsDiagnosis diagnosis, String host) {
        return finding(diagnosis, host, "host").measured();
    }

    private static Finding finding(HostsDiagnosis diagnosis, String host, String subject) {
        return diagnosis.hosts().get(host).stream().filter(finding -> finding.subject().equals(subject)).findAny()
            .orElseThrow(() -> new AssertionError(diagnosis.text()));
    }
}

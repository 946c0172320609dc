package org.tributary.launcher.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.config.Settings;
import org.tributary.launcher.doctor.Finding.Level;

/** A machine of files in a folder, on which everything is well but what a test spoils. */
class DiagnosisTest {
    private static final String LIMITS = """
        Limit                     Soft Limit           Hard Limit           Units
        Max processes             50000                50000                processes
        Max open files            1024                 524288               files
        Max locked memory         8388608              8388608              bytes
        Max address space         unlimited            unlimited            bytes
        Max file size             unlimited            unlimited            bytes
        """;

    private static final String ELF_64 = "\u007fELF\u0002";

    @TempDir
    private Path root;

    private final FakeAnswers answers = new FakeAnswers();

    @BeforeEach
    void makeAWellMachine() throws IOException {
        write("/proc/sys/kernel/hostname", "node7\n");
        write("/proc/mounts", "overlay / overlay rw 0 0\ntmpfs /dev/shm tmpfs rw,size=8g 0 0\n");
        write("/proc/self/limits", LIMITS);
        write("/proc/self/cgroup", "0::/user/job\n");
        write("/proc/sys/net/core/somaxconn", "4096");
        write("/proc/sys/net/ipv4/tcp_retries2", "15");
        write("/proc/sys/net/ipv4/ip_local_port_range", "32768\t60999");
        write("/proc/sys/vm/overcommit_memory", "1");
        write("/proc/sys/kernel/yama/ptrace_scope", "0");
        write("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc");
        write("/sys/kernel/debug/sched/base_slice_ns", "2800000");
        assertTrue(write("/usr/bin/gdb", "").toFile().setExecutable(true));
    }

    private Path write(String path, String text) throws IOException {
        Path file = root.resolve(path.substring(1));
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private Diagnosis diagnosis(String... settings) {
        Settings.Builder builder = Settings.builder();
        List.of(settings).forEach(builder::set);
        return Diagnosis.of(new Machine(root, builder.build(), answers), "tributary 1");
    }

    private Finding finding(Diagnosis diagnosis, String subject) {
        return diagnosis.findings().stream().filter(finding -> finding.subject().equals(subject)).findFirst()
            .orElseThrow(() -> new AssertionError(diagnosis.text()));
    }

    @Test
    void shouldFindNothingWrongWhenAllIsWell() {
        Diagnosis diagnosis = diagnosis();
        assertTrue(diagnosis.findings().stream().allMatch(finding -> finding.level() == Level.OK), diagnosis.text());
        assertTrue(diagnosis.text().startsWith("node7, tributary 1\n"), diagnosis.text());
        assertTrue(diagnosis.text().endsWith("\n0 errors, 0 warnings\n"), diagnosis.text());
        assertFalse(diagnosis.hasErrors());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "/proc/mounts | overlay / overlay rw 0 0 | shared memory | ERROR | overlay at /",
        "/proc/mounts | tmpfs /dev/shm tmpfs ro,nosuid 0 0 | free shared memory | ERROR | read-only",
        "/proc/mounts | tmpfs / tmpfs rw,noexec 0 0 | libraries in the temporary directory | WARNING | noexec",
        "/proc/mounts | hugetlbfs /dev/shm hugetlbfs rw 0 0 | shared memory | ERROR | hugetlbfs at /dev/shm",
        "/proc/mounts | ramfs /dev/shm ramfs rw 0 0 | shared memory | ERROR | ramfs at /dev/shm",
        "/proc/self/limits | Max open files 64 100 files | open files, hard limit | ERROR | 100",
        "/proc/self/limits | Max open files 512 4096 files | open files, soft limit | WARNING | 512",
        "/proc/self/limits | Max processes 1000 1000 processes | processes and threads | WARNING | 1000",
        "/proc/self/limits | Max file size 1073741824 unlimited bytes | size of files | WARNING | 1.0 GiB",
        "/proc/self/limits | Max address space 1073741824 unlimited bytes | address space | ERROR | 1.0 GiB",
        "/sys/fs/cgroup/user/memory.max | 1073741824 | memory of the control group | WARNING | 1.0 GiB",
        "/sys/fs/cgroup/user/job/pids.max | 100 | processes left in the control group | ERROR | 100",
        "/sys/fs/cgroup/user/cpu.max | 150000 100000 | processor time of the control group | WARNING | 1.50 of 4",
        "/proc/sys/net/core/somaxconn | 128 | net.core.somaxconn | WARNING | 128",
        "/proc/sys/net/ipv4/tcp_retries2 | 1 | net.ipv4.tcp_retries2 | WARNING | 1",
        "/proc/sys/net/ipv4/ip_local_port_range | 50000 50500 | ports for connections | ERROR | 501",
        "/proc/sys/vm/overcommit_memory | 2 | vm.overcommit_memory | WARNING | 2",
        "/proc/sys/kernel/yama/ptrace_scope | 1 | kernel.yama.ptrace_scope | WARNING | 1",
        "/proc/sys/kernel/yama/ptrace_scope | 3 | kernel.yama.ptrace_scope | WARNING | 3",
        "/sys/devices/system/clocksource/clocksource0/current_clocksource | hpet | clock | WARNING | hpet",
        "/sys/kernel/debug/sched/base_slice_ns | 24000000 | time slice of the scheduler | WARNING | 24.00 ms"})
    void shouldNameValueLimitAndRemedyWhenAFileSaysThatItIsWrong(String path, String text, String subject, Level level,
        String measured) throws IOException {
        write(path, text);
        Diagnosis diagnosis = diagnosis();
        Finding finding = finding(diagnosis, subject);
        assertEquals(level, finding.level(), diagnosis.text());
        assertTrue(finding.measured().contains(measured), diagnosis.text());
        assertFalse(finding.remedy().isEmpty() || finding.limit().isEmpty(), diagnosis.text());
        assertEquals(level == Level.ERROR, diagnosis.hasErrors(), diagnosis.text());
    }

    /** A file that nobody may run is none. */
    @Test
    void shouldFindADebuggerForStacksOfRanksInC() throws IOException {
        assertEquals(Finding.ok("debugger", "/usr/bin/gdb", "for stacks of ranks in C, in tributary status --why"),
            finding(diagnosis(), "debugger"));
        Files.delete(root.resolve("usr/bin/gdb"));
        Path other = write("/opt/bin/eu-stack", "");
        Finding none = finding(diagnosis(), "debugger");
        assertEquals(Level.WARNING, none.level());
        assertEquals("neither gdb nor eu-stack on the PATH", none.measured());
        assertEquals("apt-get install gdb, or elfutils for eu-stack", none.remedy());
        assertTrue(other.toFile().setExecutable(true));
        assertEquals("/opt/bin/eu-stack", finding(diagnosis(), "debugger").measured());
    }

    /** One hides nothing of the other. */
    @Test
    void shouldFindTheTemporaryDirectoryUnusableThoughItIsNoexec() throws IOException {
        write("/proc/mounts", "tmpfs /dev/shm tmpfs rw 0 0\ntmpfs /tmp tmpfs ro,noexec 0 0\n");
        assertEquals(Level.ERROR, finding(diagnosis(), "temporary directory").level());
        assertEquals(Level.WARNING, finding(diagnosis(), "libraries in the temporary directory").level());
    }

    @Test
    void shouldLookAtTheMountWhereADirectoryReallyIs() throws IOException {
        write("/proc/mounts", "ext4 / ext4 rw 0 0\ntmpfs /run tmpfs rw 0 0\next4 /big\\040disk ext4 ro 0 0\n");
        Files.createDirectories(root.resolve("run/shm"));
        Files.createDirectories(root.resolve("big disk/tmp"));
        Files.createDirectories(root.resolve("dev"));
        Files.createSymbolicLink(root.resolve("dev/shm"), Path.of("../run/shm"));
        Files.createSymbolicLink(root.resolve("tmp"), Path.of("big disk/tmp"));
        assertEquals("tmpfs at /run", finding(diagnosis(), "shared memory").measured());
        assertEquals(Level.OK, finding(diagnosis("shm.directory=/dev/shm/jobs"), "shared memory").level());
        assertTrue(finding(diagnosis(), "temporary directory").measured().contains("read-only"));
    }

    @Test
    void shouldFindLibrariesWhereTheLoaderDoesAndNoneOf32Bits() throws IOException {
        write("/usr/lib/libfabric.so.1", "\u007fELF\u0001");
        assertEquals(Level.ERROR, finding(diagnosis("network.fabric=tcp"), "libfabric").level());
        answers.loadable = Map.of("libfabric.so.1", "/opt/amazon/efa/lib64/libfabric.so.1");
        assertEquals("/opt/amazon/efa/lib64/libfabric.so.1",
            finding(diagnosis("network.fabric=tcp"), "libfabric").measured());
    }

    /** This system has at least the C library in a cache, or no such cache. */
    @Test
    void shouldReadWhatTheLoaderFinds() {
        Map<String, String> loadable = new ThisSystem(Settings.builder().build()).loadable();
        assumeTrue(Files.isExecutable(Path.of("/sbin/ldconfig")), "no ldconfig");
        assertTrue(loadable.containsKey("libc.so.6"), loadable::toString);
        assertTrue(Files.exists(Path.of(loadable.get("libc.so.6"))), loadable::toString);
    }

    @Test
    void shouldNotWarnOfPtraceWhenTheUserMayTraceAnyProcess() throws IOException {
        write("/proc/sys/kernel/yama/ptrace_scope", "1");
        write("/proc/self/status", "Name:\tjava\nCapEff:\t0000000000080000\n");
        assertEquals(Level.OK, finding(diagnosis(), "kernel.yama.ptrace_scope").level());
        write("/proc/self/status", "Name:\tjava\nCapEff:\t0000000000000000\n");
        assertEquals(Level.WARNING, finding(diagnosis(), "kernel.yama.ptrace_scope").level());
    }

    @Test
    void shouldCountTheProcessesThatAreLeft() throws IOException {
        write("/sys/fs/cgroup/user/job/pids.max", "2000");
        write("/sys/fs/cgroup/user/job/pids.current", "1900");
        assertEquals("100", finding(diagnosis(), "processes left in the control group").measured());
    }

    @Test
    void shouldReadControlGroupsOfVersion1() throws IOException {
        write("/proc/self/cgroup", "4:memory:/job\n3:cpu,cpuacct:/job\n2:pids:/\n");
        write("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "268435456");
        write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
        write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "50000");
        write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000");
        write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1");
        write("/sys/fs/cgroup/pids/pids.max", "max");
        Diagnosis diagnosis = diagnosis();
        assertEquals("256 MiB", finding(diagnosis, "memory of the control group").measured());
        assertEquals(Level.ERROR, finding(diagnosis, "memory of the control group").level());
        assertEquals("0.50 of 4 processors", finding(diagnosis, "processor time of the control group").measured());
        assertEquals("unlimited", finding(diagnosis, "processes left in the control group").measured());
    }

    @Test
    void shouldFindSharedMemoryTooSmallAsInAContainer() {
        answers.freeBytes = 64L << 20;
        assertEquals(Level.WARNING, finding(diagnosis(), "free shared memory").level());
        assertTrue(finding(diagnosis(), "free shared memory").remedy().contains("--shm-size"));
        answers.freeBytes = 1L << 20;
        assertEquals(Level.ERROR, finding(diagnosis(), "free shared memory").level());
        answers.freeBytes = -1;
        assertTrue(finding(diagnosis(), "free shared memory").measured().contains("no such directory"));
    }

    @ParameterizedTest
    @CsvSource({"127.0.1.1, WARNING, 127.0.1.1", "10.1.2.3, OK, 10.1.2.3", "10.9.9.9, WARNING, of none of its",
        "'', WARNING, has no address"})
    void shouldSayWhatTheOwnNameMeansToOthers(String address, Level level, String measured) {
        answers.addresses = address.isEmpty() ? List.of() : List.of(address);
        Finding finding = finding(diagnosis(), "name of this host");
        assertEquals(level, finding.level());
        assertTrue(finding.measured().contains("node7") && finding.measured().contains(measured), finding.measured());
    }

    @Test
    void shouldSayThatNobodyAnswersRatherThanThatTheOwnNameHasNoAddress() {
        answers.addresses = null;
        Diagnosis diagnosis = diagnosis();
        assertEquals("no name server answers, for node7", finding(diagnosis, "name service").measured());
        assertTrue(diagnosis.findings().stream().noneMatch(other -> other.subject().equals("name of this host")),
            diagnosis::text);
    }

    @Test
    void shouldWarnWhenNoAddressLeadsToOthers() {
        answers.advertised = null;
        Finding finding = finding(diagnosis(), "address of servers");
        assertEquals(Level.WARNING, finding.level());
        assertTrue(finding.measured().contains("no address"), finding.measured());
    }

    private Diagnosis diagnosisOfThisSystem(String... assignments) {
        Settings.Builder builder = Settings.builder();
        List.of(assignments).forEach(builder::set);
        Settings settings = builder.build();
        return Diagnosis.of(new Machine(root, settings, new ThisSystem(settings)), "tributary 1");
    }

    @Test
    void shouldNameTheAddressOfTheInterfaceWhenOneIsSet() {
        Diagnosis diagnosis = diagnosisOfThisSystem("server.interface=lo");
        assertEquals("127.0.0.1 of lo, by server.interface", finding(diagnosis, "address of servers").measured());
        assertEquals(Level.OK, finding(diagnosis, "where servers listen").level(), diagnosis.text());
    }

    @Test
    void shouldFindTheInterfaceWrongWhenThereIsNone() {
        Diagnosis diagnosis = diagnosisOfThisSystem("server.interface=no-such0");
        Finding finding = finding(diagnosis, "where servers listen");
        assertEquals(Level.ERROR, finding.level());
        assertTrue(finding.measured().contains("no-such0: this machine has no such interface"), finding.measured());
        assertTrue(diagnosis.findings().stream().noneMatch(other -> other.subject().equals("address of servers")),
            "said once: " + diagnosis.text());
    }

    @Test
    void shouldFindThePortTakenWhenAnotherListensThere() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = "server.port=" + taken.getLocalPort();
            Diagnosis diagnosis = diagnosisOfThisSystem("server.bind-address=127.0.0.1", port);
            Finding finding = finding(diagnosis, "where servers listen");
            assertEquals(Level.ERROR, finding.level());
            assertTrue(finding.measured().contains("Address already in use"), finding.measured());
            assertTrue(finding(diagnosis, "address of servers").measured().endsWith("by server.bind-address"),
                diagnosis.text());
        }
    }

    @Test
    void shouldJudgeByTheSettingsOfJobs() throws IOException {
        answers.kernelTlsProblem = "has no kTLS";
        assertEquals(Level.OK, finding(diagnosis(), "kTLS").level());
        assertEquals(Level.ERROR, finding(diagnosis("network.encryption=ktls"), "kTLS").level());
        assertEquals(Level.OK, finding(diagnosis(), "libcrypto (OpenSSL)").level());
        assertEquals(Level.WARNING, finding(diagnosis("network.encryption=aes-gcm"), "libcrypto (OpenSSL)").level());
        write("/usr/lib/x86_64-linux-gnu/libcrypto.so.3", ELF_64);
        assertEquals("/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
            finding(diagnosis("network.encryption=aes-gcm"), "libcrypto (OpenSSL)").measured());
        assertEquals(Level.OK, finding(diagnosis(), "libfabric").level());
        assertEquals(Level.WARNING, finding(diagnosis("network.fabric=auto"), "libfabric").level());
        assertEquals(Level.ERROR, finding(diagnosis("network.fabric=tcp"), "libfabric").level());
        assertEquals(Level.OK, finding(diagnosis("network.fabric=tcp"), "locked memory").level());
        assertEquals(Level.WARNING, finding(diagnosis("network.fabric=verbs"), "locked memory").level());
        write("/proc/self/limits", LIMITS.replace("8388608  ", "unlimited"));
        assertEquals(Level.OK, finding(diagnosis("network.fabric=verbs"), "locked memory").level());
        assertEquals(Level.WARNING, finding(diagnosis("server.port=40000"), "server.port").level());
        assertEquals(Level.ERROR, finding(diagnosis("shm.directory=/var/tmp"), "shared memory").level());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"400001,39990-39999 | true", "4000 | true", "39000-40000 | false",
        "8080,40000 | false"})
    void shouldWarnOfAPortThatOthersMayTakeUnlessItIsReserved(String reserved, boolean warns) throws IOException {
        write("/proc/sys/net/ipv4/ip_local_reserved_ports", reserved);
        assertEquals(warns, diagnosis("server.port=40000").findings().stream()
            .anyMatch(finding -> finding.subject().equals("server.port")));
    }

    @Test
    void shouldNameWhatDeadJobsHaveLeft() {
        answers.stale = List.of("/dev/shm/tributary-a-0", "/dev/shm/tributary-b-0");
        Finding finding = finding(diagnosis(), "left by dead jobs");
        assertEquals(Level.WARNING, finding.level());
        assertTrue(finding.measured().contains("2 directories: /dev/shm/tributary-a-0"), finding.measured());
        assertEquals("tributary clean", finding.remedy());
    }

    @Test
    void shouldRefuseAnOldJdk() {
        answers.java = Runtime.Version.parse("17.0.9");
        assertEquals(Level.ERROR, finding(diagnosis(), "JDK").level());
    }

    @Test
    void shouldGiveTheSameAsJson() throws IOException {
        write("/proc/sys/kernel/hostname", "a\"b\\c");
        answers.addresses = List.of();
        String json = diagnosis().json();
        assertTrue(json.startsWith("{\"host\": \"a\\\"b\\\\c\", \"version\": \"tributary 1\""), json);
        assertTrue(json.contains("{\"level\": \"warning\", \"subject\": \"name of this host\", \"measured\":"), json);
        assertEquals(diagnosis().findings().size(), json.split("\"level\"", -1).length - 1);
    }

    @Test
    void shouldSayHowManyEventLoopsAServerHasAndWarnWhenThoseThatAreSetAreTooMany() {
        String subject = "event loops of a server";
        Finding few = finding(diagnosis(), subject);
        assertEquals(Level.OK, few.level());
        assertEquals("1: 4 cores, one loop for each 8", few.measured());
        answers.eventLoops = "64: server.threads";
        answers.eventLoopsProblem = "set fewer";
        Finding many = finding(diagnosis("server.threads=64"), subject);
        assertEquals(Level.WARNING, many.level());
        assertEquals("set fewer", many.remedy());
    }
}

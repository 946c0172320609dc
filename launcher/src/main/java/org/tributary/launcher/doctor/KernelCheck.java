package org.tributary.launcher.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;

/** Settings of the kernel. */
final class KernelCheck implements Check {
    private static final String NET = "/proc/sys/net/";
    private static final Set<String> FAST_CLOCKS = Set.of("tsc", "kvm-clock", "hyperv_clocksource_tsc_page",
        "arch_sys_counter", "xen");
    /** The ptrace_scope at which nobody may attach to a process, and which stays. */
    private static final int NOBODY = 3;
    private static final int CAP_SYS_PTRACE = 19;
    private static final Pattern EFFECTIVE = Pattern.compile("(?m)^CapEff:\\s*([0-9a-f]{1,16})$");
    private static final long LONG_SLICE_NS = 4_000_000;
    private static final double NS_PER_MS = 1e6;
    private static final long NS_PER_S = 1_000_000_000;

    @Override
    public List<Finding> look(Machine machine) {
        List<Finding> findings = new ArrayList<>();
        atLeast(machine, findings, "core/somaxconn", 1024,
            "sysctl net.core.somaxconn=4096: more ranks at once than that have to try again to connect");
        atLeast(machine, findings, "ipv4/tcp_retries2", 5,
            "sysctl net.ipv4.tcp_retries2=15: short pauses of the network end connections");
        findings.add(Finding.ok("keep-alive of connections", machine.settings().connectionSilenceTimeoutNs() / NS_PER_S
            + " s (connection.silence-timeout)", "set for each connection, whatever net.ipv4.tcp_keepalive_time is"));
        ports(machine, findings);
        machine.number("/proc/sys/vm/overcommit_memory").ifPresent(mode -> findings.add(mode != 2
            ? Finding.ok("vm.overcommit_memory", Long.toString(mode), "not 2")
            : Finding.warning("vm.overcommit_memory", "2", "not 2", "sysctl vm.overcommit_memory=0, or a high"
                + " vm.overcommit_ratio: a JVM reserves memory that it never uses")));
        machine.number("/proc/sys/kernel/yama/ptrace_scope").ifPresent(scope -> findings.add(scope == 0
            || scope < NOBODY && mayTrace(machine)
            ? Finding.ok("kernel.yama.ptrace_scope", Long.toString(scope), "0, or the right to trace any process")
            : Finding.warning("kernel.yama.ptrace_scope", Long.toString(scope), "0",
                "sysctl kernel.yama.ptrace_scope=0" + (scope < NOBODY ? "" : " at the next start of the machine")
                    + ": status and hang reports cannot show stacks of ranks in C")));
        clock(machine, findings);
        findings.add(slice(machine));
        return findings;
    }

    private static boolean mayTrace(Machine machine) {
        return EFFECTIVE.matcher(machine.text("/proc/self/status")).results()
            .anyMatch(found -> (Long.parseUnsignedLong(found.group(1), 16) >> CAP_SYS_PTRACE & 1) == 1);
    }

    private static void atLeast(Machine machine, List<Finding> findings, String name, long warning, String remedy) {
        machine.number(NET + name).ifPresent(value -> findings.add(
            Finding.atLeast("net." + name.replace('/', '.'), value, "", warning, 0, remedy)));
    }

    private static void ports(Machine machine, List<Finding> findings) {
        String[] range = machine.text(NET + "ipv4/ip_local_port_range").split("\\s+");
        if (range.length != 2 || !range[0].matches("\\d{1,5}") || !range[1].matches("\\d{1,5}")) {
            return;
        }
        int first = Integer.parseInt(range[0]);
        int last = Integer.parseInt(range[1]);
        findings.add(Finding.atLeast("ports for connections", last - first + 1L, "", 10_000, 1_000,
            "sysctl net.ipv4.ip_local_port_range='32768 60999': each connection of a rank to another node needs one"));
        int port = machine.settings().serverPort();
        boolean isReserved = isIn(machine.text(NET + "ipv4/ip_local_reserved_ports"), port);
        if (port >= first && port <= last && !isReserved) {
            findings.add(Finding.warning("server.port", Integer.toString(port), "outside " + first + " to " + last
                + " (net.ipv4.ip_local_port_range)", "another port, or sysctl net.ipv4.ip_local_reserved_ports=" + port
                + ": any connection of this machine may have taken it"));
        }
    }

    /** A list such as {@code 7411,9148-9200}. */
    private static boolean isIn(String list, int port) {
        return Pattern.compile("\\b(\\d{1,9})(?:-(\\d{1,9}))?\\b").matcher(list).results().anyMatch(range -> {
            int first = Integer.parseInt(range.group(1));
            return port >= first && port <= (range.group(2) == null ? first : Integer.parseInt(range.group(2)));
        });
    }

    private static void clock(Machine machine, List<Finding> findings) {
        String clock = machine.text("/sys/devices/system/clocksource/clocksource0/current_clocksource");
        if (!clock.isEmpty()) {
            findings.add(FAST_CLOCKS.contains(clock) ? Finding.ok("clock", clock, "read without a system call")
                : Finding.warning("clock", clock, "read without a system call", "look in dmesg why the kernel does not"
                    + " use tsc: waiting ranks and servers read the clock all the time"));
        }
    }

    /** Ranks that share a core take turns of that length. */
    private static Finding slice(Machine machine) {
        OptionalLong ns = machine.number("/sys/kernel/debug/sched/base_slice_ns");
        ns = ns.isPresent() ? ns : machine.number("/sys/kernel/debug/sched/min_granularity_ns");
        ns = ns.isPresent() ? ns : machine.number("/proc/sys/kernel/sched_min_granularity_ns");
        String subject = "time slice of the scheduler";
        if (ns.isEmpty()) {
            return Finding.ok(subject, "not readable", "root reads it below /sys/kernel/debug/sched");
        }
        String measured = String.format(Locale.ROOT, "%.2f ms", ns.getAsLong() / NS_PER_MS);
        return ns.getAsLong() <= LONG_SLICE_NS ? Finding.ok(subject, measured, "at most 4 ms")
            : Finding.warning(subject, measured, "at most 4 ms", "a core for each rank and server, or a smaller"
                + " /sys/kernel/debug/sched/base_slice_ns: what shares a core waits that long");
    }
}

package org.tributary.launcher.doctor;

import static org.tributary.config.ProcessLimits.hard;
import static org.tributary.config.ProcessLimits.soft;

import java.util.ArrayList;
import java.util.List;
import org.tributary.config.EnumText;
import org.tributary.config.NetworkFabric;
import org.tributary.config.ProcessLimits;

/** Limits of a process (ulimit). */
final class LimitsCheck implements Check {
    private static final long ROOMY = 16 * Amounts.GIB;

    @Override
    public List<Finding> look(Machine machine) {
        String limits = machine.text(ProcessLimits.FILE);
        List<Finding> findings = new ArrayList<>();
        findings.add(Finding.atLeast("open files, hard limit", hard(limits, ProcessLimits.OPEN_FILES), "", 4096, 128,
            "raise ulimit -Hn (/etc/security/limits.conf, LimitNOFILE= of systemd); a server needs one for each"
                + " connection, a launcher three for each process"));
        findings.add(Finding.atLeast("open files, soft limit", soft(limits, ProcessLimits.OPEN_FILES), "", 1024, 128,
            "raise ulimit -n; JVMs take the hard limit by themselves, ranks in C do not"));
        findings.add(Finding.atLeast("processes and threads", soft(limits, "Max processes"), "", 4096, 256,
            "raise ulimit -u; a JVM has about 20 threads, and more on many cores"));
        findings.add(Finding.atLeast("address space", soft(limits, "Max address space"), Amounts.BYTES, ROOMY,
            4 * Amounts.GIB, "ulimit -v unlimited: a JVM reserves far more than it uses"));
        findings.add(Finding.atLeast("size of files", soft(limits, "Max file size"), Amounts.BYTES, ROOMY,
            64 * Amounts.MIB, "ulimit -f unlimited: segments and traces are files, and none may grow beyond that"));
        findings.add(locked(soft(limits, "Max locked memory"), machine.settings().networkFabric()));
        return findings;
    }

    private static Finding locked(long limit, NetworkFabric fabric) {
        String value = limit == Long.MAX_VALUE ? "unlimited" : limit / 1024 + " KiB";
        if (!fabric.locksMemory()) {
            return Finding.ok("locked memory", value, "Tributary locks none");
        }
        String wanted = "unlimited, for network.fabric = " + EnumText.underscored(fabric);
        return limit == Long.MAX_VALUE ? Finding.ok("locked memory", value, wanted)
            : Finding.warning("locked memory", value, wanted, "ulimit -l unlimited (/etc/security/limits.conf,"
                + " LimitMEMLOCK= of systemd); data that cannot be locked goes in messages");
    }
}

package org.tributary.launcher.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Limits of a process (ulimit). */
final class LimitsCheck implements Check {
    private static final String FILE = "/proc/self/limits";
    private static final String FORM = "(?m)^%s +(\\S+) +(\\S+)";
    private static final long ROOMY = 16 * Amounts.GIB;

    @Override
    public List<Finding> look(Machine machine) {
        String limits = machine.text(FILE);
        List<Finding> findings = new ArrayList<>();
        findings.add(Finding.atLeast("open files, hard limit", value(limits, "Max open files", 2), "", 4096, 128,
            "raise ulimit -Hn (/etc/security/limits.conf, LimitNOFILE= of systemd); a server needs one for each"
                + " connection, a launcher three for each process"));
        findings.add(Finding.atLeast("open files, soft limit", value(limits, "Max open files", 1), "", 1024, 128,
            "raise ulimit -n; JVMs take the hard limit by themselves, ranks in C do not"));
        findings.add(Finding.atLeast("processes and threads", value(limits, "Max processes", 1), "", 4096, 256,
            "raise ulimit -u; a JVM has about 20 threads, and more on many cores"));
        findings.add(Finding.atLeast("address space", value(limits, "Max address space", 1), Amounts.BYTES, ROOMY,
            4 * Amounts.GIB, "ulimit -v unlimited: a JVM reserves far more than it uses"));
        long locked = value(limits, "Max locked memory", 1);
        findings.add(Finding.ok("locked memory", locked == Long.MAX_VALUE ? "unlimited" : locked / 1024 + " KiB",
            "Tributary locks none"));
        return findings;
    }

    /** Column 1 is the soft limit, 2 the hard one. */
    private static long value(String limits, String name, int column) {
        Matcher matcher = Pattern.compile(FORM.formatted(name)).matcher(limits);
        return matcher.find() && matcher.group(column).matches("\\d{1,18}") ? Long.parseLong(matcher.group(column))
            : Long.MAX_VALUE;
    }
}

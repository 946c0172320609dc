package org.tributary.launcher.doctor;

import java.util.List;
import java.util.stream.Collectors;
import org.tributary.launcher.doctor.Finding.Level;
import org.tributary.launcher.status.Json;

/**
 * All that was found on a machine.
 *
 * @param host    its name
 * @param version of Tributary there
 */
public record Diagnosis(String host, String version, List<Finding> findings) {
    public Diagnosis {
        findings = List.copyOf(findings);
    }

    /** Looks at all sides of a machine. */
    public static Diagnosis of(Machine machine, String version) {
        List<Check> checks = List.of(new SoftwareCheck(), new MemoryCheck(), new LimitsCheck(), new ControlGroupCheck(),
            new NetworkCheck(), new KernelCheck());
        return new Diagnosis(machine.text("/proc/sys/kernel/hostname"), version,
            checks.stream().flatMap(check -> check.look(machine).stream()).toList());
    }

    public boolean hasErrors() {
        return count(Level.ERROR) > 0;
    }

    private long count(Level level) {
        return findings.stream().filter(finding -> finding.level() == level).count();
    }

    /** A line for each finding, a second one for a remedy, and the sum. */
    public String text() {
        StringBuilder text = new StringBuilder(host + ", " + version + "\n");
        int width = findings.stream().mapToInt(finding -> finding.subject().length()).max().orElse(1);
        for (Finding finding : findings) {
            text.append(String.format("%-8s %-" + width + "s  %s%s%n", finding.level().name().toLowerCase(),
                finding.subject(), finding.measured(), finding.limit().isEmpty() ? "" : " (" + finding.limit() + ")"));
            if (!finding.remedy().isEmpty()) {
                text.append(" ".repeat(9)).append("-> ").append(finding.remedy()).append("\n");
            }
        }
        return text.append(count(Level.ERROR)).append(" errors, ").append(count(Level.WARNING)).append(" warnings\n")
            .toString();
    }

    /** One object. */
    public String json() {
        return "{\"host\": " + Json.quote(host) + ", \"version\": " + Json.quote(version) + ", \"findings\": [\n"
            + findings.stream().map(Diagnosis::json).collect(Collectors.joining(",\n")) + "\n]}\n";
    }

    private static String json(Finding finding) {
        return "  {\"level\": " + Json.quote(finding.level().name().toLowerCase()) + ", \"subject\": "
            + Json.quote(finding.subject()) + ", \"measured\": " + Json.quote(finding.measured()) + ", \"limit\": "
            + Json.quote(finding.limit()) + ", \"remedy\": " + Json.quote(finding.remedy()) + "}";
    }
}

package org.tributary.launcher.doctor;

import java.util.List;
import java.util.stream.Collectors;
import org.tributary.config.Json;
import org.tributary.launcher.doctor.Finding.Level;

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
            new NetworkCheck(), new LoopsCheck(), new KernelCheck());
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
        findings.forEach(finding -> text.append(finding.text(width, "")));
        return text.append(count(Level.ERROR)).append(" errors, ").append(count(Level.WARNING)).append(" warnings\n")
            .toString();
    }

    /** One object. */
    public String json() {
        return "{\"host\": " + Json.quote(host) + ", \"version\": " + Json.quote(version) + ", \"findings\": [\n"
            + findings.stream().map(finding -> "  " + Json.of(finding.fields()))
                .collect(Collectors.joining(",\n")) + "\n]}\n";
    }
}

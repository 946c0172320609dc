package org.tributary.launcher.doctor;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.tributary.config.Json;
import org.tributary.launcher.doctor.Finding.Level;

/**
 * All that was found on several hosts, and between them.
 *
 * @param version of Tributary that has asked
 * @param hosts   findings by host, in the order of the hosts
 */
public record HostsDiagnosis(String version, Map<String, List<Finding>> hosts) {
    private static final int NAMED = 8;

    public boolean hasErrors() {
        return grouped().keySet().stream().anyMatch(finding -> finding.level() == Level.ERROR);
    }

    /** Hosts of equal findings; by subject in the order in which subjects come up. */
    private Map<Finding, List<String>> grouped() {
        Map<String, Map<Finding, List<String>>> subjects = new LinkedHashMap<>();
        hosts.forEach((host, findings) -> findings.forEach(finding ->
            subjects.computeIfAbsent(finding.subject(), subject -> new LinkedHashMap<>())
                .computeIfAbsent(finding, first -> new ArrayList<>()).add(host)));
        Map<Finding, List<String>> grouped = new LinkedHashMap<>();
        subjects.values().forEach(grouped::putAll);
        return grouped;
    }

    /** A line for each finding with its hosts, a second one for a remedy, and the sum. */
    public String text() {
        StringBuilder text = new StringBuilder(hosts.size() + (hosts.size() == 1 ? " host, " : " hosts, ") + version
            + "\n");
        Map<Finding, List<String>> grouped = grouped();
        int width = grouped.keySet().stream().mapToInt(finding -> finding.subject().length()).max().orElse(1);
        grouped.forEach((finding, of) -> text.append(finding.text(width, names(of) + ": ")));
        Map<Level, Integer> sums = new TreeMap<>();
        grouped.forEach((finding, of) -> sums.merge(finding.level(), of.size(), Integer::sum));
        return text.append(sums.getOrDefault(Level.ERROR, 0)).append(" errors, ")
            .append(sums.getOrDefault(Level.WARNING, 0)).append(" warnings\n").toString();
    }

    private String names(List<String> of) {
        if (of.size() == hosts.size()) {
            return of.size() == 1 ? of.getFirst() : "all hosts";
        }
        return String.join(", ", of.subList(0, Math.min(NAMED, of.size())))
            + (of.size() > NAMED ? " and " + (of.size() - NAMED) + " more" : "");
    }

    /** One object. */
    public String json() {
        List<Object> findings = new ArrayList<>();
        grouped().forEach((finding, of) -> {
            Map<String, Object> fields = new LinkedHashMap<>(finding.fields());
            fields.put("hosts", of);
            findings.add(fields);
        });
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("version", version);
        all.put("hosts", hosts.keySet());
        all.put("findings", findings);
        return Json.of(all) + "\n";
    }
}

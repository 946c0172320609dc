package org.tributary.benchmarks.cooperation;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tributary.benchmarks.measure.Chart;
import org.tributary.benchmarks.measure.JsonObject;

/** A line for each result as it comes, and at the end JSON, a Markdown table, and a chart for each figure. */
final class Report {
    private static final String ROW = "%-32s %9.0f %-28s %14.3f %9s %7s  %s%n";

    private static final String REAL = "real-";
    private static final String REAL_CONTENDED = "real-contended-";

    private final PrintStream out;
    private final JsonObject run;
    private final List<Result> results = new ArrayList<>();

    Report(PrintStream out, JsonObject run) {
        this.out = out;
        this.run = run;
        out.println(run);
        out.printf("%n%-32s %9s %-28s %14s %9s %7s  %s%n", "figure", "x", "variant", "value", "of direct", "spread",
            "aim");
    }

    void add(Result result) {
        results.add(result);
        out.printf(Locale.ROOT, ROW, result.part(), result.x(), result.variant(), result.value(),
            number(result.ratio()), number(result.spread()), aim(result));
    }

    /** Something to know about the results. */
    void note(String text) {
        out.println("  " + text);
    }

    private static String number(double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.4g", value);
    }

    private static String aim(Result result) {
        return result.aim() == null ? "-" : result.aim() + (result.isMet() ? ": met" : ": NOT MET");
    }

    /** Writes the files that are not null. */
    void end(Path json, Path markdown, Path plots) throws IOException {
        if (json != null) {
            Files.write(json, Stream.concat(Stream.of(run), results.stream().map(Result::toJson))
                .map(JsonObject::toString).toList());
        }
        if (markdown != null) {
            Files.write(markdown, markdown());
        }
        if (plots != null) {
            Files.createDirectories(plots);
            Map<String, List<Result>> parts = results.stream()
                .collect(Collectors.groupingBy(Result::part, LinkedHashMap::new, Collectors.toList()));
            for (Map.Entry<String, List<Result>> part : parts.entrySet()) {
                Files.writeString(plots.resolve("cooperation-" + part.getKey() + ".svg"),
                    chart(part.getKey(), part.getValue()));
            }
        }
    }

    private List<String> markdown() {
        List<String> lines = new ArrayList<>();
        lines.add("| figure | x | variant | value | of direct | slowest / median | aim |");
        lines.add("| --- | --- | --- | --- | --- | --- | --- |");
        for (Result result : results) {
            lines.add(String.format(Locale.ROOT, "| %s | %,.0f | %s | %,.3f | %s | %s | %s |", result.part(),
                result.x(), result.variant(), result.value(), number(result.ratio()), number(result.spread()),
                aim(result).replace("<", "&lt;")));
        }
        return lines;
    }

    private static String chart(String part, List<Result> results) {
        boolean isReal = part.startsWith(REAL);
        boolean isLatency = isReal && !part.startsWith(REAL_CONTENDED) && !part.equals("real-fock-build");
        String unit = switch (part) {
            case "blocks" -> "megabytes of receive blocks of a server";
            case "memory" -> "megabytes more in the resident set of a server";
            case "fock-build", "real-fock-build" -> "seconds";
            default -> isLatency ? "microseconds" : "operations a second, all ranks";
        };
        boolean isSimulated = !isReal && !part.equals("memory");
        boolean isContention = !List.of("blocks", "memory", "scale").contains(part) && !part.endsWith("fock-build");
        String axis = isLatency ? "bytes" : isContention ? "percent of ranks that contend" : "processes";
        Map<String, SortedMap<Double, Double>> series = new LinkedHashMap<>();
        results.forEach(result -> series.computeIfAbsent(result.variant(), variant -> new TreeMap<>())
            .put(result.x(), result.value()));
        return new Chart(series, x -> String.format(Locale.ROOT, "%,.0f", x), true)
            .svg(isSimulated ? part + ", simulated" : part, axis, unit);
    }
}

package org.tributary.benchmarks.windows;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.tributary.benchmarks.measure.Sizes;
import org.tributary.benchmarks.results.Run;

/** The readable table while results come, and at the end the file: a table and a plot for each variant of each part. */
final class Report {
    private static final String HEADER = "%-16s %-13s %-17s %7s %6s %8s %11s %11s %9s  %s%n";
    private static final String ROW = "%-16s %-13s %-17s %7d %6s %8d %11.2f %11.2f %9s  %s%n";

    private final PrintStream out;
    private final Run run;
    private final List<Result> results = new ArrayList<>();

    Report(PrintStream out, Run run) {
        this.out = out;
        this.run = run;
        out.println(run);
        out.printf(Locale.ROOT, "%n" + HEADER, "part", "variant", "design", "members", "bytes", "times", "median us",
            "p99 us", "messages", "ratio");
    }

    /** Takes a result and prints its line. */
    void add(Result result) {
        results.add(result);
        Outcome outcome = result.outcome();
        out.printf(Locale.ROOT, ROW, result.part(), result.variant(), result.design(), result.members(),
            bytes(result), outcome.iterations(), outcome.medianUs(), outcome.p99Us(), messages(outcome),
            comparison(result));
    }

    private static String bytes(Result result) {
        return result.bytes() == 0 ? "-" : Sizes.format(result.bytes());
    }

    private static String messages(Outcome outcome) {
        return String.format(Locale.ROOT, "%.1f", outcome.messages());
    }

    private static String comparison(Result result) {
        if (result.ratioTo() == null) {
            return "-";
        }
        return String.format(Locale.ROOT, "%.2f of %s", result.ratio(), result.ratioTo());
    }

    /** Writes the file, if there shall be one. */
    void end() throws IOException {
        Map<String, List<Result>> tables = results.stream()
            .collect(Collectors.groupingBy(Result::table, LinkedHashMap::new, Collectors.toList()));
        run.write(out, tables.values().stream().map(some -> Result.table(some, run.name() + "-")).toList(),
            "Times are medians, means and 99th percentiles of the means of short blocks of iterations, in which the"
            + " designs take turns, after warm-ups that end when no design becomes faster, and a first contest that"
            + " does not count; messages are those of all members, an iteration.");
    }
}

package org.tributary.benchmarks.onesided;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import org.tributary.benchmarks.limits.Limit;
import org.tributary.benchmarks.limits.RawLimits;
import org.tributary.benchmarks.measure.Sizes;
import org.tributary.benchmarks.results.Column;
import org.tributary.benchmarks.results.Run;
import org.tributary.benchmarks.results.Table;

/** The readable table, and the file of results: tables of aims, of limits and of operations. */
final class Report {
    private static final String METHOD = "An iteration of put-rate, aggregate-put-rate"
        + " and put-bandwidth is a window of " + Op.WINDOW + " operations. Bandwidths, of operations and of limits,"
        + " are by all the time. Ratio: a median time over the limit's median, or a bandwidth over the limit's. A"
        + " limit is the best that was measured before, between and after the repetitions; a ratio of bandwidths"
        + " above 1 says that the machine can do more than that. First: the very first iteration, before the"
        + " warm-up.";
    private static final String HEADER = "%-19s %-7s %-10s %6s %8s %11s %11s %11s %10s %12s  %s%n";
    private static final String ROW = "%-19s %-7s %-10s %6s %8d %11.2f %11.2f %11.1f %10s %12.0f  %s%n";

    private static final String TIMES = "iterations";
    private static final String US = "us";
    private static final String RATE = "MB/s";

    private final PrintStream out;
    private final Run run;

    Report(PrintStream out, Run run) {
        this.out = out;
        this.run = run;
        out.println(run);
    }

    /** Begins a repetition, counted from 1: prints a heading if there are several. */
    void begin(int repetition, int repetitions) {
        if (repetitions > 1) {
            out.printf(Locale.ROOT, "%nRepetition %d of %d%n", repetition, repetitions);
        }
    }

    /** Prints the limits and the heading of the table. */
    void limits(RawLimits limits) {
        out.println();
        for (Limit limit : limits.all().toList()) {
            out.printf(Locale.ROOT, "limit %-20s median %10.2f us   p99 %10.2f us   %8.0f MB/s (%s)%n", limit.name(),
                limit.sample().medianUs(), limit.sample().p99Us(), limit.mbPerSecond(), Sizes.format(limit.bytes()));
        }
        out.printf(Locale.ROOT, "%n" + HEADER, "operation", "path", "target", "bytes", "times", "median us", "p99 us",
            "max us", "MB/s", "ops/s", "ratio to limit");
    }

    void row(Result result) {
        String ratio = result.limit() == null ? "-" : String.format(Locale.ROOT, "%.2f x %s%s", result.ratio(),
            result.limit(), result.isLimitExceeded() ? ", limit exceeded" : "");
        Case of = result.of();
        out.printf(Locale.ROOT, ROW, of.op(), of.route(), of.state(), of.bytes() == 0 ? "-" : Sizes.format(of.bytes()),
            result.sample().iterations(), result.sample().medianUs(), result.sample().p99Us(),
            result.sample().maxUs(), of.bytes() == 0 ? "-" : String.format(Locale.ROOT, "%.1f", result.mbPerSecond()),
            result.opsPerSecond(), ratio);
    }

    /** Prints the medians of the repetitions, beside the best of all limits. */
    void summary(RawLimits limits, List<Result> results, int repetitions) {
        out.printf(Locale.ROOT, "%nMedian of %d repetitions, and the best limits%n", repetitions);
        limits(limits);
        results.forEach(this::row);
    }

    /** Writes the file, if there shall be one. */
    void write(RawLimits limits, List<Result> results) throws IOException {
        run.write(out, tables(limits, results), METHOD);
    }

    /** Writes the file only, in case that what follows fails. */
    void keep(RawLimits limits, List<Result> results) throws IOException {
        run.keep(tables(limits, results), METHOD);
    }

    private static List<Table> tables(RawLimits limits, List<Result> results) {
        Table machine = Table.of("Limits", Column.words("limit"), Column.of("size", "bytes"), Column.of("timed", TIMES),
            Column.of("first", US), Column.of("median", US), Column.of("mean", US), Column.of("p99", US),
            Column.of("longest", US), Column.of("bandwidth", RATE));
        limits.all().forEach(limit -> machine.row(limit.name(), limit.bytes(), limit.sample().iterations(),
            limit.sample().firstUs(), limit.sample().medianUs(), limit.sample().meanUs(), limit.sample().p99Us(),
            limit.sample().maxUs(), limit.mbPerSecond()));
        Table operations = operations();
        results.forEach(result -> result.addTo(operations));
        return List.of(Aims.table(results), machine, operations);
    }

    static Table operations() {
        return Table.of("Operations", Column.words("operation"), Column.words("path"), Column.words("target"),
            Column.of("size", "bytes"), Column.of("timed", TIMES), Column.of("first", US), Column.of("median", US),
            Column.of("mean", US), Column.of("p99", US), Column.of("longest", US), Column.of("bandwidth", RATE),
            Column.of("rate", "operations/s"), Column.words("limit"), Column.ratio("ratio", null));
    }
}

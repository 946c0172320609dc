package org.tributary.benchmarks.onesided;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.tributary.benchmarks.limits.Limit;
import org.tributary.benchmarks.limits.RawLimits;
import org.tributary.benchmarks.measure.JsonObject;
import org.tributary.benchmarks.measure.Sizes;

/** The readable table, and the file of results: a line for the run, one for each limit, one for each result. */
final class Report {
    private static final String HEADER = "%-19s %-7s %-10s %6s %8s %11s %11s %11s %10s %12s  %s%n";
    private static final String ROW = "%-19s %-7s %-10s %6s %8d %11.2f %11.2f %11.1f %10s %12.0f  %s%n";

    private final PrintStream out;
    private final JsonObject run;
    private final Path file;

    /** Creates the file at once, when there shall be one: better no benchmark than one without its results. */
    Report(PrintStream out, JsonObject run, Path file) throws IOException {
        this.out = out;
        this.run = run;
        this.file = file;
        if (file != null) {
            Files.writeString(file, "");
        }
        out.println(run);
    }

    /** What follows is this repetition, from 1. */
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

    /** Prints one line of the table. */
    void row(Result result) {
        String ratio = result.limit() == null ? "-" : String.format(Locale.ROOT, "%.2f x %s", result.ratio(),
            result.limit());
        Case of = result.of();
        out.printf(Locale.ROOT, ROW, of.op(), of.route(), of.state(), of.bytes() == 0 ? "-" : Sizes.format(of.bytes()),
            result.sample().iterations(), result.sample().medianUs(), result.sample().p99Us(),
            result.sample().maxUs(), of.bytes() == 0 ? "-" : String.format(Locale.ROOT, "%.1f", result.mbPerSecond()),
            result.opsPerSecond(), ratio);
    }

    /** Prints the medians of several repetitions. */
    void summary(RawLimits limits, List<Result> results, int repetitions) {
        out.printf(Locale.ROOT, "%nMedian of %d repetitions%n", repetitions);
        limits(limits);
        results.forEach(this::row);
    }

    /** Writes the file, when there shall be one. */
    void write(RawLimits limits, List<Result> results) throws IOException {
        if (file != null) {
            Files.write(file, Stream.concat(
                Stream.concat(Stream.of(run), limits.all().map(Limit::toJson)),
                results.stream().map(Result::toJson)).map(JsonObject::toString).toList());
            out.println("Results are in " + file.toAbsolutePath());
        }
    }
}

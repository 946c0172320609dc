package org.tributary.benchmarks.windows;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.tributary.benchmarks.measure.JsonObject;
import org.tributary.benchmarks.measure.Sizes;

/**
 * The readable table while results come, and at the end files: JSON with a line for the run and one for each result, a
 * Markdown table, and plots.
 */
final class Report {
    private static final String HEADER = "%-16s %-13s %-17s %7s %6s %8s %11s %11s %9s  %s%n";
    private static final String ROW = "%-16s %-13s %-17s %7d %6s %8d %11.2f %11.2f %9s  %s%n";

    private final PrintStream out;
    private final JsonObject run;
    private final Path json;
    private final Path markdown;
    private final Path plots;
    private final List<Result> results = new ArrayList<>();

    /** Creates the files at once: better no benchmark than one without its results. Null is for none. */
    Report(PrintStream out, JsonObject run, Path json, Path markdown, Path plots) throws IOException {
        this.out = out;
        this.run = run;
        this.json = json;
        this.markdown = markdown;
        this.plots = plots;
        for (Path file : new Path[] {json, markdown}) {
            if (file != null) {
                Files.writeString(file, "");
            }
        }
        if (plots != null) {
            Files.createDirectories(plots);
        }
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
        String reach = result.reach() == null ? "" : ", " + result.reach() + (result.isMet() ? " met" : " NOT MET");
        return String.format(Locale.ROOT, "%.2f of %s%s", result.ratio(), result.ratioTo(), reach);
    }

    /** Prints how many results are as they shall be, and writes the files. */
    void end() throws IOException {
        out.println();
        for (Part part : Part.values()) {
            List<Result> judged = results.stream().filter(r -> r.part() == part && r.reach() != null).toList();
            if (!judged.isEmpty()) {
                out.printf(Locale.ROOT, "%-16s %d of %d as aimed at%n", part, judged.stream().filter(Result::isMet)
                    .count(), judged.size());
            }
        }
        if (json != null) {
            Files.write(json, Stream.concat(Stream.of(run), results.stream().map(Result::toJson))
                .map(JsonObject::toString).toList());
            out.println("Results are in " + json.toAbsolutePath());
        }
        if (markdown != null) {
            Files.write(markdown, markdown(results));
            out.println("A table is in " + markdown.toAbsolutePath());
        }
        if (plots != null) {
            new Plots(plots).write(results);
            out.println("Plots are in " + plots.toAbsolutePath());
        }
    }

    /** The lines of a Markdown table. */
    static List<String> markdown(List<Result> results) {
        List<String> lines = new ArrayList<>();
        lines.add("| part | variant | design | members | bytes | median us | p99 us | messages | ratio | aim | met |");
        lines.add("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
        for (Result result : results) {
            lines.add(String.format(Locale.ROOT, "| %s | %s | %s | %d | %s | %.2f | %.2f | %s | %s | %s | %s |",
                result.part(), result.variant(), result.design(), result.members(), bytes(result),
                result.outcome().medianUs(), result.outcome().p99Us(), messages(result.outcome()),
                result.ratioTo() == null ? "-" : String.format(Locale.ROOT, "%.2f of %s", result.ratio(),
                    result.ratioTo()),
                result.reach() == null ? "-" : result.reach().toString().replace("<", "&lt;"),
                result.isMet() == null ? "-" : result.isMet() ? "yes" : "**no**"));
        }
        return lines;
    }
}

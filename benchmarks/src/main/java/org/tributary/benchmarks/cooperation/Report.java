package org.tributary.benchmarks.cooperation;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.tributary.benchmarks.results.Run;
import org.tributary.benchmarks.results.Table;

/** A line for each result as it comes, and at the end the file: a table, and a plot, for each figure. */
final class Report {
    private static final String ROW = "%-32s %9.0f %-28s %14.3f %9s %7s%n";

    private final PrintStream out;
    private final Run run;
    private final List<Result> results = new ArrayList<>();

    Report(PrintStream out, Run run) {
        this.out = out;
        this.run = run;
        out.println(run);
        out.printf("%n%-32s %9s %-28s %14s %9s %7s%n", "figure", "x", "variant", "value", "of none", "spread");
    }

    void add(Result result) {
        results.add(result);
        out.printf(Locale.ROOT, ROW, result.part(), result.x(), result.variant(), result.value(),
            number(result.ratio()), number(result.spread()));
    }

    /** Something to know about the results. */
    void note(String text) {
        out.println("  " + text);
    }

    private static String number(double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.4g", value);
    }

    /** Writes the file, if there shall be one, with what there is: a part that fails does not take the others along. */
    void keep(String costs) throws IOException {
        run.keep(tables(), method(costs));
    }

    /** Writes it for the last time, and says where it is. */
    void end(String costs) throws IOException {
        run.write(out, tables(), method(costs));
    }

    private List<Table> tables() {
        Map<String, Table> tables = new LinkedHashMap<>();
        for (Result result : results) {
            result.addTo(tables.computeIfAbsent(result.part(), part -> result.newTable(run.name() + "-")));
        }
        return List.copyOf(tables.values());
    }

    private static String method(String costs) {
        return "'Of none' is the rate over that of a job without cooperation; of fock-build and memory it is the time"
            + " or size. Of real-* it is of the job without beside the same one, and 'none' is the median of all these."
            + " Loops-* is of one server, to which ranks of other nodes send; they wait for each operation, and with"
            + " 'computing' compute for 100 us between two. Loops-full is the number of ranks from which on twice as"
            + " many do less than 1.1 times as much."
            + " All but memory and real-* is simulated, with these costs: " + costs;
    }
}

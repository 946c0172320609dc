package org.tributary.benchmarks.observe;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.tributary.benchmarks.measure.Reach;
import org.tributary.benchmarks.measure.Sample;
import org.tributary.benchmarks.results.Column;
import org.tributary.benchmarks.results.Table;

/**
 * Medians over all rounds, against the aims. An aim is met, or not, when the figures of the rounds without the smallest
 * and the largest are on one side of it, and otherwise neither is shown.
 */
final class Rounds {
    /** Of so many rounds the smallest and the largest do not count. */
    private static final int MANY = 3;
    private static final Reach PAGE_AIM = Reach.atLeast(0.99);
    private static final Reach TRACE_AIM = Reach.atLeast(0.98);
    private static final Reach LAUNCHER_AIM = Reach.atMost(0.01);

    private static final String RANGE = "of the rounds";

    private final List<Round> rounds = new ArrayList<>();

    void add(Round round) {
        rounds.add(round);
    }

    /** With the same figures as lines for the console. */
    List<Table> tables(PrintStream out) {
        List<Table> tables = new ArrayList<>();
        tables.add(rates("The live page, with a reader", Watching.BY_PAGE, PAGE_AIM, out));
        tables.add(rates("Traces", Watching.BY_TRACE, TRACE_AIM, out));
        tables.add(rates("Without, twice", Watching.NOT, null, out));
        double without = median(round -> round.first().launcherCores());
        double with = median(round -> round.page().launcherCores());
        out.printf(Locale.ROOT, "%-32s %14.4f %14.4f cores%n", "The launcher, and with the page", without, with);
        Range range = range(round -> round.page().launcherCores());
        tables.add(Table.of("The launcher", Column.of("without the page", "cores"), Column.of("with it", "cores"),
            Column.words(RANGE), Column.words("aim"), Column.words("met")).row(without, with, range, LAUNCHER_AIM,
                LAUNCHER_AIM.isMet(range.from, range.to)));
        return tables;
    }

    private Table rates(String title, Watching watching, Reach aim, PrintStream out) {
        String other = watching == Watching.NOT ? "again" : "with";
        Table table = Table.of(title, Column.words("work"), Column.of("without", "1/s"), Column.of(other, "1/s"),
            Column.ratio(other + " to without", null), Column.words(RANGE), Column.words("aim"), Column.words("met"));
        out.printf(Locale.ROOT, "%-32s %14s %14s %8s%n", title, "without, 1/s", other + ", 1/s", "ratio");
        for (Kind kind : Kind.values()) {
            double without = median(round -> watching == Watching.NOT ? round.first().of(kind) : round.perSecond(kind));
            double with = median(round -> round.watched(watching).of(kind));
            double ratio = median(round -> round.ratio(kind, watching));
            out.printf(Locale.ROOT, "  %-30s %14.1f %14.1f %8.3f%n", kind, without, with, ratio);
            Range range = range(round -> round.ratio(kind, watching));
            table.row(kind, without, with, ratio, range, aim, aim == null ? null : aim.isMet(range.from, range.to));
        }
        return table;
    }

    /** Of the rounds without the smallest and the largest. */
    private record Range(double from, double to) {
        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%.4f to %.4f", from, to);
        }
    }

    private Range range(ToDoubleFunction<Round> figure) {
        double[] sorted = rounds.stream().mapToDouble(figure).sorted().toArray();
        int left = sorted.length < MANY ? 0 : 1;
        return new Range(sorted[left], sorted[sorted.length - 1 - left]);
    }

    private double median(ToDoubleFunction<Round> figure) {
        return Sample.median(rounds.stream().mapToDouble(figure).toArray());
    }
}

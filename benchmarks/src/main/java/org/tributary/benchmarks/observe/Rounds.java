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

/** Medians over all rounds, against the aims. */
final class Rounds {
    private static final Reach PAGE_AIM = Reach.atLeast(0.99);
    private static final Reach TRACE_AIM = Reach.atLeast(0.98);
    private static final Reach LAUNCHER_AIM = Reach.atMost(0.01);

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
        tables.add(Table.of("The launcher", Column.of("without the page", "cores"), Column.of("with it", "cores"),
            Column.words("aim"), Column.words("met")).row(without, with, LAUNCHER_AIM, LAUNCHER_AIM.isMet(with)));
        return tables;
    }

    private Table rates(String title, Watching watching, Reach aim, PrintStream out) {
        String other = watching == Watching.NOT ? "again" : "with";
        Table table = Table.of(title, Column.words("work"), Column.of("without", "1/s"), Column.of(other, "1/s"),
            Column.ratio(other + " to without", null), Column.words("aim"), Column.words("met"));
        out.printf(Locale.ROOT, "%-32s %14s %14s %8s%n", title, "without, 1/s", other + ", 1/s", "ratio");
        for (Kind kind : Kind.values()) {
            double without = median(round -> watching == Watching.NOT ? round.first().of(kind) : round.perSecond(kind));
            double with = median(round -> round.watched(watching).of(kind));
            double ratio = median(round -> round.ratio(kind, watching));
            out.printf(Locale.ROOT, "  %-30s %14.1f %14.1f %8.3f%n", kind, without, with, ratio);
            table.row(kind, without, with, ratio, aim, aim == null ? null : aim.isMet(ratio));
        }
        return table;
    }

    private double median(ToDoubleFunction<Round> figure) {
        return Sample.median(rounds.stream().mapToDouble(figure).toArray());
    }
}

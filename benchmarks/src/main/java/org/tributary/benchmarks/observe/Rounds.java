package org.tributary.benchmarks.observe;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.tributary.benchmarks.measure.MedianInterval;
import org.tributary.benchmarks.measure.Reach;
import org.tributary.benchmarks.measure.Sample;
import org.tributary.benchmarks.results.Column;
import org.tributary.benchmarks.results.Table;

/**
 * Medians over all rounds, against the aims. An aim is met, or not, when the {@link MedianInterval} of the rounds is on
 * one side of it, and otherwise neither is shown.
 */
final class Rounds {
    private static final Reach PAGE_AIM = Reach.atLeast(0.99);
    private static final Reach TRACE_AIM = Reach.atLeast(0.98);
    private static final Reach LAUNCHER_AIM = Reach.atMost(0.01);

    private static final String INTERVAL = "median, 90 % sure";

    private final List<Round> rounds = new ArrayList<>();
    private final List<Outcome> longJobs = new ArrayList<>();

    void add(Round round) {
        rounds.add(round);
    }

    /** Of a job with the page that has taken longer: the first steps, for which classes are loaded, cost more. */
    void addLong(Outcome page) {
        longJobs.add(page);
    }

    /** With the same figures as lines for the console. */
    List<Table> tables(PrintStream out) {
        List<Table> tables = new ArrayList<>();
        tables.add(rates("The live page, with a reader", Watching.BY_PAGE, PAGE_AIM, out));
        tables.add(rates("Traces", Watching.BY_TRACE, TRACE_AIM, out));
        tables.add(turns(out));
        tables.add(rates("Without, twice", Watching.NOT, null, out));
        double without = median(round -> round.first().launcherCores());
        double[] cores = longJobs.stream().mapToDouble(Outcome::launcherCores).toArray();
        double with = Sample.median(cores);
        out.printf(Locale.ROOT, "%-32s %14.4f %14.4f cores%n", "The launcher, and with the page", without, with);
        MedianInterval interval = MedianInterval.of(cores);
        tables.add(Table.of("The launcher", Column.of("without the page", "cores"), Column.of("with it", "cores"),
            Column.words(INTERVAL), Column.words("aim"), Column.words("met")).row(without, with, interval,
                LAUNCHER_AIM, interval.isMet(LAUNCHER_AIM)));
        return tables;
    }

    private Table rates(String title, Watching watching, Reach aim, PrintStream out) {
        String other = watching == Watching.NOT ? "again" : "with";
        Table table = Table.of(title, Column.words("work"), Column.of("without", "1/s"), Column.of(other, "1/s"),
            Column.ratio(other + " to without", null), Column.words(INTERVAL), Column.words("aim"),
            Column.words("met"));
        out.printf(Locale.ROOT, "%-32s %14s %14s %8s%n", title, "without, 1/s", other + ", 1/s", "ratio");
        for (Kind kind : Kind.values()) {
            double without = median(round -> watching == Watching.NOT ? round.first().of(kind) : round.perSecond(kind));
            double with = median(round -> round.watched(watching).of(kind));
            double ratio = median(round -> round.ratio(kind, watching));
            out.printf(Locale.ROOT, "  %-30s %14.1f %14.1f %8.3f%n", kind, without, with, ratio);
            MedianInterval interval = interval(round -> round.ratio(kind, watching));
            table.row(kind, without, with, ratio, interval, aim, aim == null ? null : interval.isMet(aim));
        }
        return table;
    }

    /** Of the jobs that record. */
    private Table turns(PrintStream out) {
        Table table = Table.of("Traces, in turns within a job", Column.words("work"),
            Column.ratio("with to without", null), Column.words(INTERVAL), Column.words("aim"), Column.words("met"));
        for (Kind kind : Turns.KINDS) {
            double ratio = median(round -> round.trace().inTurns(kind));
            MedianInterval interval = interval(round -> round.trace().inTurns(kind));
            out.printf(Locale.ROOT, "  %-30s in turns within a job      %8.3f  %s%n", kind, ratio, interval);
            table.row(kind, ratio, interval, TRACE_AIM, interval.isMet(TRACE_AIM));
        }
        return table;
    }

    private MedianInterval interval(ToDoubleFunction<Round> figure) {
        return MedianInterval.of(rounds.stream().mapToDouble(figure).toArray());
    }

    private double median(ToDoubleFunction<Round> figure) {
        return Sample.median(rounds.stream().mapToDouble(figure).toArray());
    }
}

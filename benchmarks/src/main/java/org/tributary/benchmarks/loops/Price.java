package org.tributary.benchmarks.loops;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.tributary.benchmarks.measure.Reach;
import org.tributary.benchmarks.measure.Sample;
import org.tributary.benchmarks.results.Table;

/** What an operation takes with one event loop, and with several right after or before it, in some rounds. */
final class Price {
    static final Reach AIM = Reach.atMost(1.05);
    /** Of so many pairs the smallest and the largest ratio do not count. */
    private static final int MANY = 3;
    private static final String ROW = "%-38s %-6s %9.2f %9.2f %9.0f %9.2f %9.2f %9.0f %7.3f %7.3f%n";

    private record Pair(Sample one, Sample several) {
        double ofMedians() {
            return several.medianUs() / one.medianUs();
        }

        double ofMeans() {
            return several.meanUs() / one.meanUs();
        }
    }

    private final Op op;
    private final String loop;
    private final List<Pair> pairs = new ArrayList<>();

    /** Of a connection that has that loop where there are several. */
    Price(Op op, String loop) {
        this.op = op;
        this.loop = loop;
    }

    void add(Sample one, Sample several) {
        pairs.add(new Pair(one, several));
    }

    /** Adds its row; returns the same as a line for the console. */
    String addTo(Table table) {
        double[] ratios = pairs.stream().mapToDouble(Pair::ofMedians).sorted().toArray();
        int left = ratios.length < MANY ? 0 : 1;
        double least = ratios[left];
        double most = ratios[ratios.length - 1 - left];
        Object[] cells = {op, loop, median(pair -> pair.one.medianUs()), median(pair -> pair.one.meanUs()),
            longest(pair -> pair.one.maxUs()), median(pair -> pair.several.medianUs()),
            median(pair -> pair.several.meanUs()), longest(pair -> pair.several.maxUs()), median(Pair::ofMedians),
            median(Pair::ofMeans)};
        List<Object> row = new ArrayList<>(List.of(cells));
        row.add(String.format(Locale.ROOT, "%.3f to %.3f", least, most));
        row.add(AIM);
        row.add(AIM.isMet(least, most));
        table.row(row.toArray());
        return String.format(Locale.ROOT, ROW, cells);
    }

    private double median(ToDoubleFunction<Pair> figure) {
        return Sample.median(pairs.stream().mapToDouble(figure).toArray());
    }

    private double longest(ToDoubleFunction<Pair> figure) {
        return pairs.stream().mapToDouble(figure).max().orElseThrow();
    }
}

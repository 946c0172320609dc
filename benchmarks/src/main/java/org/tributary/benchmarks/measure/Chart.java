package org.tributary.benchmarks.measure;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.function.DoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * A chart as SVG: a line for each series over a logarithmic axis, or bars where there is little to connect. Words stay
 * words, which keeps it small enough for documentation. For one use.
 */
public final class Chart {
    private static final int WIDTH = 760;
    private static final int HEIGHT = 465;
    private static final int LEFT = 70;
    private static final int RIGHT = 745;
    private static final int TOP = 40;
    private static final int BOTTOM = 350;
    private static final int LEGEND = 415;
    private static final int LEGEND_COLUMNS = 4;
    private static final int LEGEND_ROW = 20;
    private static final int FEW = 3;
    private static final int MOST_STEPS = 8;
    /** Those of Okabe and Ito, which colour-blind people can tell apart. */
    private static final List<String> COLOURS =
        List.of("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000");

    private final Map<String, SortedMap<Double, Double>> series;
    private final DoubleFunction<String> xLabel;
    private final List<Double> xs;
    private final boolean bars;
    private final boolean logarithmic;
    private final List<Double> ticks;
    private final StringBuilder svg = new StringBuilder();

    /**
     * Of one series at least with one point at least.
     *
     * @param series      values over coordinates, by name
     * @param xLabel      names a coordinate
     * @param logarithmic whether the vertical axis is, for values above 0; else it includes 0
     */
    public Chart(Map<String, SortedMap<Double, Double>> series, DoubleFunction<String> xLabel, boolean logarithmic) {
        this.series = series;
        this.xLabel = xLabel;
        this.logarithmic = logarithmic;
        TreeSet<Double> all = new TreeSet<>();
        series.values().forEach(points -> all.addAll(points.keySet()));
        xs = List.copyOf(all);
        bars = xs.size() <= FEW || xs.getFirst() <= 0;
        List<Double> values = series.values().stream().flatMap(points -> points.values().stream()).sorted().toList();
        ticks = logarithmic ? powers(values.getFirst(), values.getLast())
            : steps(Math.min(0, values.getFirst()), Math.max(0, values.getLast()));
    }

    private static List<Double> powers(double least, double most) {
        int first = (int) Math.floor(Math.log10(least));
        int last = Math.max(first + 1, (int) Math.ceil(Math.log10(most)));
        return IntStream.rangeClosed(first, last).mapToObj(power -> Math.pow(10, power)).toList();
    }

    /** Multiples of 1, 2 or 5 times a power of ten, few of them. */
    private static List<Double> steps(double least, double most) {
        double range = most > least ? most - least : 1;
        double power = Math.pow(10, Math.floor(Math.log10(range / MOST_STEPS)));
        double step = DoubleStream.of(1, 2, 5, 10).map(factor -> factor * power)
            .filter(size -> range / size <= MOST_STEPS).findFirst().orElseThrow();
        long first = (long) Math.floor(least / step);
        long last = Math.max(first + 1, (long) Math.ceil(most / step));
        return LongStream.rangeClosed(first, last).mapToObj(number -> number * step).toList();
    }

    /** The whole document. */
    public String svg(String title, String xTitle, String yTitle) {
        add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
            + "font-size=\"13\">", WIDTH, HEIGHT);
        add("<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>", WIDTH, HEIGHT);
        text((LEFT + RIGHT) / 2.0, TOP - 15, "middle", title);
        text((LEFT + RIGHT) / 2.0, BOTTOM + 42, "middle", xTitle);
        add("<text transform=\"translate(18 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>", (TOP + BOTTOM) / 2,
            escaped(yTitle));
        axes();
        int number = 0;
        for (Map.Entry<String, SortedMap<Double, Double>> each : series.entrySet()) {
            String colour = COLOURS.get(number % COLOURS.size());
            if (bars) {
                bars(each.getValue(), number, colour);
            } else {
                line(each.getValue(), colour);
            }
            legend(each.getKey(), number, colour);
            number++;
        }
        return svg.append("</svg>\n").toString();
    }

    private void legend(String name, int number, String colour) {
        int x = LEFT + number % LEGEND_COLUMNS * (RIGHT - LEFT) / LEGEND_COLUMNS;
        int y = LEGEND + number / LEGEND_COLUMNS * LEGEND_ROW;
        add("<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/>", x, y - 11, colour);
        text(x + 17, y, "start", name);
    }

    private void axes() {
        for (double tick : ticks) {
            add("<path d=\"M%d %.1fH%d\" stroke=\"#ccc\"/>", LEFT, y(tick), RIGHT);
            text(LEFT - 8, y(tick) + 4, "end",
                String.format(Locale.ROOT, tick == Math.rint(tick) ? "%,.0f" : "%.2f", tick));
        }
        for (double x : xs) {
            text(x(x), BOTTOM + 20, "middle", xLabel.apply(x));
        }
    }

    private void line(SortedMap<Double, Double> points, String colour) {
        StringBuilder path = new StringBuilder();
        StringBuilder marks = new StringBuilder();
        points.forEach((x, y) -> {
            path.append(String.format(Locale.ROOT, "%s%.1f %.1f", path.isEmpty() ? "M" : "L", x(x), y(y)));
            marks.append(String.format(Locale.ROOT, "M%.1f %.1fh0", x(x), y(y)));
        });
        add("<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>", path, colour);
        add("<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"7\" stroke-linecap=\"round\"/>", marks, colour);
    }

    private void bars(SortedMap<Double, Double> points, int number, String colour) {
        double width = 0.8 * (RIGHT - LEFT) / xs.size() / series.size();
        double from = logarithmic ? BOTTOM : y(0);
        points.forEach((x, y) -> add("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>",
            x(x) + (number - series.size() / 2.0) * width, Math.min(y(y), from), width * 0.9, Math.abs(from - y(y)),
            colour));
    }

    private double x(double x) {
        double share = bars ? (xs.indexOf(x) + 0.5) / xs.size()
            : 0.03 + 0.94 * Math.log(x / xs.getFirst()) / Math.log(xs.getLast() / xs.getFirst());
        return LEFT + share * (RIGHT - LEFT);
    }

    private double y(double y) {
        double low = scaled(ticks.getFirst());
        return BOTTOM - (scaled(y) - low) / (scaled(ticks.getLast()) - low) * (BOTTOM - TOP);
    }

    private double scaled(double y) {
        return logarithmic ? Math.log(y) : y;
    }

    private void text(double x, double y, String anchor, String words) {
        add("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>", x, y, anchor, escaped(words));
    }

    private static String escaped(String words) {
        return words.replace("&", "&amp;").replace("<", "&lt;");
    }

    private void add(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}

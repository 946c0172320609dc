package org.tributary.benchmarks.windows;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.internal.chartpart.Chart;
import org.tributary.benchmarks.measure.Sizes;
import org.tributary.benchmarks.measure.SvgFile;

/** An SVG file for each variant of each part, with a line, or bars, for each design. Needs no display. */
final class Plots {
    private static final int FEW_POINTS = 3;

    private final Path directory;

    Plots(Path directory) {
        this.directory = directory;
    }

    void write(List<Result> results) throws IOException {
        Map<String, List<Result>> plots = results.stream().filter(result -> Double.isFinite(result.y()))
            .collect(Collectors.groupingBy(Plots::name, LinkedHashMap::new, Collectors.toList()));
        for (Map.Entry<String, List<Result>> plot : plots.entrySet()) {
            SvgFile.draw(chart(plot.getKey(), plot.getValue()), directory.resolve(plot.getKey() + ".svg"));
        }
    }

    /** For example {@code halo-4-neighbours}. */
    private static String name(Result result) {
        return result.part() + "-" + result.variant().replace(' ', '-');
    }

    private static Chart<?, ?> chart(String name, List<Result> results) {
        Map<String, List<Result>> series = results.stream()
            .collect(Collectors.groupingBy(Result::design, LinkedHashMap::new, Collectors.toList()));
        Part part = results.getFirst().part();
        return results.stream().mapToDouble(Result::x).distinct().count() <= FEW_POINTS ? bars(name, part, series)
            : lines(name, part, series);
    }

    private static CategoryChart bars(String name, Part part, Map<String, List<Result>> series) {
        CategoryChart chart = new CategoryChartBuilder().width(SvgFile.WIDTH).height(SvgFile.HEIGHT).title(name)
            .xAxisTitle(xTitle(part)).yAxisTitle(yTitle(part)).build();
        SvgFile.style(chart);
        series.forEach((design, results) -> chart.addSeries(design,
            results.stream().map(result -> xLabel(part, result.x())).toList(),
            results.stream().map(Result::y).toList()));
        return chart;
    }

    private static XYChart lines(String name, Part part, Map<String, List<Result>> series) {
        XYChart chart = new XYChartBuilder().width(SvgFile.WIDTH).height(SvgFile.HEIGHT).title(name)
            .xAxisTitle(xTitle(part)).yAxisTitle(yTitle(part)).build();
        SvgFile.style(chart);
        chart.getStyler().setXAxisTickLabelsFormattingFunction(power -> xLabel(part, Math.pow(2, power)));
        chart.getStyler().setYAxisMin(0.0);
        if (part.quantity() == Part.Quantity.PERCENT) {
            chart.getStyler().setYAxisMax(100.0);
        }
        series.forEach((design, results) -> chart.addSeries(design,
            results.stream().map(result -> Math.log(result.x()) / Math.log(2)).toList(),
            results.stream().map(Result::y).toList()));
        return chart;
    }

    private static String xTitle(Part part) {
        return part.axis() == Part.Axis.BYTES ? "bytes of a message" : "members";
    }

    private static String xLabel(Part part, double x) {
        long whole = Math.round(x);
        return part.axis() == Part.Axis.BYTES ? Sizes.format(whole) : Long.toString(whole);
    }

    private static String yTitle(Part part) {
        return switch (part.quantity()) {
            case TIME -> "median, microseconds";
            case RATIO -> "ratio of medians to the baseline";
            case PERCENT -> "overlap, percent";
            case MESSAGES -> "messages";
        };
    }
}

package org.tributary.benchmarks.windows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.tributary.benchmarks.measure.Chart;
import org.tributary.benchmarks.measure.Sizes;

/** An SVG file for each variant of each part, with a line, or bars, for each design. */
final class Plots {
    private final Path directory;

    Plots(Path directory) {
        this.directory = directory;
    }

    void write(List<Result> results) throws IOException {
        Map<String, List<Result>> plots = results.stream().filter(result -> Double.isFinite(result.y()))
            .collect(Collectors.groupingBy(Plots::name, LinkedHashMap::new, Collectors.toList()));
        for (Map.Entry<String, List<Result>> plot : plots.entrySet()) {
            Files.writeString(directory.resolve(plot.getKey() + ".svg"), svg(plot.getKey(), plot.getValue()));
        }
    }

    /** For example {@code halo-4-neighbours}. */
    private static String name(Result result) {
        return result.part() + "-" + result.variant().replace(' ', '-');
    }

    private static String svg(String name, List<Result> results) {
        Map<String, SortedMap<Double, Double>> series = new LinkedHashMap<>();
        results.forEach(result -> series.computeIfAbsent(result.design(), design -> new TreeMap<>())
            .put(result.x(), result.y()));
        Part part = results.getFirst().part();
        boolean bytes = part.axis() == Part.Axis.BYTES;
        return new Chart(series, x -> bytes ? Sizes.format(Math.round(x)) : Long.toString(Math.round(x)), false)
            .svg(name, bytes ? "bytes of a message" : "members", yTitle(part));
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

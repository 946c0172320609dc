package org.tributary.benchmarks.results;

import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.tributary.benchmarks.measure.Chart;
import org.tributary.benchmarks.measure.Sizes;

/** Draws plots of tables. */
final class Drawing {
    private Drawing() {
    }

    /** The SVG; empty words when there is nothing to draw. */
    static String svg(Plot plot, Table table) {
        int x = table.index(plot.x());
        Map<String, SortedMap<Double, Double>> series = new LinkedHashMap<>();
        for (String name : plot.y()) {
            int y = table.index(name);
            for (List<Object> row : table.rows()) {
                String line = plot.series() == null ? name : String.valueOf(row.get(table.index(plot.series())));
                if (row.get(x) instanceof BigDecimal at && row.get(y) instanceof BigDecimal value) {
                    series.computeIfAbsent(line.replace("`", ""), key -> new TreeMap<>())
                        .put(at.doubleValue(), value.doubleValue());
                }
            }
        }
        if (series.isEmpty()) {
            return "";
        }
        Column across = table.columns().get(x);
        Column up = table.columns().get(table.index(plot.y().getFirst()));
        boolean areBytes = "bytes".equals(across.unit());
        return new Chart(series,
            at -> areBytes ? Sizes.format(Math.round(at)) : String.format(Locale.ROOT, "%,.0f", at),
            Boolean.TRUE.equals(plot.logarithmic())).svg(plot.heading(), across.heading(),
            (plot.y().size() == 1 ? up.heading() : up.unit()).replace("`", ""));
    }
}

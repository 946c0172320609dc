package org.tributary.benchmarks.windows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tributary.benchmarks.measure.Reach;
import org.tributary.benchmarks.results.Column;
import org.tributary.benchmarks.results.Plot;
import org.tributary.benchmarks.results.Table;

/**
 * A line of the results.
 *
 * @param variant which of the part's measurements
 * @param design  how it was synchronized, or what it is compared with
 * @param members ranks that took part
 * @param bytes   of a message, 0 where there is none
 * @param ratio   NaN when there is nothing to compare with
 * @param ratioTo what of, null when there is nothing
 * @param reach   what the ratio shall be, null when that is not said
 * @param more    further figures, by name
 */
record Result(Part part, String variant, String design, int members, long bytes, Outcome outcome, double ratio,
              String ratioTo, Reach reach, Map<String, Double> more) {
    private static final String RATIO = "ratio";

    /** Without a comparison. */
    static Result of(Part part, String variant, String design, int members, long bytes, Outcome outcome) {
        return new Result(part, variant, design, members, bytes, outcome, Double.NaN, null, null, Map.of());
    }

    /** The same with a comparison. */
    Result comparedWith(String what, double quotient, Reach wanted) {
        return new Result(part, variant, design, members, bytes, outcome, quotient, what, wanted, more);
    }

    /** The same of another variant. */
    Result ofVariant(String name) {
        return new Result(part, name, design, members, bytes, outcome, ratio, ratioTo, reach, more);
    }

    /** The same with a further figure. */
    Result with(String name, double value) {
        Map<String, Double> extended = new LinkedHashMap<>(more);
        extended.put(name, value);
        return new Result(part, variant, design, members, bytes, outcome, ratio, ratioTo, reach, extended);
    }

    /** Whether the ratio is as it shall be; null when that is not said. */
    Boolean isMet() {
        return reach == null ? null : Boolean.valueOf(reach.isMet(ratio));
    }

    /** Its table: all results of the same variant of the same part go there. */
    String table() {
        return part + ", " + variant;
    }

    /** The table of such results, and its plot. */
    static Table table(List<Result> results, String plotPrefix) {
        Result first = results.getFirst();
        List<String> names = results.stream().flatMap(result -> result.more.keySet().stream()).distinct().toList();
        List<Column> columns = new ArrayList<>(List.of(Column.words("design"), Column.of("members", "ranks"),
            Column.of("size", "bytes"), Column.of("timed", "iterations"), Column.of("median", "us"),
            Column.of("mean", "us"), Column.of("p99", "us"), Column.of("messages", "messages"),
            Column.of("requests", "messages"), Column.of("answers", "messages"), Column.ratio(RATIO, null),
            Column.words("ratio to"), Column.words("aim"), Column.words("met")));
        names.forEach(name -> columns.add(Column.of(name.replaceFirst("Us$", ""), name.endsWith("Us") ? "us" : "x")));
        Table table = Table.of(first.table(), columns.toArray(Column[]::new));
        results.forEach(result -> table.row(result.cells(names)));
        if (!first.part.y().equals(RATIO) || results.stream().anyMatch(result -> result.ratioTo != null)) {
            table.plots().add(Plot.of(plotPrefix + first.table().replace(", ", "-").replace(' ', '-'), first.part.x(),
                first.part.y(), "design", false));
        }
        return table;
    }

    private Object[] cells(List<String> names) {
        List<Object> cells = new ArrayList<>(Arrays.asList(design, members, bytes, outcome.iterations(),
            outcome.medianUs(), outcome.meanUs(), outcome.p99Us(), outcome.messages(), outcome.requests(),
            outcome.answers(), ratio, ratioTo, reach, isMet()));
        names.forEach(name -> cells.add(more.get(name)));
        return cells.toArray();
    }
}

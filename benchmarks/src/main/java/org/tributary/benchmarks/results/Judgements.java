package org.tributary.benchmarks.results;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The rows of a table that have an aim, as lines for the console. */
final class Judgements {
    private static final String AIM = "aim";
    private static final String MET = "met";

    private Judgements() {
    }

    static List<String> of(Table table) {
        int aim = table.index(AIM);
        int met = table.index(MET);
        List<String> lines = new ArrayList<>();
        for (List<Object> row : aim < 0 || met < 0 ? List.<List<Object>>of() : table.rows()) {
            if (row.get(aim) != null) {
                String cells = IntStream.range(0, row.size()).filter(i -> i != aim && i != met && row.get(i) != null)
                    .mapToObj(i -> cell(table.columns().get(i), row.get(i))).collect(Collectors.joining(", "));
                lines.add("  " + verdict(row.get(met)) + row.get(aim) + ": "
                    + (table.title() == null ? "" : table.title() + ": ") + cells);
            }
        }
        return lines;
    }

    private static String verdict(Object met) {
        return met == null ? "unclear  " : (Boolean) met ? "met      " : "NOT met  ";
    }

    private static String cell(Column column, Object value) {
        String number = value instanceof Number && column.unit() != null ? " " + column.unit() : "";
        return column.name() + " " + value + number;
    }
}

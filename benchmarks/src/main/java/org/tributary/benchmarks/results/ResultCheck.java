package org.tributary.benchmarks.results;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** Finds what is wrong with results that are well-formed. For one use. */
final class ResultCheck {
    private static final List<String> SIDES = List.of("more", "less");

    private final List<String> problems = new ArrayList<>();

    ResultCheck(Results results, String fileName) {
        require("name", results.name());
        require("title", results.title());
        require("shows", results.shows());
        require("machine", results.machine());
        require("command", results.command());
        if (results.name() != null && !results.name().equals(fileName)) {
            problems.add("name is '" + results.name() + "', and the file's '" + fileName + "'");
        }
        if (!Results.KINDS.contains(results.kind())) {
            problems.add("kind is " + results.kind() + ", not one of " + Results.KINDS);
        }
        List<Table> tables = results.tables() == null ? List.of() : results.tables();
        if (tables.isEmpty()) {
            problems.add("no tables");
        }
        for (int i = 0; i < tables.size(); i++) {
            check(tables.get(i), "tables[" + i + "]");
        }
        if (results.commit() == null && problems.isEmpty() && tables.stream().anyMatch(t -> t.index("commit") < 0)) {
            problems.add("no commit, and a table without a column 'commit'");
        }
    }

    List<String> problems() {
        return problems;
    }

    private void require(String name, String value) {
        if (value == null || value.isBlank()) {
            problems.add("no " + name);
        }
    }

    private void check(Table table, String at) {
        if (table.columns() == null || table.columns().isEmpty() || table.rows() == null || table.rows().isEmpty()) {
            problems.add(at + " has no columns or no rows");
            return;
        }
        Set<String> names = new HashSet<>();
        for (Column column : table.columns()) {
            if (column.name() == null || !names.add(column.name())) {
                problems.add(at + " has columns without a name of their own: " + column.name());
            }
            if (column.better() != null && (!SIDES.contains(column.better()) || !"x".equals(column.unit()))) {
                problems.add(at + ", column '" + column.name() + "': better is one of " + SIDES
                    + ", of a column in x, not '" + column.better() + "' in " + column.unit());
            }
        }
        for (int i = 0; i < table.rows().size(); i++) {
            check(table.rows().get(i), table.columns(), at + ".rows[" + i + "]");
        }
        table.allPlots().forEach(plot -> check(plot, table, at));
    }

    private void check(List<Object> row, List<Column> columns, String at) {
        if (row == null || row.size() != columns.size()) {
            problems.add(at + " has " + (row == null ? 0 : row.size()) + " cells for " + columns.size() + " columns");
            return;
        }
        for (int i = 0; i < row.size(); i++) {
            Column column = columns.get(i);
            Stream<?> values = row.get(i) instanceof List<?> several ? several.stream() : Stream.ofNullable(row.get(i));
            values.filter(value -> column.unit() == null ? !isPlain(value) : !(value instanceof BigDecimal))
                .forEach(value -> problems.add(at + ", column '" + column.name() + "': "
                    + (column.unit() == null ? value + " is no number, words, true or false"
                    : "'" + value + "' is no number of the column's unit, " + column.unit())));
        }
    }

    private static boolean isPlain(Object value) {
        return value instanceof BigDecimal || value instanceof String || value instanceof Boolean;
    }

    private void check(Plot plot, Table table, String at) {
        String where = at + ", plot '" + plot.name() + "': ";
        List<String> y = plot.y() == null ? List.of() : plot.y();
        if (plot.name() == null || plot.x() == null || y.isEmpty() || plot.series() != null && y.size() > 1) {
            problems.add(where + "needs a name, x, and y, of one column when there is a column of series");
            return;
        }
        List<String> missing = Stream.concat(y.stream(), Stream.of(plot.x(), plot.series())).filter(Objects::nonNull)
            .filter(name -> table.index(name) < 0).toList();
        if (!missing.isEmpty()) {
            problems.add(where + "the table has no columns " + missing);
            return;
        }
        List<String> units = y.stream().map(name -> table.columns().get(table.index(name)).unit()).distinct().toList();
        if (units.size() > 1) {
            problems.add(where + "mixed units " + units + " on one axis");
        } else if (units.contains(null) || table.columns().get(table.index(plot.x())).unit() == null) {
            problems.add(where + "x and y need columns with a unit");
        }
    }
}

package org.tributary.benchmarks.results;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Rows of figures. A cell is a number, several of one unit, words, true, false, or null for what was not measured.
 *
 * @param title null for the only one of a file
 * @param notes paragraphs below it, in Markdown; may be null, as {@code plots}
 */
public record Table(String title, List<Column> columns, List<List<Object>> rows, List<Plot> plots,
                    List<String> notes) {
    private static final int DIGITS = 4;

    /** Without rows. */
    public static Table of(String title, Column... columns) {
        return new Table(title, List.of(columns), new ArrayList<>(), new ArrayList<>(), null);
    }

    /** Adds a row. Numbers are rounded to four digits, those before the point always kept. */
    public Table row(Object... cells) {
        List<Object> row = new ArrayList<>();
        for (Object cell : cells) {
            row.add(switch (cell) {
                case Number number -> rounded(number.doubleValue());
                case Boolean holds -> holds;
                case null -> null;
                default -> cell.toString();
            });
        }
        rows.add(Collections.unmodifiableList(row));
        return this;
    }

    private static BigDecimal rounded(double value) {
        if (!Double.isFinite(value)) {
            return null;
        }
        BigDecimal exact = new BigDecimal(value);
        BigDecimal whole = exact.setScale(0, RoundingMode.HALF_UP);
        BigDecimal rounded = whole.precision() >= DIGITS ? whole : exact.round(new MathContext(DIGITS));
        BigDecimal shortest = rounded.signum() == 0 ? BigDecimal.ZERO : rounded.stripTrailingZeros();
        return shortest.scale() < 0 ? shortest.setScale(0) : shortest;
    }

    int index(String column) {
        return columns.stream().map(Column::name).toList().indexOf(column);
    }

    /** Of all rows; may have null. */
    List<Object> cells(Column column) {
        int index = index(column.name());
        return rows.stream().map(row -> row.get(index)).toList();
    }

    List<Plot> allPlots() {
        return plots == null ? List.of() : plots;
    }
}

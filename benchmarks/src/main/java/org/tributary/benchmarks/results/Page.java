package org.tributary.benchmarks.results;

import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;

/** The page of one file of results, in Markdown. For one use. */
final class Page {
    private static final BigDecimal THOUSAND = BigDecimal.valueOf(1000);
    /** Rows of a table that the reader has to open. */
    private static final int LONG = 50;
    private static final List<String> TIMES = List.of("ns", "us", "ms", "s");

    /** Side of comparisons won in part: words in a column of yes and no. {@link #sign} has the other sides. */
    private static final int PART = 0;
    private static final List<Integer> SIDES = List.of(1, PART, -1);

    private final Results results;
    private final StringBuilder text = new StringBuilder();

    Page(Results results) {
        this.results = results;
    }

    String markdown() {
        add("<!-- Made by 'tributary bench report' from " + results.name() + ".json: change that, not this. -->");
        add("");
        add("# " + results.title());
        paragraph(results.shows());
        paragraph("- " + (results.commit() == null ? "Commits: in the tables" : "Commit: " + results.commit())
            + (results.date() == null ? "" : ", " + results.date()));
        add("- Command: `" + results.command() + "`");
        add("- Machine: " + results.machine());
        add("- Figures: [" + results.name() + ".json](" + results.name() + ".json)" + (results.isTranscribed()
            ? ", copied from what a terminal showed at that commit" : ""));
        if (results.method() != null) {
            paragraph(results.method());
        }
        results.tables().forEach(this::add);
        notes(results.notes());
        return text.toString();
    }

    private void add(Table table) {
        if (table.title() != null) {
            paragraph("## " + table.title());
        }
        boolean isLong = table.rows().size() > LONG;
        if (isLong) {
            paragraph("<details><summary>" + table.rows().size() + " rows</summary>");
        }
        List<Column> columns = table.columns().stream()
            .filter(column -> table.cells(column).stream().anyMatch(Objects::nonNull)).toList();
        paragraph(row(columns.stream().map(Column::heading).toList()));
        add(row(columns.stream().map(column -> column.unit() == null ? "---" : "---:").toList()));
        for (List<Object> row : table.rows()) {
            add(row(columns.stream().map(column -> cell(row.get(table.index(column.name())), column)).toList()));
        }
        if (isLong) {
            paragraph("</details>");
        }
        String balance = table.columns().stream().map(column -> balance(table, column))
            .filter(words -> !words.isEmpty()).collect(Collectors.joining("; "));
        if (!balance.isEmpty()) {
            paragraph("Won, in part, **lost**: " + balance + ".");
        }
        notes(table.notes());
        table.allPlots().forEach(plot -> paragraph("![" + plot.heading() + "](../plots/" + plot.name() + ".svg)"));
    }

    private static String balance(Table table, Column column) {
        List<Long> counts = SIDES.stream().map(side -> count(table, column, side)).toList();
        return counts.stream().allMatch(count -> count == 0) ? ""
            : String.format("'%s' %d, %d, **%d**", column.name(), counts.get(0), counts.get(1), counts.get(2));
    }

    /** Comparisons of all tables that are won, won in part, and lost. */
    static List<String> counts(Results results) {
        return SIDES.stream().map(side -> "" + results.tables().stream().mapToLong(table -> table.columns().stream()
            .mapToLong(column -> count(table, column, side)).sum()).sum()).toList();
    }

    private static long count(Table table, Column column, int side) {
        List<Object> cells = table.cells(column);
        if (side == PART) {
            boolean isYesOrNo = cells.contains(true) || cells.contains(false);
            return isYesOrNo ? cells.stream().filter(String.class::isInstance).count() : 0;
        }
        return cells.stream().filter(cell -> sign(cell, column) == side).count();
    }

    /** 1 for what is won, -1 for what is lost, else 0. */
    private static int sign(Object cell, Column column) {
        return switch (cell) {
            case Boolean holds -> holds ? 1 : -1;
            case BigDecimal value when "more".equals(column.better()) -> value.compareTo(BigDecimal.ONE);
            case BigDecimal value when "less".equals(column.better()) -> BigDecimal.ONE.compareTo(value);
            case null, default -> 0;
        };
    }

    private static String cell(Object cell, Column column) {
        return switch (cell) {
            case null -> "-";
            case List<?> several -> several.stream().map(each -> cell(each, column)).collect(Collectors.joining(", "));
            case BigDecimal value when column.unit() == null -> value.toPlainString();
            case BigDecimal value when column.unit().equals(Column.NS) -> scaled(value);
            case BigDecimal value when sign(value, column) < 0 -> "**" + number(value) + "**";
            case BigDecimal value -> number(value);
            case Boolean holds -> holds ? "yes" : "**no**";
            default -> cell.toString().replace("|", "\\|").replace("<", "&lt;");
        };
    }

    private static String scaled(BigDecimal ns) {
        BigDecimal value = ns;
        int power = 0;
        while (power + 1 < TIMES.size() && value.abs().compareTo(THOUSAND) >= 0) {
            value = value.scaleByPowerOfTen(-3);
            power++;
        }
        return number(value) + " " + TIMES.get(power);
    }

    private static String number(BigDecimal value) {
        return String.format(Locale.ROOT, "%,." + Math.max(0, value.scale()) + "f", value);
    }

    static String row(List<String> cells) {
        return "| " + String.join(" | ", cells) + " |";
    }

    private void notes(List<String> notes) {
        if (notes != null) {
            notes.forEach(this::paragraph);
        }
    }

    private void paragraph(String words) {
        add("");
        add(words);
    }

    private void add(String line) {
        text.append(line).append('\n');
    }
}

package org.tributary.benchmarks.cooperation;

import java.util.List;
import org.tributary.benchmarks.results.Column;
import org.tributary.benchmarks.results.Plot;
import org.tributary.benchmarks.results.Table;

/**
 * A line of the results.
 *
 * @param part which figure
 * @param variant who cooperates how
 * @param x the processes, or the percentage of them that contend
 * @param value what was found, in the unit of the part
 * @param ratio to the variant without cooperation; NaN for none
 * @param spread of the slowest rank to the median one; NaN for none
 * @param aim what shall hold; null for nothing
 * @param isMet whether it does
 */
record Result(String part, String variant, double x, double value, double ratio, double spread, String aim,
    boolean isMet) {
    static Result of(String part, Variant variant, double x, double value) {
        return new Result(part, variant.toString(), x, value, Double.NaN, Double.NaN, null, false);
    }

    Result with(double newRatio, double newSpread) {
        return new Result(part, variant, x, value, newRatio, newSpread, aim, isMet);
    }

    Result withValue(double newValue) {
        return new Result(part, variant, x, newValue, ratio, spread, aim, isMet);
    }

    Result judged(String newAim, boolean met) {
        return new Result(part, variant, x, value, ratio, spread, newAim, met);
    }

    /** An empty table for results of the same part, and its plot. */
    Table newTable(String plotPrefix) {
        if (part.startsWith("loops-")) {
            return newTableOfLoops(plotPrefix);
        }
        boolean isReal = part.startsWith("real-");
        boolean isApplication = part.endsWith("fock-build");
        boolean isLatency = isReal && !part.startsWith("real-contended-") && !isApplication;
        boolean isContention = !isLatency && !isApplication && !List.of("rings", "memory", "scale").contains(part);
        boolean isMemory = part.equals("rings") || part.equals("memory");
        Column across = isLatency ? Column.of("size", "bytes") : isContention ? Column.of("contend", "% of ranks")
            : Column.of("job", "processes");
        Column up = isMemory ? Column.of("memory", "MB") : isApplication ? Column.of("time", "s")
            : isLatency ? Column.of("median", "us") : Column.of("rate", "operations/s");
        Table table = Table.of(part, Column.words("variant"), across, up,
            Column.ratio("of none", isMemory || isApplication ? "less" : "more"),
            Column.ratio("slowest/median", null), Column.words("aim"), Column.words("met"));
        table.plots().add(Plot.of(plotPrefix + part, across.name(), up.name(), "variant", true));
        return table;
    }

    private Table newTableOfLoops(String plotPrefix) {
        if (part.equals(LoopFigures.FULL)) {
            return Table.of(part, Column.words("operation"), Column.of("event loops", null),
                Column.of("full", "ranks"));
        }
        Table table = Table.of(part, Column.words("server"), Column.of("senders", "ranks"),
            Column.of("rate", "operations/s"), Column.ratio("of one loop", null));
        table.plots().add(Plot.of(plotPrefix + part, "senders", "rate", "server", true));
        return table;
    }

    /** Adds its row. */
    void addTo(Table table) {
        if (part.equals(LoopFigures.FULL)) {
            table.row(variant, x, value);
            return;
        }
        if (part.startsWith("loops-")) {
            table.row(variant, x, value, ratio);
            return;
        }
        table.row(variant, x, value, ratio, spread, aim, aim == null ? null : Boolean.valueOf(isMet));
    }
}

package org.tributary.launcher.dashboard;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tributary.launcher.step.Digest;
import org.tributary.launcher.step.Grid;
import org.tributary.launcher.step.Grid.Axis;
import org.tributary.launcher.step.NodeRates.Rate;
import org.tributary.launcher.step.RankOrder;
import org.tributary.launcher.step.View;
import org.tributary.launcher.step.View.Range;

/** Traffic from rank to rank or node to node, for the page. */
final class Matrix {
    private final RankOrder order;
    private final Grid grid;
    private final Map<Integer, Rate> cells;

    Matrix(Digest digest, RankOrder order, View view) {
        this.order = order;
        grid = new Grid(order, view);
        cells = digest.cells(view, grid);
    }

    /** Cells are row, column, requests and bytes a second. */
    Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("level", grid.ofRanks() ? "ranks" : "nodes");
        fields.put("rows", fields(grid.rows()));
        fields.put("columns", fields(grid.columns()));
        int columns = grid.columns().bins();
        List<List<Number>> shown = new ArrayList<>();
        for (Map.Entry<Integer, Rate> entry : cells.entrySet()) {
            int cell = entry.getKey();
            Rate rate = entry.getValue();
            if (rate.requests() > 0 && cell < columns * grid.rows().bins()) {
                shown.add(List.of(cell / columns, cell % columns, Math.round(rate.requests()),
                    Math.round(rate.bytes())));
            }
        }
        fields.put("cells", shown);
        return fields;
    }

    private List<List<Object>> fields(Axis axis) {
        List<List<Object>> all = new ArrayList<>();
        for (int bin = 0; bin < axis.bins(); bin++) {
            Range places = axis.range(bin);
            int from = places.from();
            int to = places.to();
            all.add(List.of(label(from, to), from, to, grid.ofRanks() ? from : order.firstPlace(from),
                grid.ofRanks() ? to : order.firstPlace(to)));
        }
        return all;
    }

    private String label(int from, int to) {
        int first = grid.ofRanks() ? order.rank(from) : order.node(from);
        int last = grid.ofRanks() ? order.rank(to - 1) : order.node(to - 1);
        return first == last ? Integer.toString(first) : first + "–" + last;
    }
}

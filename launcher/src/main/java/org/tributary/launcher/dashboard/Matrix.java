package org.tributary.launcher.dashboard;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tributary.launcher.dashboard.NodeRates.PairRate;
import org.tributary.launcher.dashboard.View.Range;

/**
 * Who talks to whom, in at most {@link #MOST_BINS} rows and columns, whatever the size of the job: neighbouring nodes,
 * or ranks, share a row or column when there are more.
 */
final class Matrix {
    static final int MOST_BINS = 48;

    private final RankOrder order;
    private final boolean ofRanks;
    private final Axis rows;
    private final Axis columns;
    private final double[] requests;
    private final double[] bytes;

    Matrix(Step step, View view) {
        order = new RankOrder(step.nodes());
        ofRanks = view.ranks() || order.nodeCount() == 1;
        int places = ofRanks ? order.rankCount() : order.nodeCount();
        rows = new Axis(view.rows().within(places));
        columns = new Axis(view.columns().within(places));
        requests = new double[rows.bins * columns.bins];
        bytes = new double[requests.length];
        step.pairs().forEach(this::add);
    }

    private void add(PairRate pair) {
        int row = rows.bin(place(pair.requester()));
        int column = columns.bin(place(pair.target()));
        if (row >= 0 && column >= 0) {
            requests[row * columns.bins + column] += pair.rate().requests();
            bytes[row * columns.bins + column] += pair.rate().bytes();
        }
    }

    private int place(int rank) {
        int place = order.placeOf(rank);
        return place < 0 || ofRanks ? place : order.indexOf(place);
    }

    /** For the page; cells are row, column, requests and bytes a second. */
    Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("level", ofRanks ? "ranks" : "nodes");
        fields.put("rows", rows.fields());
        fields.put("columns", columns.fields());
        List<List<Number>> cells = new ArrayList<>();
        for (int i = 0; i < requests.length; i++) {
            if (requests[i] > 0) {
                cells.add(List.of(i / columns.bins, i % columns.bins, Math.round(requests[i]), Math.round(bytes[i])));
            }
        }
        fields.put("cells", cells);
        return fields;
    }

    /** A range of places, cut into bins. */
    private final class Axis {
        private final Range range;
        private final int step;
        private final int bins;

        Axis(Range range) {
            this.range = range;
            this.step = Math.max(1, (range.size() + MOST_BINS - 1) / MOST_BINS);
            this.bins = (range.size() + step - 1) / step;
        }

        int bin(int place) {
            return place < range.from() || place >= range.to() ? -1 : (place - range.from()) / step;
        }

        private List<List<Object>> fields() {
            List<List<Object>> all = new ArrayList<>();
            for (int from = range.from(); from < range.to(); from += step) {
                int to = Math.min(range.to(), from + step);
                all.add(List.of(label(from, to), from, to, ofRanks ? from : order.firstPlace(from),
                    ofRanks ? to : order.firstPlace(to)));
            }
            return all;
        }

        private String label(int from, int to) {
            int first = ofRanks ? order.rank(from) : order.node(from);
            int last = ofRanks ? order.rank(to - 1) : order.node(to - 1);
            return first == last ? Integer.toString(first) : first + "–" + last;
        }
    }
}

package org.tributary.launcher.step;

import java.util.Map;
import java.util.TreeMap;
import org.tributary.launcher.step.NodeRates.PairRate;
import org.tributary.launcher.step.NodeRates.Rate;
import org.tributary.launcher.step.View.Range;

/**
 * The cells of a view of who talks to whom: at most {@link #MOST_BINS} rows and columns, whatever the size of the job.
 * Neighbouring nodes, or ranks, share a row or column when there are more.
 */
public final class Grid {
    public static final int MOST_BINS = 48;

    private final RankOrder order;
    private final boolean ofRanks;
    private final Axis rows;
    private final Axis columns;

    public Grid(RankOrder order, View view) {
        this.order = order;
        ofRanks = view.ranks() || order.nodeCount() == 1;
        int places = ofRanks ? order.rankCount() : order.nodeCount();
        rows = new Axis(view.rows().within(places));
        columns = new Axis(view.columns().within(places));
    }

    /** Adds each pair to its cell, by number: row after row. */
    void add(Iterable<PairRate> pairs, Map<Integer, Rate> cells) {
        for (PairRate pair : pairs) {
            int row = rows.bin(place(pair.requester()));
            int column = columns.bin(place(pair.target()));
            if (row >= 0 && column >= 0) {
                cells.merge(row * columns.bins + column, pair.rate(), Rate::plus);
            }
        }
    }

    Map<Integer, Rate> cells(Iterable<PairRate> pairs) {
        Map<Integer, Rate> cells = new TreeMap<>();
        add(pairs, cells);
        return cells;
    }

    private int place(int rank) {
        int place = order.placeOf(rank);
        return place < 0 || ofRanks ? place : order.indexOf(place);
    }

    public boolean ofRanks() {
        return ofRanks;
    }

    public Axis rows() {
        return rows;
    }

    public Axis columns() {
        return columns;
    }

    /** A range of places, cut into bins. */
    public static final class Axis {
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

        public int bins() {
            return bins;
        }

        /** The places of a bin. */
        public Range range(int bin) {
            int from = range.from() + bin * step;
            return new Range(from, Math.min(range.to(), from + step));
        }
    }
}

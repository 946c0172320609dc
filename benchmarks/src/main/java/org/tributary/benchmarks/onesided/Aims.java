package org.tributary.benchmarks.onesided;

import java.util.List;
import org.tributary.benchmarks.measure.Reach;
import org.tributary.benchmarks.results.Column;
import org.tributary.benchmarks.results.Table;

/** The results for which there is an aim. */
final class Aims {
    private static final long WORD = Long.BYTES;
    private static final long LARGE = 4 << 20;
    private static final double MILLION = 1e6;
    /** A target that computes serves nobody itself, so it may slow others down, but not stop them. */
    private static final Reach BESIDE_COMPUTATION = Reach.atMost(3);
    private static final double LONGEST_BESIDE_COMPUTATION_US = 20_000;

    private Aims() {
    }

    static Table table(List<Result> results) {
        Table table = Table.of("Against the aims", Column.words("operation"), Column.words("path"),
            Column.of("size", "bytes"), Column.words("aim"), Column.words("measured"), Column.words("unit"),
            Column.words("met"));
        for (Result result : results) {
            Case of = result.of();
            Reach aim = aim(of);
            if (aim == null) {
                continue;
            }
            if (of.state() == TargetState.COMPUTING) {
                besideComputation(table, result, results);
            } else if (of.op() == Op.PUT_RATE || of.op() == Op.AGGREGATE_PUT_RATE) {
                row(table, of, "", aim, result.opsPerSecond() / MILLION, "million/s");
            } else {
                row(table, of, "", aim, result.ratio(), "x " + result.limit());
            }
        }
        return table;
    }

    private static void row(Table table, Case of, String state, Reach aim, double value, String unit) {
        table.row(of.op() + state, of.route(), of.bytes(), aim, value, unit, aim.isMet(value));
    }

    private static void besideComputation(Table table, Result result, List<Result> results) {
        Case of = result.of();
        if (of.bytes() <= WORD && !of.op().isWindow()) {
            results.stream().filter(other -> other.of().state() == TargetState.BLOCKED && other.of().op() == of.op()
                && other.of().route() == of.route() && other.of().bytes() == of.bytes()).findFirst()
                .ifPresent(blocked -> row(table, of, ", target computing", BESIDE_COMPUTATION,
                    result.sample().medianUs() / blocked.sample().medianUs(), "x target blocked"));
            row(table, of, ", target computing, longest", Reach.atMost(LONGEST_BESIDE_COMPUTATION_US),
                result.sample().maxUs(), "us");
        }
    }

    /** Null for none. */
    private static Reach aim(Case of) {
        boolean isRemote = of.route() == Route.REMOTE;
        return switch (of.op()) {
            case PUT_FENCE, GET -> of.bytes() == LARGE ? Reach.atLeast(isRemote ? 0.85 : 0.9)
                : isRemote && of.bytes() == WORD ? Reach.atMost(1.5) : null;
            case ACCUMULATE_FENCE -> !isRemote && of.bytes() == LARGE ? Reach.atLeast(0.4) : null;
            case FETCH_AND_ADD, STRIDED_PUT_FENCE, STRIDED_GET -> isRemote ? Reach.atMost(1.5) : null;
            case LOCK_UNLOCK -> isRemote ? Reach.atMost(2.5) : null;
            case PUT_RATE -> isRemote ? Reach.atLeast(3) : null;
            case AGGREGATE_PUT_RATE -> isRemote ? Reach.atLeast(8) : null;
            case PUT_BANDWIDTH -> null;
        };
    }
}

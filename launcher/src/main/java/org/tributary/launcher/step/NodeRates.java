package org.tributary.launcher.step;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.tributary.wire.status.ServerCounts;
import org.tributary.wire.status.ServerCounts.Count;
import org.tributary.wire.status.ServerCounts.Pair;

/**
 * Rates of the requests that a server has executed, between two tellings of its counts.
 *
 * @param operations by the code of the operation
 * @param pairs      of which there were any
 */
public record NodeRates(List<Rate> operations, List<PairRate> pairs) {
    static final NodeRates NONE = new NodeRates(List.of(), List.of());
    private static final double NS_PER_S = 1e9;
    private static final int NOBODY = -1;

    /** Requests and bytes a second. */
    public record Rate(double requests, double bytes) {
        public static final Rate NONE = new Rate(0, 0);

        public Rate plus(Rate other) {
            return this == NONE ? other : other == NONE ? this
                : new Rate(requests + other.requests, bytes + other.bytes);
        }

        static Rate sum(Iterable<Rate> rates) {
            Rate sum = NONE;
            for (Rate rate : rates) {
                sum = sum.plus(rate);
            }
            return sum;
        }

        /** The rest, never below 0. */
        Rate without(Rate part) {
            return new Rate(Math.max(0, requests - part.requests), Math.max(0, bytes - part.bytes));
        }
    }

    /** Rate of one rank's requests for the memory of another; -1 for both when it is not known which. */
    public record PairRate(int requester, int target, Rate rate) {
        boolean isKnown() {
            return requester >= 0 && target >= 0;
        }
    }

    /** All operations together. */
    Rate total() {
        return Rate.sum(operations);
    }

    /** Nothing when there was no earlier telling, or the later is of another server. */
    static NodeRates between(ServerCounts earlier, ServerCounts later) {
        double seconds = (later.atNs() - earlier.atNs()) / NS_PER_S;
        if (earlier.operations().size() != later.operations().size() || seconds <= 0) {
            return NONE;
        }
        List<Rate> operations = new ArrayList<>();
        for (int i = 0; i < later.operations().size(); i++) {
            Count now = later.operations().get(i);
            Count before = earlier.operations().get(i);
            operations.add(rate(now.requests() - before.requests(), now.bytes() - before.bytes(), seconds));
        }
        return new NodeRates(operations, pairs(earlier.pairs(), later.pairs(), seconds));
    }

    /** Of a server that was started again a count may have gone back. */
    private static Rate rate(long requests, long bytes, double seconds) {
        return requests <= 0 && bytes <= 0 ? Rate.NONE
            : new Rate(Math.max(0, requests) / seconds, Math.max(0, bytes) / seconds);
    }

    /**
     * A server tells its pairs mostly in the same order, so the earlier count of one is found without a search. One
     * that it has not told on its own before has been among the others: its rate is known from the next telling on.
     */
    private static List<PairRate> pairs(List<Pair> earlier, List<Pair> later, double seconds) {
        boolean hadOthers = hasOthers(earlier);
        Map<Long, Pair> byRanks = null;
        List<PairRate> rates = new ArrayList<>();
        for (int i = 0; i < later.size(); i++) {
            Pair now = later.get(i);
            Pair before = i < earlier.size() ? earlier.get(i) : null;
            if (before == null || key(before) != key(now)) {
                byRanks = byRanks == null ? byRanks(earlier) : byRanks;
                before = byRanks.getOrDefault(key(now), hadOthers ? now
                    : new Pair(now.requester(), now.target(), 0, 0));
            }
            if (now.requester() >= 0 && now.requests() != before.requests()) {
                rates.add(new PairRate(now.requester(), now.target(),
                    rate(now.requests() - before.requests(), now.bytes() - before.bytes(), seconds)));
            }
        }
        if (hadOthers || hasOthers(later)) {
            Rate others = rate(sum(later, Pair::requests) - sum(earlier, Pair::requests),
                sum(later, Pair::bytes) - sum(earlier, Pair::bytes), seconds);
            for (PairRate pair : rates) {
                others = others.without(pair.rate());
            }
            rates.add(new PairRate(NOBODY, NOBODY, others));
        }
        return rates;
    }

    private static boolean hasOthers(List<Pair> pairs) {
        for (Pair pair : pairs) {
            if (pair.requester() < 0) {
                return true;
            }
        }
        return false;
    }

    private static long sum(List<Pair> pairs, ToLongFunction<Pair> of) {
        return pairs.stream().mapToLong(of).sum();
    }

    private static Map<Long, Pair> byRanks(List<Pair> pairs) {
        Map<Long, Pair> found = new HashMap<>();
        pairs.forEach(pair -> found.put(key(pair), pair));
        return found;
    }

    private static long key(Pair pair) {
        return (long) pair.requester() << Integer.SIZE | Integer.toUnsignedLong(pair.target());
    }
}

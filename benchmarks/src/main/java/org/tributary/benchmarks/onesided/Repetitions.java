package org.tributary.benchmarks.onesided;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.tributary.benchmarks.limits.RawLimits;

/**
 * Gathers the results of several runs of one plan, and the limits that were measured before, between and after them.
 * Each case is represented by its run with the median time, each limit by its best: a limit that was disturbed is none.
 * The longest iteration of a case is that of all its runs: an aim for it holds in each of them.
 */
final class Repetitions {
    private final List<RawLimits> limits = new ArrayList<>();
    private final List<List<Result>> results = new ArrayList<>();

    /** Limits, of as many measurements as there are. */
    void add(RawLimits measured) {
        limits.add(measured);
    }

    /** One run; results are in the same order every time. */
    void add(List<Result> resultsOfRun) {
        results.add(resultsOfRun);
    }

    RawLimits limits() {
        return RawLimits.best(limits);
    }

    List<Result> results() {
        Comparison comparison = new Comparison(limits());
        List<Result> medians = new ArrayList<>();
        for (int i = 0; i < results.getFirst().size(); i++) {
            int index = i;
            List<Result> runs = results.stream().map(run -> run.get(index)).toList();
            Result median = median(runs, Result::costUs);
            long longestNs = runs.stream().mapToLong(run -> run.sample().maxNs()).max().orElseThrow();
            medians.add(comparison.compare(median.of(), median.sample().withMaxNs(longestNs), medians));
        }
        return medians;
    }

    /** Of two in the middle, the slower. */
    private static <T> T median(List<T> runs, ToDoubleFunction<T> time) {
        return runs.stream().sorted(Comparator.comparingDouble(time)).toList().get(runs.size() / 2);
    }
}

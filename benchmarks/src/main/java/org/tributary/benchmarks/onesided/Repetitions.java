package org.tributary.benchmarks.onesided;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.tributary.benchmarks.limits.RawLimits;

/**
 * Gathers the results of several runs of one plan. Each limit and each case is represented by its run with the median
 * time, and only these are compared: a limit that was disturbed in one run would spoil all ratios of that run. The
 * longest iteration of a case is that of all its runs: an aim for it holds in each of them.
 */
final class Repetitions {
    private final List<RawLimits> limits = new ArrayList<>();
    private final List<List<Result>> results = new ArrayList<>();

    /** One run; results are in the same order every time. */
    void add(RawLimits limitsOfRun, List<Result> resultsOfRun) {
        limits.add(limitsOfRun);
        results.add(resultsOfRun);
    }

    RawLimits limits() {
        return RawLimits.median(limits);
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

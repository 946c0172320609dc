package org.tributary.benchmarks.onesided;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.tributary.benchmarks.limits.Limit;

/** Gathers the results of several runs of one plan and chooses, for each case, the run with the median time. */
final class Repetitions {
    private final List<List<Limit>> limits = new ArrayList<>();
    private final List<List<Result>> results = new ArrayList<>();

    /** One run; each list has its entries in the same order every time. */
    void add(List<Limit> limitsOfRun, List<Result> resultsOfRun) {
        limits.add(limitsOfRun);
        results.add(resultsOfRun);
    }

    List<Limit> limits() {
        return medians(limits, limit -> limit.sample().medianNs());
    }

    List<Result> results() {
        return medians(results, Result::costUs);
    }

    /** Of two in the middle, the slower. */
    private static <T> List<T> medians(List<List<T>> runs, ToDoubleFunction<T> time) {
        List<T> medians = new ArrayList<>();
        for (int i = 0; i < runs.getFirst().size(); i++) {
            int index = i;
            List<T> sorted = runs.stream().map(run -> run.get(index)).sorted(Comparator.comparingDouble(time)).toList();
            medians.add(sorted.get(sorted.size() / 2));
        }
        return medians;
    }
}

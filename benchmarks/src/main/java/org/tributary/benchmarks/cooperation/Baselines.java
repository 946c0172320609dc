package org.tributary.benchmarks.cooperation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import org.tributary.benchmarks.measure.Sample;

/**
 * What jobs without cooperation have shown: there is one beside each job that cooperates, and the median of all of them
 * is one line of the results. The first alone would be that of code which is not compiled yet.
 */
final class Baselines {
    private record Key(String part, double x) {
    }

    private final Map<Key, List<Result>> results = new LinkedHashMap<>();

    void add(Result none) {
        results.computeIfAbsent(new Key(none.part(), none.x()), key -> new ArrayList<>()).add(none);
    }

    /** Hands over a result for each part and size, in the order in which they came, and forgets them. */
    void report(Consumer<Result> to) {
        results.values().forEach(some -> to.accept(some.getFirst().withValue(median(some, Result::value))
            .with(Double.NaN, median(some, Result::spread))));
        results.clear();
    }

    private static double median(List<Result> some, ToDoubleFunction<Result> of) {
        return Sample.median(some.stream().mapToDouble(of).toArray());
    }
}

package org.tributary.benchmarks.fabric;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.IntStream;
import org.tributary.benchmarks.measure.Sample;

/**
 * A ratio of two times that were measured in the same rounds.
 *
 * @param median      of the ratios of the rounds
 * @param least       of them
 * @param most        of them
 * @param ofTheMedian the ratio of the medians of both times
 */
record RoundRatio(double median, double least, double most, double ofTheMedian) {
    /** Of rounds that have two states the two kinds of ratios may have one each. */
    private static final double SAME = 1.2;

    static RoundRatio of(double[] times, double[] base) {
        double[] ratios = IntStream.range(0, times.length).mapToDouble(i -> times[i] / base[i]).sorted().toArray();
        return new RoundRatio(Sample.median(ratios), ratios[0], Arrays.stream(ratios).max().orElseThrow(),
            Sample.median(times) / Sample.median(base));
    }

    /** The median, or null when the rounds do not show a ratio. */
    Double settled() {
        return Math.max(median / ofTheMedian, ofTheMedian / median) > SAME ? null : Double.valueOf(median);
    }

    String range() {
        return String.format(Locale.ROOT, "%.2f to %.2f", least, most);
    }

    @Override
    public String toString() {
        return settled() == null ? "no clear number of" : String.format(Locale.ROOT, "%.2f", median);
    }
}

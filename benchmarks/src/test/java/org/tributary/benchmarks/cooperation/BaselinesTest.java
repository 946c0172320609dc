package org.tributary.benchmarks.cooperation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BaselinesTest {
    private final Baselines baselines = new Baselines();
    private final List<Result> reported = new ArrayList<>();

    @Test
    void shouldReportTheMedianOfAllJobsWhenTheFirstWasCold() {
        for (double us : new double[] {27.68, 17.8, 18}) {
            baselines.add(Result.of("real-put", Variant.NONE, 8, us));
            baselines.add(Result.of("real-put", Variant.NONE, 1024, 2 * us));
        }

        baselines.report(reported::add);

        assertEquals(List.of(Result.of("real-put", Variant.NONE, 8, 18), Result.of("real-put", Variant.NONE, 1024, 36)),
            reported);
    }

    @Test
    void shouldKeepPartsAndTheirSpreadsApartWhenReported() {
        baselines.add(Result.of("a", Variant.NONE, 20, 5).with(Double.NaN, 1.5));
        baselines.add(Result.of("b", Variant.NONE, 20, 7));
        baselines.add(Result.of("a", Variant.NONE, 20, 6).with(Double.NaN, 2.5));

        baselines.report(reported::add);
        baselines.report(reported::add);

        assertEquals(List.of(Result.of("a", Variant.NONE, 20, 5.5).with(Double.NaN, 2),
            Result.of("b", Variant.NONE, 20, 7)), reported);
    }
}

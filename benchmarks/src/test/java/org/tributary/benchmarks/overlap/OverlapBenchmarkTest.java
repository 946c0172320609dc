package org.tributary.benchmarks.overlap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class OverlapBenchmarkTest {
    @Test
    void shouldMeasureBothKindsInTurnsWhenTheyAreCompared() {
        List<OverlapBenchmark.Step> steps = OverlapBenchmark.steps(List.of(16L, 64L), 2);

        assertEquals(List.of(
            step(false, 16, false), step(true, 16, false), step(true, 64, false), step(false, 64, false),
            step(true, 16, true), step(false, 16, true), step(false, 64, true), step(true, 64, true),
            step(false, 16, true), step(true, 16, true), step(true, 64, true), step(false, 64, true)), steps);
    }

    private static OverlapBenchmark.Step step(boolean deferred, long bytes, boolean counts) {
        return new OverlapBenchmark.Step(deferred, bytes, counts);
    }
}

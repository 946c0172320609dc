package org.tributary.benchmarks.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SampleTest {
    @Test
    void shouldTakeNearestRanksWhenTimesAreUnsorted() {
        long[] times = LongStream.rangeClosed(1, 200).map(i -> 201 - i).toArray();

        Sample sample = Sample.of(times, 200, 20_100, 5);

        assertEquals(new Sample(200, 100, 198, 200, 20_100, 5), sample);
    }

    @Test
    void shouldIgnoreTimesBeyondTheCountWhenMeasurementEndedEarly() {
        Sample sample = Sample.of(new long[] {3, 1, 2, 999}, 3, 6, 0);

        assertEquals(new Sample(3, 2, 3, 3, 6, 0), sample);
    }

    @Test
    void shouldConvertUnitsWhenAsked() {
        Sample sample = new Sample(10, 2_000, 3_000, 4_000, 50_000, 0);

        assertEquals(2.0, sample.medianUs());
        assertEquals(5.0, sample.meanUs());
        assertEquals(Double.NaN, sample.firstUs(), "not measured");
        assertEquals(3.0, sample.p99Us());
        assertEquals(4.0, sample.maxUs());
        assertEquals(64 * 10 / 50e-6, sample.perSecond(64), 1);
        assertEquals(500.0, sample.medianMbPerSecond(1_000));
    }

    @Test
    void shouldTakeTheMeanOfTheMiddleTwoWhenTheirNumberIsEven() {
        assertEquals(1.5, Sample.median(2.0, 1.0));
        assertEquals(0.99, Sample.median(1.0, 0.98, 0.98, 1.0), 1e-12);
        assertEquals(3.0, Sample.median(9.0, 3.0, 1.0));
        assertEquals(25, Sample.median(10L, 20L, 30L, 40L));
        assertEquals(20, Sample.median(30L, 20L, 10L));
    }

    @Test
    void shouldRefuseWhenNothingWasTimed() {
        assertThrows(IllegalArgumentException.class, () -> Sample.of(new long[1], 0, 0, 0));
    }
}

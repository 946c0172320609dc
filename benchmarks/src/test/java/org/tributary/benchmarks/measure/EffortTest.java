package org.tributary.benchmarks.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EffortTest {
    @ParameterizedTest
    @CsvSource({"0, 20000, 10000", "8192, 20000, 10000", "8200, 20000, 1000", "262144, 20000, 1000",
        "4194304, 20000, 200"})
    void shouldFollowTheFieldWhenOperationsAreSingle(long bytes, int warmUp, int iterations) {
        assertEquals(new Effort(warmUp, iterations), Effort.ofSingle(bytes, 10_000));
    }

    @ParameterizedTest
    @CsvSource({"8, 2000, 10000", "262144, 312, 100", "4194304, 312, 10"})
    void shouldTakeFewerWhenAnIterationIsAWindow(long bytes, int warmUp, int iterations) {
        assertEquals(new Effort(warmUp, iterations), Effort.ofWindow(64, bytes, 10_000));
    }

    @ParameterizedTest
    @CsvSource({"8", "32768", "4194304"})
    void shouldMeasureOnceAtLeastWhenFewAreWanted(long bytes) {
        assertEquals(1, Effort.ofSingle(bytes, 1).iterations());
        assertEquals(1, Effort.ofWindow(64, bytes, 1).iterations());
    }
}

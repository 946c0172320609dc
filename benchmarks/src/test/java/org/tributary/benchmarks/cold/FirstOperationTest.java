package org.tributary.benchmarks.cold;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tributary.client.testing.TestJob;

class FirstOperationTest {
    private static final double STORED = 1.5;

    @ParameterizedTest
    @EnumSource
    void shouldBeCompleteAtTheTargetWhenItReturns(FirstOperation operation) {
        try (TestJob job = TestJob.start("2*1")) {
            job.run(gas -> {
                try (Arena arena = Arena.ofConfined(); Place place = Place.allocate(gas, arena)) {
                    if (gas.rank() == 0) {
                        check(operation, place);
                    }
                    gas.barrier();
                }
            });
        }
    }

    private static void check(FirstOperation operation, Place place) {
        MemorySegment buffer = place.buffer();
        buffer.set(ValueLayout.JAVA_DOUBLE, 0, STORED);
        switch (operation) {
            case GET, STRIDED_GET, LARGE_GET -> {
                place.memory().putDouble(1, 0, 2 * STORED);
                place.gas().fence(1);
                operation.call(place);
                assertEquals(2 * STORED, buffer.get(ValueLayout.JAVA_DOUBLE, 0));
            }
            case FETCH_AND_ADD -> {
                operation.call(place);
                operation.call(place);
                assertEquals(2, place.memory().getLong(1, 0));
            }
            case LOCK_UNLOCK -> {
                operation.call(place);
                assertTrue(place.mutexes().tryLock(1, 0));
                place.mutexes().unlock(1, 0);
            }
            case VECTOR_PUT_FENCE -> {
                operation.call(place);
                assertEquals(STORED, place.memory().getDouble(1, 40));
            }
            case WINDOW_LOCK_PUT_UNLOCK -> {
                operation.call(place);
                place.window().lockAll();
                place.window().get(1, 0, buffer, Double.BYTES, Double.BYTES);
                place.window().unlockAll();
                assertEquals(STORED, buffer.get(ValueLayout.JAVA_DOUBLE, Double.BYTES));
            }
            case PUT_FENCE, ACCUMULATE_FENCE, STRIDED_PUT_FENCE, PUT_WITH_FLAG_FENCE, LARGE_PUT_FENCE -> {
                operation.call(place);
                assertEquals(STORED, place.memory().getDouble(1, 0));
            }
        }
    }
}

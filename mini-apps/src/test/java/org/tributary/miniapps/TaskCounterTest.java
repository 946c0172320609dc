package org.tributary.miniapps;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TaskCounterTest {
    /** Again after they were put back; a rank that finds none left has done nothing. */
    @ParameterizedTest
    @EnumSource
    void shouldGiveEachNumberToOneRank(JobShape job) {
        ConcurrentLinkedQueue<Long> done = new ConcurrentLinkedQueue<>();
        job.run(gas -> {
            try (TaskCounter counter = new TaskCounter(gas, 50)) {
                assertEquals(0, counter.drawUs());
                for (int turn = 0; turn < 2; turn++) {
                    List<Long> begun = new ArrayList<>();
                    List<Long> own = new ArrayList<>();
                    counter.reset();
                    counter.drawAll(begun::add, number -> {
                        assertEquals(number, begun.getLast());
                        own.add(number);
                    });
                    gas.barrier();
                    assertEquals(begun, own);
                    done.addAll(own);
                }
                assertTrue(counter.drawUs() > 0);
            }
        });
        List<Long> twice = LongStream.range(0, 100).map(number -> number / 2).boxed().toList();
        assertEquals(twice, done.stream().sorted().toList());
    }
}

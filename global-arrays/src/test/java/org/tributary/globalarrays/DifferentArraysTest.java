package org.tributary.globalarrays;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.client.Gas;
import org.tributary.client.error.JobAbortedException;
import org.tributary.client.testing.TestJob;
import org.tributary.config.Topology;
import org.tributary.wire.shape.ElementType;

/** Ranks that do not create, or close, the same array. */
class DifferentArraysTest {
    private static void create(Gas gas, String how) {
        boolean odd = gas.rank() == 1;
        GlobalArray a = GlobalArray.create(gas, "A of rank " + gas.rank(), ElementType.DOUBLE, 4, 6);
        switch (how) {
            case "dimensions" -> GlobalArray.create(gas, "B", ElementType.DOUBLE, odd ? 6 : 4, odd ? 4 : 6);
            case "type" -> GlobalArray.create(gas, "B", odd ? ElementType.LONG : ElementType.DOUBLE, 5);
            case "ghosts" -> GlobalArray.builder(gas, "B", ElementType.DOUBLE, 8, 8).ghosts(odd ? 1 : 2, 1).create();
            case "blocks" -> GlobalArray.builder(gas, "B", ElementType.DOUBLE, 100)
                .blocks(odd ? new long[] {0, 9, 72} : new long[] {0, 10, 41}).create();
            default -> {
                GlobalArray b = a.duplicate("B");
                (odd ? a : b).close();
                gas.barrier();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1*2, dimensions, 'array of DOUBLE [4, 6]', 'array of DOUBLE [6, 4]'",
        "2*1, dimensions, 'array of DOUBLE [4, 6]', 'array of DOUBLE [6, 4]'",
        "1*2, type, array of DOUBLE [5], array of LONG [5]",
        "1*2, ghosts, 'array of DOUBLE [8, 8], ghosts [2, 1]', 'array of DOUBLE [8, 8], ghosts [1, 1]'",
        "1*3, blocks, 'array of DOUBLE [100]', 'array of DOUBLE [100]'",
        "1*2, close, barrier after close of segment 100000002, barrier after close of segment 100000001"})
    void shouldNameBothWhenTheyDiffer(String layout, String how, String one, String other) {
        Topology topology = Topology.parse(layout);
        try (TestJob job = TestJob.start(topology)) {
            String message = assertThrows(JobAbortedException.class,
                () -> job.run(gas -> create(gas, how))).getMessage();
            assertTrue(message.startsWith("collective calls do not match in a group of " + topology.rankCount() + ": "),
                message);
            assertTrue(message.contains(one), message);
            assertTrue(message.contains(other), message);
        }
    }
}

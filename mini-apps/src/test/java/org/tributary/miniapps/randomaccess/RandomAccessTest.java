package org.tributary.miniapps.randomaccess;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tributary.miniapps.JobShape;
import org.tributary.miniapps.Report;
import org.tributary.miniapps.SlowProgress;
import org.tributary.wire.shape.ReduceOp;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

class RandomAccessTest {
    @ParameterizedTest
    @EnumSource
    void shouldLoseNoUpdate(JobShape job) {
        JobShape.Outcome outcome = job.run(RandomAccess::new, "--table-log2", "14");
        assertTrue(outcome.right(), outcome.printed());
        assertTrue(outcome.printed().contains("verification: 0 of 16384 words wrong"), outcome.printed());
    }

    /** Fewer words than ranks, and shares that differ by one. */
    @ParameterizedTest
    @EnumSource
    void shouldUpdateATinyTable(JobShape job) {
        JobShape.Outcome outcome = job.run(RandomAccess::new, "--table-log2", "1", "--updates-per-word", "5");
        assertTrue(outcome.printed().contains("verification: 0 of 2 words wrong"), outcome.printed());
    }

    /** An update applied once is an error, applied twice it is none. */
    @ParameterizedTest
    @EnumSource
    void shouldCountWrongWords(JobShape job) {
        job.run(gas -> {
            try (Table table = new Table(gas, 10)) {
                for (int twice = 0; twice < 2; twice++) {
                    for (long i = 0; i < 1024; i += 10) {
                        long update = i | 1L << 40;
                        assertEquals(table.owner(update) == gas.rank(), table.isOwn(update));
                        if (table.isOwn(update)) {
                            table.apply(update);
                        }
                    }
                    long errors = gas.world().allreduce(ReduceOp.SUM, table.errors());
                    assertEquals(twice == 0 ? 103 : 0, errors);
                }
            }
        });
    }

    /** Fewer than the benchmark's rules permit, and still none of those that this algorithm may have. */
    @ParameterizedTest
    @EnumSource
    void shouldFailWhenOneWordIsWrong(JobShape job) {
        job.run(gas -> {
            try (Table table = new Table(gas, 10)) {
                Report out = new Report(System.out, false);
                assertTrue(RandomAccess.verify(gas, out, table, 0));
                long update = 77 | 1L << 40;
                if (table.isOwn(update)) {
                    table.apply(update);
                }
                assertFalse(RandomAccess.verify(gas, out, table, 0));
            }
        });
    }

    /** Each rank goes through all updates, which takes longer than they themselves. */
    @Test
    void shouldSayHowFarTheVerificationIs() {
        SlowProgress progress = new SlowProgress();
        JobShape.ONE_NODE_OF_FOUR.run(gas -> {
            RandomAccess program = new RandomAccess();
            new CommandLine(program).parseArgs("--table-log2", "10");
            assertTrue(program.run(gas, progress.report(gas.rank() == 0)));
        });
        assertEquals(List.of("25", "50", "75"), progress.percentages("random-access, verification"));
    }

    @ParameterizedTest
    @EnumSource(names = "ONE_NODE_OF_FOUR")
    void shouldRefuseOptionsThatDoNotFit(JobShape job) {
        assertThrows(ParameterException.class, () -> job.run(RandomAccess::new, "--table-log2", "0"));
        assertThrows(ParameterException.class, () -> job.run(RandomAccess::new, "--table-log2", "41"));
        assertThrows(ParameterException.class, () -> job.run(RandomAccess::new, "--updates-per-word", "0"));
        assertThrows(ParameterException.class, () -> job.run(RandomAccess::new, "--table-log2", "40",
            "--updates-per-word", "2147483647"));
    }
}

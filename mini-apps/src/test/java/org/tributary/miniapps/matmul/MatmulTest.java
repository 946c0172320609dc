package org.tributary.miniapps.matmul;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tributary.client.Gas;
import org.tributary.globalarrays.GlobalArray;
import org.tributary.miniapps.JobShape;
import org.tributary.miniapps.Report;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;
import picocli.CommandLine.ParameterException;

class MatmulTest {
    @ParameterizedTest
    @EnumSource
    void shouldMultiplyInEitherPrecision(JobShape job) {
        for (String type : new String[] {"double", "float"}) {
            JobShape.Outcome outcome = job.run(Matmul::new, "--size", "150", "--type", type, "--iterations", "2");
            assertTrue(outcome.right(), outcome.printed());
            assertTrue(outcome.printed().contains("150 x 150 " + type), outcome.printed());
            assertTrue(outcome.printed().contains("element by element"), outcome.printed());
        }
    }

    /** Tiles that do not divide the matrix, of a matrix too large for the serial comparison. */
    @ParameterizedTest
    @EnumSource
    void shouldMultiplyWithOddTiles(JobShape job) {
        JobShape.Outcome outcome = job.run(Matmul::new, "--size", "300", "--block", "77", "--iterations", "1");
        assertTrue(outcome.right(), outcome.printed());
        assertFalse(outcome.printed().contains("element by element"), outcome.printed());
    }

    /** Fewer elements than ranks. */
    @ParameterizedTest
    @EnumSource
    void shouldMultiplyASingleNumber(JobShape job) {
        JobShape.Outcome outcome = job.run(Matmul::new, "--size", "1", "--iterations", "1");
        assertTrue(outcome.right(), outcome.printed());
    }

    /** The check must notice one wrong element among 90,000, by Freivalds' method alone. */
    @ParameterizedTest
    @EnumSource
    void shouldFindOneWrongElement(JobShape job) {
        job.run(gas -> {
            for (double error : new double[] {1e-6, Double.NaN}) {
                assertTrue(check(gas, 0));
                assertFalse(check(gas, error));
            }
        });
    }

    private static boolean check(Gas gas, double error) {
        GlobalArray a = GlobalArray.create(gas, "A", ElementType.DOUBLE, 300, 300);
        GlobalArray b = a.duplicate("B");
        GlobalArray c = a.duplicate("C");
        TestMatrix.A.fill(a);
        TestMatrix.B.fill(b);
        c.zero();
        try (TileTasks tasks = new TileTasks(gas, a, b, c, 64)) {
            tasks.reset();
            tasks.run(task -> { });
            long done = gas.world().allreduce(ReduceOp.SUM, tasks.done());
            assertEquals(25, done);
        }
        if (gas.rank() == 0) {
            c.set(c.get(123, 45).re() + error, 123, 45);
        }
        c.barrier();
        Report nowhere = new Report(new PrintStream(new ByteArrayOutputStream()), false);
        boolean right = ProductCheck.verify(gas, a, b, c, nowhere);
        c.close();
        b.close();
        a.close();
        return right;
    }

    @ParameterizedTest
    @EnumSource(names = "ONE_NODE_OF_FOUR")
    void shouldRefuseOptionsThatDoNotFit(JobShape job) {
        assertThrows(ParameterException.class, () -> job.run(Matmul::new, "--size", "0"));
        assertThrows(ParameterException.class, () -> job.run(Matmul::new, "--size", "8", "--block", "9"));
        assertThrows(ParameterException.class, () -> job.run(Matmul::new, "--iterations", "0"));
    }
}

package org.tributary.miniapps.matmul;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tributary.client.Gas;
import org.tributary.config.ConfigException;
import org.tributary.globalarrays.GlobalArray;
import org.tributary.miniapps.JobShape;
import org.tributary.miniapps.Report;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;
import picocli.CommandLine;
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

    private static Matmul program(Function<ElementType, String> multiplier, ToIntFunction<ElementType> largestSide) {
        Matmul program = new Matmul(multiplier, largestSide);
        new CommandLine(program).parseArgs("--size", "300", "--iterations", "1");
        return program;
    }

    /** As when a library is installed on one host only. */
    @ParameterizedTest
    @EnumSource
    void shouldTakeTheSameTilesWhenHostsDiffer(JobShape job) {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        job.run(gas -> {
            boolean isFirst = gas.rank() == 0;
            Report out = new Report(new PrintStream(printed, true, StandardCharsets.UTF_8), isFirst);
            assertTrue(program(type -> isFirst ? "a library" : "Java", type -> isFirst ? 256 : 200).run(gas, out),
                printed::toString);
        });
        String text = printed.toString(StandardCharsets.UTF_8);
        assertTrue(text.contains(", multiplied by a library, otherwise on "), text);
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseOnAllRanksWhenAHostHasNoSuchLibrary(JobShape job) {
        job.run(gas -> {
            Matmul program = program(type -> {
                if (gas.rank() > 0) {
                    throw new ConfigException("tributary.blas=x: rank " + gas.rank() + " has none");
                }
                return "x";
            }, type -> 256);
            assertEquals("tributary.blas=x: rank 1 has none (rank 1)", assertThrows(ParameterException.class,
                () -> program.runChecked(gas, new Report(System.out, false))).getMessage());
        });
    }

    @ParameterizedTest
    @EnumSource(names = "ONE_NODE_OF_FOUR")
    void shouldRefuseOptionsThatDoNotFit(JobShape job) {
        assertThrows(ParameterException.class, () -> job.run(Matmul::new, "--size", "0"));
        assertThrows(ParameterException.class, () -> job.run(Matmul::new, "--size", "8", "--block", "9"));
        assertThrows(ParameterException.class, () -> job.run(Matmul::new, "--iterations", "0"));
        assertThrows(ParameterException.class, () -> job.run(Matmul::new, "--size", "2147483647"));
        assertThrows(ParameterException.class, () -> job.run(Matmul::new, "--size", "70000", "--block", "70000"));
    }
}

package org.tributary.miniapps.jacobi;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.tributary.config.ConfigException;
import org.tributary.config.Topology;
import org.tributary.miniapps.JobShape;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

class JacobiTest {
    @ParameterizedTest
    @EnumSource
    void shouldConvergeToTheAnalyticSolution(JobShape job) {
        JobShape.Outcome outcome = job.run(Jacobi::new, "--size", "16", "--tolerance", "1e-6");
        assertTrue(outcome.right(), outcome.printed());
        assertTrue(outcome.printed().contains("passed"), outcome.printed());
    }

    /** More ranks than points: some own nothing. */
    @ParameterizedTest
    @EnumSource
    void shouldSolveForASinglePoint(JobShape job) {
        JobShape.Outcome outcome = job.run(Jacobi::new, "--size", "1");
        assertTrue(outcome.right(), outcome.printed());
    }

    @ParameterizedTest
    @EnumSource
    void shouldFailWhenItDoesNotConverge(JobShape job) {
        JobShape.Outcome outcome = job.run(Jacobi::new, "--size", "24", "--max-iterations", "30");
        assertFalse(outcome.right(), outcome.printed());
        assertTrue(outcome.printed().contains("not converged: FAILED"), outcome.printed());
    }

    @ParameterizedTest
    @EnumSource(names = "ONE_NODE_OF_FOUR")
    void shouldRefuseOptionsThatDoNotFit(JobShape job) {
        assertThrows(ParameterException.class, () -> job.run(Jacobi::new, "--size", "0"));
        assertThrows(ParameterException.class, () -> job.run(Jacobi::new, "--size", "2147483647"));
        assertThrows(ParameterException.class, () -> job.run(Jacobi::new, "--tolerance", "0"));
        assertThrows(ParameterException.class, () -> job.run(Jacobi::new, "--tolerance", "NaN"));
    }

    /** By the iterations alone, all of these would end with an error of up to 0.6, and within their bound. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--size 150 --tolerance 1e-3      | may leave an error of 11, and more than 0.01 verifies",
        "--size 150 --tolerance 1e-3      | --tolerance 8.7e-07 would fit",
        "--size 2000 --tolerance 1e-5     | --tolerance 4.9e-09 would fit",
        "--size 2000                      | --tolerance 4.9e-09 would fit",
        "--size 1 --tolerance 0.1         | --tolerance 5.0e-03 would fit",
        "--size 64 --tolerance Infinity   | --tolerance 4.7e-06 would fit"})
    void shouldRefuseAToleranceWithWhichAnythingWouldPass(String arguments, String problem) {
        ConfigException refused = assertThrows(ConfigException.class, () -> check(arguments));
        assertTrue(refused.getMessage().contains(problem), refused.getMessage());
        Matcher fitting = Pattern.compile("(--tolerance \\S+) would fit").matcher(refused.getMessage());
        assertTrue(fitting.find());
        assertDoesNotThrow(() -> check(arguments.replaceFirst(" --tolerance .*", "") + " " + fitting.group(1)));
    }

    private static void check(String arguments) {
        Jacobi program = new Jacobi();
        new CommandLine(program).parseArgs(arguments.strip().split(" "));
        program.checkLayout(Topology.parse("1"));
    }

    /** Of any size, with the largest tolerance that fits: the grid of zeros fails. */
    @Test
    void shouldFailWhenNothingWasComputed() {
        for (int size = 1; size < 300; size++) {
            LaplaceProblem problem = new LaplaceProblem(size);
            double error = problem.solution(size / 2, size - 1);
            double bound = problem.errorBound(problem.changeOf(0.01));
            assertTrue(error > 1.5 * bound, size + ": error " + error + ", bound " + bound);
        }
    }

    /** For a single point, the mean of the boundary beside it. */
    @Test
    void shouldBoundTheErrorOfTheFormula() {
        LaplaceProblem problem = new LaplaceProblem(1);
        double error = problem.solution(0, 1) / 4 - problem.solution(0, 0);
        assertTrue(error > 0.05 && error <= problem.errorBound(0), () -> error + ", bound " + problem.errorBound(0));
    }

    /**
     * The boundary is zero on three sides and an arch on the fourth; the bound shrinks with the square of the width,
     * times how near the arch the points are.
     */
    @Test
    void shouldKnowItsSolution() {
        LaplaceProblem problem = new LaplaceProblem(9);
        assertEquals(0, problem.solution(-1, 4), 1e-15);
        assertEquals(0, problem.solution(9, 4), 1e-15);
        assertEquals(0, problem.solution(4, -1), 1e-15);
        assertEquals(1, problem.solution(4, 9), 1e-15);
        assertEquals(Math.sinh(Math.PI / 2) / Math.sinh(Math.PI), problem.solution(4, 4), 1e-15);
        double coarse = problem.errorBound(0);
        double fine = new LaplaceProblem(19).errorBound(0);
        double nearer = problem.solution(4, 8) / new LaplaceProblem(19).solution(9, 18);
        assertEquals(coarse / 4 / nearer, fine, 1e-4 * fine);
    }
}

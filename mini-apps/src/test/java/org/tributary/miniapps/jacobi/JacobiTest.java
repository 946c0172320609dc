package org.tributary.miniapps.jacobi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tributary.miniapps.JobShape;
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

    /**
     * The boundary is zero on three sides and an arch on the fourth; the bound shrinks with the square of the width.
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
        assertEquals(coarse / 4, fine, 1e-12);
    }
}

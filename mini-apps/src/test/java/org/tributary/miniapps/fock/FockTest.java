package org.tributary.miniapps.fock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.testing.TestJob;
import org.tributary.miniapps.JobShape;
import org.tributary.miniapps.Report;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

@Timeout(300)
class FockTest {
    @ParameterizedTest
    @EnumSource
    void shouldBuildTheMatrix(JobShape job) {
        JobShape.Outcome outcome = job.run(Fock::new, "--size", "24", "--block", "4", "--iterations", "2");
        assertTrue(outcome.right(), outcome.printed());
        assertTrue(outcome.printed().contains("1296 tasks"), outcome.printed());
    }

    @ParameterizedTest
    @ValueSource(strings = {"4*2 forward", "4*2 aggregate direct", "4*2 combine", "4*2 combine node direct"})
    void shouldBuildTheMatrixWhenNodesCooperate(String layout) {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try (TestJob job = TestJob.start(layout)) {
            job.run(gas -> {
                Fock app = new Fock();
                new CommandLine(app).parseArgs("--size", "20", "--block", "4", "--iterations", "2");
                PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
                assertTrue(app.run(gas, new Report(out, gas.rank() == 0)));
                assertTrue(app.bestSeconds() > 0 && app.bestSeconds() < 60);
            });
        }
        assertTrue(printed.toString(StandardCharsets.UTF_8).contains("passed"), printed.toString());
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseBlocksThatDoNotDivideTheSize(JobShape job) {
        job.run(gas -> {
            Fock app = new Fock();
            new CommandLine(app).parseArgs("--size", "10", "--block", "4");
            Report nowhere = new Report(new PrintStream(new ByteArrayOutputStream()), false);
            assertThrows(ParameterException.class, () -> app.runChecked(gas, nowhere));
        });
    }

    /** By its definition, the sum over k and l of D(k,l) (2 (ij|kl) - (ik|jl)). */
    @Test
    void shouldKnowTheFockMatrix() {
        ModelIntegrals integrals = new ModelIntegrals(7, 3);
        double[] fock = integrals.fock();
        for (int i = 0; i < 7; i++) {
            for (int j = 0; j < 7; j++) {
                double sum = 0;
                for (int k = 0; k < 7; k++) {
                    for (int l = 0; l < 7; l++) {
                        sum += integrals.density(k, l) * (2 * integral(integrals, i, j, k, l)
                            - integral(integrals, i, k, j, l));
                    }
                }
                assertEquals(sum, fock[i * 7 + j]);
            }
        }
    }

    private static double integral(ModelIntegrals of, int i, int j, int k, int l) {
        return of.factor(1, i, j) * of.factor(1, k, l) + of.factor(2, i, j) * of.factor(2, k, l);
    }

    @Test
    void shouldSkipOnlyWhatIsZero() {
        ModelIntegrals integrals = new ModelIntegrals(24, 12);
        assertTrue(integrals.haveFactors(0, 3, 4));
        assertFalse(integrals.haveFactors(0, 4, 4));
        assertTrue(integrals.haveFactors(4, 1, 4));
        assertEquals(0, integrals.factor(1, 3, 16));
    }
}

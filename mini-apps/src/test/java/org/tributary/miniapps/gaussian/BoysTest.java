package org.tributary.miniapps.gaussian;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BoysTest {
    private static final double ERROR = 1e-14;
    private static final int PANELS = 200;
    /** Gauss-Legendre of five points. */
    private static final double[] NODES = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831,
        0.9061798459386640};
    private static final double[] WEIGHTS = {0.23692688505618908, 0.47862867049936647, 0.5688888888888889,
        0.47862867049936647, 0.23692688505618908};

    private static double integral(int m, double t) {
        return IntStream.range(0, PANELS * NODES.length).mapToDouble(n -> {
            double u = (n / NODES.length + 0.5 + 0.5 * NODES[n % NODES.length]) / PANELS;
            return WEIGHTS[n % NODES.length] * Math.pow(u, 2 * m) * Math.exp(-t * u * u);
        }).sum() / (2 * PANELS); // a stream's sum is compensated
    }

    private static double boys(int m, int highest, double t) {
        double[] values = new double[Boys.HIGHEST + 1];
        Boys.evaluate(highest, t, values);
        return values[m];
    }

    /** On points of the table and between, on both sides of its end, and far beyond. */
    @ParameterizedTest
    @ValueSource(doubles = {0, 1e-12, 0.001, 0.03125, 0.03126, 0.5, 1, 3.03, 7.777, 12.5, 20.1, 29.97, 35.96, 35.99999,
        36, 36.01, 50, 100, 700})
    void shouldBeTheIntegralWhateverTheArgument(double t) {
        for (int highest = 0; highest <= Boys.HIGHEST; highest++) {
            for (int m = 0; m <= highest; m++) {
                assertEquals(integral(m, t), boys(m, highest, t), ERROR, "F_" + m + " of " + t);
            }
        }
    }

    @Test
    void shouldBeOneOverAnOddNumberAtZero() {
        for (int m = 0; m <= Boys.HIGHEST; m++) {
            assertEquals(1.0 / (2 * m + 1), boys(m, Boys.HIGHEST, 0), ERROR);
        }
    }

    /** The derivative of one order is minus the next order. */
    @Test
    void shouldHaveTheNextOrderAsItsSlope() {
        double step = 1e-4;
        for (double t = 0.2; t < 60; t += 0.77) {
            for (int m = 0; m < Boys.HIGHEST; m++) {
                double slope = (boys(m, Boys.HIGHEST, t + step) - boys(m, Boys.HIGHEST, t - step)) / (2 * step);
                assertEquals(-boys(m + 1, Boys.HIGHEST, t), slope, 1e-8);
            }
        }
    }

    @Test
    void shouldFallToNothingWithoutBecomingNegative() {
        for (int m = 0; m <= Boys.HIGHEST; m++) {
            double far = boys(m, Boys.HIGHEST, 1e8);
            assertEquals(0, far, 1e-4);
            assertEquals(far, Math.abs(far));
        }
    }
}

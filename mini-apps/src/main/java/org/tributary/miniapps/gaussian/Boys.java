package org.tributary.miniapps.gaussian;

/**
 * The Boys function, {@code F_m(t)}, the integral of {@code u^(2m) exp(-t u^2)} over u from 0 to 1. Below
 * {@link #LARGEST} a Taylor series from the nearest point of a table gives the highest order and a recursion downwards
 * the others; beyond, the integral to infinity gives order 0 and a recursion upwards the others. The error is below
 * 1e-14.
 */
final class Boys {
    /** Highest order: that of four d functions. */
    static final int HIGHEST = 8;
    /** Powers of the Taylor series; the first one left out is below 1e-15. */
    private static final int POWERS = 7;
    private static final int PER_UNIT = 16;
    /** From here on, what lies beyond 1 in the integral of order 0 is below 1e-16 of it. */
    private static final int LARGEST = 36;
    private static final int ROW = HIGHEST + POWERS;
    private static final double SMALLEST_TERM = 1e-18;
    private static final double[] TABLE = table();
    private static final double[] INVERSE_ODD = new double[HIGHEST];

    static {
        for (int m = 0; m < HIGHEST; m++) {
            INVERSE_ODD[m] = 1.0 / (2 * m + 1);
        }
    }

    private Boys() {
    }

    /** Sets orders 0 to {@code highest}, at most {@link #HIGHEST}, at {@code t}, which is not negative. */
    static void evaluate(int highest, double t, double[] into) {
        if (t < LARGEST) {
            interpolate(highest, t, into);
        } else {
            extrapolate(highest, t, into);
        }
    }

    private static void interpolate(int highest, double t, double[] into) {
        int point = (int) (t * PER_UNIT + 0.5);
        double d = (double) point / PER_UNIT - t; // the derivative of F_m is -F_(m+1)
        int at = point * ROW + highest;
        into[highest] = TABLE[at] + d * (TABLE[at + 1] + d * (TABLE[at + 2] * (1 / 2.0) + d * (TABLE[at + 3] * (1 / 6.0)
            + d * (TABLE[at + 4] * (1 / 24.0) + d * (TABLE[at + 5] * (1 / 120.0) + d * TABLE[at + 6] * (1 / 720.0))))));
        if (highest > 0) {
            double exponential = Math.exp(-t);
            for (int m = highest - 1; m >= 0; m--) {
                into[m] = (2 * t * into[m + 1] + exponential) * INVERSE_ODD[m];
            }
        }
    }

    private static void extrapolate(int highest, double t, double[] into) {
        double half = 0.5 / t;
        into[0] = Math.sqrt(Math.PI / 2 * half);
        if (highest > 0) {
            double exponential = Math.exp(-t);
            for (int m = 0; m < highest; m++) {
                into[m + 1] = ((2 * m + 1) * into[m] - exponential) * half;
            }
        }
    }

    /** Rows of orders for equidistant points: the highest by its series, whose terms are positive. */
    private static double[] table() {
        double[] table = new double[(LARGEST * PER_UNIT + 1) * ROW];
        for (int point = 0; point <= LARGEST * PER_UNIT; point++) {
            double t = (double) point / PER_UNIT;
            double exponential = Math.exp(-t);
            int odd = 2 * ROW - 1;
            double term = 1.0 / odd;
            double sum = 0;
            while (term > SMALLEST_TERM * sum) {
                sum += term;
                odd += 2;
                term *= 2 * t / odd;
            }
            int at = point * ROW;
            table[at + ROW - 1] = exponential * sum;
            for (int m = ROW - 2; m >= 0; m--) {
                table[at + m] = (2 * t * table[at + m + 1] + exponential) / (2 * m + 1);
            }
        }
        return table;
    }
}

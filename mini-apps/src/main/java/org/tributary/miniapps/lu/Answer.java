package org.tributary.miniapps.lu;

/**
 * Verified results: of each of the five equations the root of the mean square of the residual and of the error, and the
 * surface integral of the pressure.
 */
record Answer(double[] residuals, double[] errors, double integral) {
    Answer {
        residuals = residuals.clone();
        errors = errors.clone();
    }

    @Override
    public double[] residuals() {
        return residuals.clone();
    }

    @Override
    public double[] errors() {
        return errors.clone();
    }

    /** The largest difference of a value from that of another answer, relative to it; NaN when any is. */
    double difference(Answer other) {
        double largest = relative(integral, other.integral);
        for (int m = 0; m < residuals.length; m++) {
            largest = Math.max(largest, relative(residuals[m], other.residuals[m]));
            largest = Math.max(largest, relative(errors[m], other.errors[m]));
        }
        return largest;
    }

    private static double relative(double found, double expected) {
        return Math.abs((found - expected) / expected);
    }
}

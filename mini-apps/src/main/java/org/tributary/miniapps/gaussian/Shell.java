package org.tributary.miniapps.gaussian;

/** Functions of one atom with the same exponents. Immutable. */
public final class Shell {
    private static final double CONTRACTION_POWER = 1.5;

    private final Kind kind;
    private final double[] center;
    private final double[] exponents;
    /** For each angular momentum, of primitives {@code x^l exp(-a r^2)} without their norm. */
    private final double[][] coefficients;

    private Shell(Kind kind, double[] center, double[] exponents, double[][] coefficients) {
        this.kind = kind;
        this.center = center;
        this.exponents = exponents;
        this.coefficients = coefficients;
    }

    /**
     * A shell whose functions have norm 1.
     *
     * @param center       x, y and z, in bohr
     * @param coefficients of primitives of norm 1, for each angular momentum; any multiple of them
     */
    static Shell of(Kind kind, double[] center, double[] exponents, double[][] coefficients) {
        double[][] normed = new double[coefficients.length][];
        for (int m = 0; m < coefficients.length; m++) {
            normed[m] = normed(kind.lowest() + m, exponents, coefficients[m]);
        }
        return new Shell(kind, center.clone(), exponents.clone(), normed);
    }

    private static double[] normed(int l, double[] exponents, double[] coefficients) {
        double square = 0;
        for (int a = 0; a < exponents.length; a++) {
            for (int b = 0; b < exponents.length; b++) {
                square += coefficients[a] * coefficients[b] * Math.pow(2 * Math.sqrt(exponents[a] * exponents[b])
                    / (exponents[a] + exponents[b]), l + CONTRACTION_POWER);
            }
        }
        double[] normed = new double[exponents.length];
        for (int a = 0; a < exponents.length; a++) {
            double oddFactorial = l == 2 ? 3 : 1;
            double primitive = Math.sqrt(Math.pow(2 * exponents[a] / Math.PI, CONTRACTION_POWER)
                * Math.pow(4 * exponents[a], l) / oddFactorial);
            normed[a] = coefficients[a] * primitive / Math.sqrt(square);
        }
        return normed;
    }

    /** Its kind, by the angular momenta of its functions. */
    public Kind kind() {
        return kind;
    }

    /** How many functions it has. */
    public int functions() {
        return kind.functions();
    }

    double center(int dimension) {
        return center[dimension];
    }

    int primitives() {
        return exponents.length;
    }

    double exponent(int primitive) {
        return exponents[primitive];
    }

    /** Coefficient of a primitive without norm in a function. */
    double coefficient(int function, int primitive) {
        return coefficients[kind.momentum(function) - kind.lowest()][primitive] * kind.scale(function);
    }

    /** Sets the values of all functions at a point, from place {@code at} on. */
    public void evaluate(double x, double y, double z, double[] into, int at) {
        double dx = x - center[0];
        double dy = y - center[1];
        double dz = z - center[2];
        double square = dx * dx + dy * dy + dz * dz;
        for (int f = 0; f < kind.functions(); f++) {
            into[at + f] = 0;
        }
        for (int a = 0; a < exponents.length; a++) {
            double radial = Math.exp(-exponents[a] * square);
            for (int f = 0; f < kind.functions(); f++) {
                into[at + f] += coefficients[kind.momentum(f) - kind.lowest()][a] * radial;
            }
        }
        for (int f = 0; f < kind.functions(); f++) {
            into[at + f] *= kind.scale(f) * power(dx, kind.power(f, 0)) * power(dy, kind.power(f, 1))
                * power(dz, kind.power(f, 2));
        }
    }

    private static double power(double base, int exponent) {
        return switch (exponent) {
            case 0 -> 1;
            case 1 -> base;
            default -> base * base;
        };
    }
}

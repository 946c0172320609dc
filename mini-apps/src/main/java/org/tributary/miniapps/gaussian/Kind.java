package org.tributary.miniapps.gaussian;

/** Kinds of shells, by the angular momenta of their functions. */
public enum Kind {
    /** One. */
    S(0, 0),
    /** Three. */
    P(1, 1),
    /** Six: cartesian. */
    D(2, 2),
    /** Four: an s and a p shell with the same exponents. */
    SP(0, 1);

    private static final double[] ODD_FACTORIALS = {1, 1, 3};

    private final int lowest;
    private final int highest;
    private final int[][] powers;

    Kind(int lowest, int highest) {
        this.lowest = lowest;
        this.highest = highest;
        int functions = 0;
        for (int l = lowest; l <= highest; l++) {
            functions += (l + 1) * (l + 2) / 2;
        }
        powers = new int[functions][];
        int function = 0;
        for (int l = lowest; l <= highest; l++) {
            for (int i = l; i >= 0; i--) {
                for (int j = l - i; j >= 0; j--) {
                    powers[function++] = new int[] {i, j, l - i - j};
                }
            }
        }
    }

    /** Lowest angular momentum. */
    int lowest() {
        return lowest;
    }

    /** Highest angular momentum. */
    int highest() {
        return highest;
    }

    /** How many functions it has. */
    public int functions() {
        return powers.length;
    }

    /** Power of x, y or z in a function. */
    int power(int function, int dimension) {
        return powers[function][dimension];
    }

    /** Angular momentum of a function. */
    int momentum(int function) {
        return powers[function][0] + powers[function][1] + powers[function][2];
    }

    /** The norm of {@code x^l} divided by that of a function. */
    double scale(int function) {
        double square = ODD_FACTORIALS[momentum(function)];
        for (int power : powers[function]) {
            square /= ODD_FACTORIALS[power];
        }
        return Math.sqrt(square);
    }
}

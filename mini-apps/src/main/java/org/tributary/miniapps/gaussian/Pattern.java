package org.tributary.miniapps.gaussian;

/**
 * Which Hermite Gaussians the products of the functions of two shells consist of: for each product, the first
 * function's number varying slowest, a list of their numbers. Immutable.
 */
final class Pattern {
    private static final int KINDS = Kind.values().length;
    private static final Pattern[] ALL = new Pattern[KINDS * KINDS];

    static {
        for (Kind a : Kind.values()) {
            for (Kind b : Kind.values()) {
                ALL[a.ordinal() * KINDS + b.ordinal()] = new Pattern(a, b);
            }
        }
    }

    private final int products;
    private final int degree;
    private final int[] ends;
    private final int[] hermites;

    private Pattern(Kind a, Kind b) {
        products = a.functions() * b.functions();
        degree = a.highest() + b.highest();
        ends = new int[products + 1];
        int entries = 0;
        for (int f = 0; f < a.functions(); f++) {
            for (int g = 0; g < b.functions(); g++) {
                entries += (a.power(f, 0) + b.power(g, 0) + 1) * (a.power(f, 1) + b.power(g, 1) + 1)
                    * (a.power(f, 2) + b.power(g, 2) + 1);
                ends[f * b.functions() + g + 1] = entries;
            }
        }
        hermites = new int[entries];
        int[] at = new int[1];
        forEach(a, b, (f, g, t, u, v) -> hermites[at[0]++] = Hermite.number(t, u, v));
    }

    /** Something done with a Hermite Gaussian of a product. */
    interface Action {
        void accept(int f, int g, int t, int u, int v);
    }

    /** All in the order of the lists. */
    static void forEach(Kind a, Kind b, Action action) {
        for (int f = 0; f < a.functions(); f++) {
            for (int g = 0; g < b.functions(); g++) {
                for (int t = 0; t <= a.power(f, 0) + b.power(g, 0); t++) {
                    for (int u = 0; u <= a.power(f, 1) + b.power(g, 1); u++) {
                        for (int v = 0; v <= a.power(f, 2) + b.power(g, 2); v++) {
                            action.accept(f, g, t, u, v);
                        }
                    }
                }
            }
        }
    }

    static Pattern of(Kind a, Kind b) {
        return ALL[a.ordinal() * KINDS + b.ordinal()];
    }

    int products() {
        return products;
    }

    /** Highest degree. */
    int degree() {
        return degree;
    }

    /** How many Hermite Gaussians there are up to the highest degree. */
    int hermites() {
        return Hermite.count(degree);
    }

    /** The lists, one after the other. */
    int[] numbers() {
        return hermites;
    }

    /** Where the list of each product begins, and the last one ends. */
    int[] ends() {
        return ends;
    }
}

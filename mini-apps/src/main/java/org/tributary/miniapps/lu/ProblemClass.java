package org.tributary.miniapps.lu;

/** Classes of the problem: points along each dimension, steps, time step, and the values that NPB 3.4 publishes. */
enum ProblemClass {
    S(12, 50, 0.5, new Answer(
        new double[] {1.6196343210976702e-2, 2.1976745164821318e-3, 1.5179927653399185e-3, 1.5029584435994323e-3,
            3.4264073155896461e-2},
        new double[] {6.4223319957960924e-4, 8.4144342047347926e-5, 5.8588269616485186e-5, 5.8474222595157350e-5,
            1.3103347914111294e-3}, 7.8418928865937083)),
    W(33, 300, 1.5e-3, new Answer(
        new double[] {12.36511638192, 1.317228477799, 2.550120713095, 2.326187750252, 28.26799444189},
        new double[] {0.4867877144216, 0.05064652880982, 0.0928181810196, 0.08570126542733, 1.084277417792},
        11.61399311023)),
    A(64, 250, 2, new Answer(
        new double[] {7.7902107606689367e2, 6.3402765259692870e1, 1.9499249727292479e2, 1.7845301160418537e2,
            1.8384760349464247e3},
        new double[] {2.9964085685471943e1, 2.8194576365003349, 7.3473412698774742, 6.7139225687777051,
            7.0715315688392578e1}, 2.6030925604886277e1)),
    B(102, 250, 2, new Answer(
        new double[] {3.5532672969982736e3, 2.6214750795310692e2, 8.8333721850952190e2, 7.7812774739425265e2,
            7.3087969592545314e3},
        new double[] {1.1401176380212709e2, 8.1098963655421574, 2.8480597317698308e1, 2.5905394567832939e1,
            2.6054907504857413e2}, 4.7887162703308227e1));

    /** How much a value may differ from the published one, relative to it: NPB's limit. */
    private static final double EPSILON = 1e-8;

    private final int extent;
    private final int steps;
    private final double timeStep;
    private final Answer published;

    ProblemClass(int extent, int steps, double timeStep, Answer published) {
        this.extent = extent;
        this.steps = steps;
        this.timeStep = timeStep;
        this.published = published;
    }

    /** Points along each dimension, boundary included. */
    int extent() {
        return extent;
    }

    int steps() {
        return steps;
    }

    double timeStep() {
        return timeStep;
    }

    Answer published() {
        return published;
    }

    /** How far the worst value is from the published one, relative to it; NaN when any is. */
    double error(Answer found) {
        return found.difference(published);
    }

    boolean isRight(Answer found) {
        return error(found) <= EPSILON;
    }

    /** Millions of operations a second of so many steps, by NPB's count. */
    double megaOperations(int stepsDone, double seconds) {
        double n = extent;
        return stepsDone * (1984.77 * n * n * n - 10923.3 * n * n + 27770.9 * n - 144010) / seconds * 1e-6;
    }
}

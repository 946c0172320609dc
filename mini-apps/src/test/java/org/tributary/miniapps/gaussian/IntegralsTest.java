package org.tributary.miniapps.gaussian;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class IntegralsTest {
    private static final double[] A = {0.1, -0.3, 0.25};
    private static final double[] B = {-0.7, 0.4, 0.9};
    private static final double[] C = {1.1, 0.2, -0.6};
    private static final double[] D = {0.3, -1.2, 0.5};
    private static final double SMALL = 1e-12;

    private static Shell shell(Kind kind, double[] center, double... exponents) {
        double[][] coefficients = new double[kind == Kind.SP ? 2 : 1][exponents.length];
        for (int m = 0; m < coefficients.length; m++) {
            for (int i = 0; i < exponents.length; i++) {
                coefficients[m][i] = 0.3 + 0.4 * i + 0.2 * m;
            }
        }
        return Shell.of(kind, center, exponents, coefficients);
    }

    private static ShellPair pair(Shell a, Shell b) {
        ShellPair pair = new ShellPair(a, b);
        new Repulsion().bound(pair);
        return pair;
    }

    private static double[] repulsion(Shell a, Shell b, Shell c, Shell d) {
        ShellPair bra = pair(a, b);
        ShellPair ket = pair(c, d);
        double[] all = new Repulsion().of(bra, ket);
        double[] own = new double[bra.products() * ket.products()];
        System.arraycopy(all, 0, own, 0, own.length);
        return own;
    }

    private static double[] moved(double[] place, int dimension, double distance) {
        double[] moved = place.clone();
        moved[dimension] += distance;
        return moved;
    }

    @Test
    void shouldHaveFunctionsOfNormOneInEveryBasisSet() {
        assertEquals(List.of("STO-3G", "6-31G", "6-31G*", "6-31G**"), BasisSet.names());
        double[] overlap = new double[36];
        double[] kinetic = new double[36];
        for (String name : BasisSet.names()) {
            BasisSet basis = BasisSet.of(name).orElseThrow();
            assertEquals(18, basis.elements().size(), name);
            for (int element : basis.elements()) {
                for (Shell shell : basis.shells(element, A)) {
                    new OneElectron().overlapAndKinetic(shell, shell, overlap, kinetic);
                    for (int f = 0; f < shell.functions(); f++) {
                        assertEquals(1, overlap[f * shell.functions() + f], SMALL, name + " of " + element);
                    }
                }
            }
        }
    }

    /** Only the second function is derived, so it is not the same by construction. */
    @ParameterizedTest
    @EnumSource
    void shouldHaveTheSameKineticEnergyWhicheverFunctionIsDerived(Kind kind) {
        for (Kind other : Kind.values()) {
            Shell a = shell(kind, A, 0.8, 2.3);
            Shell b = shell(other, B, 0.5, 1.7);
            double[] overlap = new double[36];
            double[] there = new double[36];
            double[] back = new double[36];
            new OneElectron().overlapAndKinetic(a, b, overlap, there);
            new OneElectron().overlapAndKinetic(b, a, overlap, back);
            for (int f = 0; f < a.functions(); f++) {
                for (int g = 0; g < b.functions(); g++) {
                    assertEquals(there[f * b.functions() + g], back[g * a.functions() + f], SMALL);
                }
            }
        }
    }

    /** Of a normalized s function the kinetic energy is 3 a / 2, and in the field of a nucleus - 2 sqrt(2 a / pi). */
    @Test
    void shouldKnowTheEnergyOfASphere() {
        Shell s = Shell.of(Kind.S, A, new double[] {0.7}, new double[][] {{5}});
        double[] overlap = new double[1];
        double[] energy = new double[1];
        new OneElectron().overlapAndKinetic(s, s, overlap, energy);
        assertEquals(1.5 * 0.7, energy[0], SMALL);
        new OneElectron().attraction(pair(s, s), new double[] {1, A[0], A[1], A[2]}, energy);
        assertEquals(-2 * Math.sqrt(2 * 0.7 / Math.PI), energy[0], SMALL);
        assertEquals(2 * Math.sqrt(0.7 / Math.PI), repulsion(s, s, s, s)[0], SMALL);
    }

    /** Poisson's equation: the potential's second derivatives are the density of the product, times 4 pi. */
    @ParameterizedTest
    @EnumSource
    void shouldAttractAsTheProductOfBothFunctionsDoes(Kind kind) {
        double step = 5e-4;
        for (Kind other : Kind.values()) {
            Shell a = shell(kind, A, 0.8, 1.3);
            Shell b = shell(other, B, 0.5, 1.7);
            ShellPair pair = pair(a, b);
            double[] valuesA = new double[6];
            double[] valuesB = new double[6];
            a.evaluate(C[0], C[1], C[2], valuesA, 0);
            b.evaluate(C[0], C[1], C[2], valuesB, 0);
            double[] laplacian = new double[36];
            double[] energy = new double[36];
            for (int d = 0; d < 3; d++) {
                for (int side = -1; side <= 1; side++) {
                    double[] place = moved(C, d, side * step);
                    new OneElectron().attraction(pair, new double[] {1, place[0], place[1], place[2]}, energy);
                    for (int n = 0; n < pair.products(); n++) {
                        laplacian[n] += (side == 0 ? -2 : 1) * energy[n] / (step * step);
                    }
                }
            }
            for (int n = 0; n < pair.products(); n++) {
                assertEquals(4 * Math.PI * valuesA[n / b.functions()] * valuesB[n % b.functions()], laplacian[n], 1e-5);
            }
        }
    }

    /** A product that is a point is repelled as a nucleus is attracted. */
    @ParameterizedTest
    @EnumSource
    void shouldRepelAPointAsANucleusAttracts(Kind kind) {
        Shell point = Shell.of(Kind.S, C, new double[] {1e9}, new double[][] {{1}});
        for (Kind other : Kind.values()) {
            Shell a = shell(kind, A, 0.8, 1.3);
            Shell b = shell(other, B, 0.5, 1.7);
            double[] attraction = new double[36];
            new OneElectron().attraction(pair(a, b), new double[] {1, C[0], C[1], C[2]}, attraction);
            double[] repulsion = repulsion(a, b, point, point);
            for (int n = 0; n < repulsion.length; n++) {
                assertEquals(-attraction[n], repulsion[n], 1e-8);
            }
        }
    }

    @Test
    void shouldBeTheSameWhicheverWayRoundAndWhereverItIs() {
        for (Kind first : Kind.values()) {
            for (Kind second : Kind.values()) {
                Shell a = shell(first, A, 0.8, 2.3);
                Shell b = shell(Kind.SP, B, 0.5, 1.7, 0.2);
                Shell c = shell(second, C, 1.1);
                Shell d = shell(Kind.P, D, 0.6, 0.9);
                double[] one = repulsion(a, b, c, d);
                double[] turned = repulsion(c, d, a, b);
                double[] swapped = repulsion(b, a, c, d);
                double[] away = repulsion(shell(first, moved(A, 1, 7), 0.8, 2.3),
                    shell(Kind.SP, moved(B, 1, 7), 0.5, 1.7, 0.2), shell(second, moved(C, 1, 7), 1.1),
                    shell(Kind.P, moved(D, 1, 7), 0.6, 0.9));
                int bra = a.functions() * b.functions();
                int ket = c.functions() * d.functions();
                for (int n = 0; n < bra; n++) {
                    int backwards = n % b.functions() * a.functions() + n / b.functions();
                    for (int m = 0; m < ket; m++) {
                        assertEquals(one[n * ket + m], turned[m * bra + n], SMALL);
                        assertEquals(one[n * ket + m], swapped[backwards * ket + m], SMALL);
                        assertEquals(one[n * ket + m], away[n * ket + m], SMALL);
                    }
                }
            }
        }
    }

    /** A p function is the derivative of an s function by its center; d functions are derivatives of p and s. */
    @Test
    void shouldHaveHigherFunctionsAsDerivativesOfLowerOnes() {
        double exponent = 0.9;
        double step = 1e-4;
        double[] single = {exponent};
        Shell b = shell(Kind.SP, B, 0.5, 1.7);
        Shell c = shell(Kind.D, C, 1.1);
        Shell d = shell(Kind.P, D, 0.6);
        int others = b.functions() * c.functions() * d.functions();
        double[] s = repulsion(shell(Kind.S, A, single), b, c, d);
        double[] p = repulsion(shell(Kind.P, A, single), b, c, d);
        double[] dd = repulsion(shell(Kind.D, A, single), b, c, d);
        double[] ofP = {2 * Math.sqrt(exponent), 4 * exponent / Math.sqrt(3), 4 * exponent}; // norms by that of s
        int[][] numbers = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}}; // of the d functions
        for (int along = 0; along < 3; along++) {
            double[] ahead = moved(A, along, step);
            double[] behind = moved(A, along, -step);
            double[] sAhead = repulsion(shell(Kind.S, ahead, single), b, c, d);
            double[] sBehind = repulsion(shell(Kind.S, behind, single), b, c, d);
            double[] pAhead = repulsion(shell(Kind.P, ahead, single), b, c, d);
            double[] pBehind = repulsion(shell(Kind.P, behind, single), b, c, d);
            for (int n = 0; n < others; n++) {
                assertEquals(2 * exponent / ofP[0] * p[along * others + n], (sAhead[n] - sBehind[n]) / (2 * step),
                    1e-7);
                for (int axis = 0; axis < 3; axis++) {
                    double norm = axis == along ? ofP[1] : ofP[2];
                    double expected = ofP[0] * (2 * exponent / norm * dd[numbers[along][axis] * others + n]
                        - (axis == along ? s[n] : 0));
                    assertEquals(expected, (pAhead[axis * others + n] - pBehind[axis * others + n]) / (2 * step),
                        1e-7);
                }
            }
        }
    }

    @Test
    void shouldNotExceedTheProductOfBothBounds() {
        List<ShellPair> pairs = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            pairs.add(pair(shell(kind, A, 0.8, 2.3), shell(Kind.SP, B, 0.5, 1.7)));
            pairs.add(pair(shell(kind, C, 0.1), shell(kind, new double[] {2.5, 2.5, -1}, 0.5, 1.7)));
        }
        Repulsion repulsion = new Repulsion();
        for (ShellPair bra : pairs) {
            for (ShellPair ket : pairs) {
                double[] integrals = repulsion.of(bra, ket);
                for (int n = 0; n < bra.products() * ket.products(); n++) {
                    assertTrue(Math.abs(integrals[n]) <= bra.bound() * ket.bound() * (1 + SMALL));
                }
            }
        }
    }

    @Test
    void shouldLeaveOutAPairThatIsTooFarApart() {
        ShellPair pair = pair(shell(Kind.SP, A, 1), shell(Kind.D, new double[] {0, 0, 50}, 1));
        assertEquals(0, pair.bound());
        for (double integral : repulsion(shell(Kind.S, A, 1), shell(Kind.S, A, 1), shell(Kind.SP, A, 1),
            shell(Kind.D, new double[] {0, 0, 50}, 1))) {
            assertEquals(0, integral);
        }
    }
}

package org.tributary.miniapps.scf;

import java.util.Arrays;
import org.tributary.miniapps.gaussian.Repulsion;
import org.tributary.miniapps.gaussian.ShellPair;

/**
 * The contribution of the functions of four blocks, I, J, K and L, to the Fock matrix: each integral that differs from
 * the others by symmetry is computed once and multiplies six elements of the density. Parts of both matrices are dense
 * arrays of this object, {@link #IJ} and so on, rows of the first block's functions; integrals that are left out are
 * less than the limit divided by the density. One thread.
 *
 * <p>The sum over all quartets of blocks, pair KL not behind pair IJ, has to be multiplied by {@link #COULOMB} and
 * {@link #EXCHANGE}; then half of it and its transpose make up the two-electron part of the Fock matrix.
 */
final class Quartets {
    static final int IJ = 0;
    static final int KL = 1;
    static final int IK = 2;
    static final int IL = 3;
    static final int JK = 4;
    static final int JL = 5;
    static final int PARTS = 6;
    /** Factor of parts IJ and KL. */
    static final double COULOMB = 4;
    /** Factor of the other parts. */
    static final double EXCHANGE = -1;
    /** Which blocks parts are of, I being 0. */
    private static final int[] ROWS = {0, 2, 0, 0, 1, 1};
    private static final int[] COLUMNS = {1, 3, 2, 3, 2, 3};
    private static final double HALF = 0.5;
    private static final double SMALLEST = 1e-300;

    private final Pairs pairs;
    private final Functions functions;
    private final Blocks blocks;
    private final double limit;
    private final Repulsion repulsion = new Repulsion();
    private final double[][] density;
    private final double[][] fock;
    private final int[] block = new int[4];
    private final int[] widths = new int[PARTS];

    Quartets(Pairs pairs, Blocks blocks, double limit) {
        this.pairs = pairs;
        this.functions = pairs.functions();
        this.blocks = blocks;
        this.limit = limit;
        int most = blocks.mostFunctions();
        density = new double[PARTS][most * most];
        fock = new double[PARTS][most * most];
    }

    /** Number of the block, of those given, that the rows of a part are of; I is 0. */
    static int rows(int part) {
        return ROWS[part];
    }

    /** The same for columns. */
    static int columns(int part) {
        return COLUMNS[part];
    }

    /** To be filled. */
    double[] density(int part) {
        return density[part];
    }

    /** Filled by {@link #compute}. */
    double[] fock(int part) {
        return fock[part];
    }

    /**
     * Computes all parts of the Fock matrix for blocks I, J at most I, K, and L at most K; KL is not behind IJ.
     *
     * @return how many quartets of shells were not left out
     */
    long compute(int... quartet) {
        System.arraycopy(quartet, 0, block, 0, block.length);
        double largest = SMALLEST;
        for (int part = 0; part < PARTS; part++) {
            widths[part] = blocks.functions(quartet[COLUMNS[part]]);
            int elements = widths[part] * blocks.functions(quartet[ROWS[part]]);
            Arrays.fill(fock[part], 0, elements, 0);
            for (int n = 0; n < elements; n++) {
                largest = Math.max(largest, Math.abs(density[part][n]));
            }
        }
        double smallest = limit / largest;
        long computed = 0;
        for (int i = blocks.firstShell(quartet[0]); i < blocks.firstShell(quartet[0] + 1); i++) {
            int behindJ = Math.min(blocks.firstShell(quartet[1] + 1), i + 1);
            for (int j = blocks.firstShell(quartet[1]); j < behindJ; j++) {
                computed += compute(i, j, smallest);
            }
        }
        return computed;
    }

    private long compute(int i, int j, double smallest) {
        ShellPair bra = pairs.pair(i, j);
        boolean isSamePair = block[0] == block[2] && block[1] == block[3];
        long computed = 0;
        int endK = blocks.firstShell(block[2] + 1);
        int endL = blocks.firstShell(block[3] + 1);
        for (int k = blocks.firstShell(block[2]); k < (isSamePair ? i + 1 : endK); k++) {
            int lastL = isSamePair && k == i ? j : k;
            for (int l = blocks.firstShell(block[3]); l < Math.min(endL, lastL + 1); l++) {
                ShellPair ket = pairs.pair(k, l);
                if (bra.bound() * ket.bound() >= smallest) {
                    double share = (i == j ? HALF : 1) * (k == l ? HALF : 1) * (i == k && j == l ? HALF : 1);
                    add(repulsion.of(bra, ket), share, i, j, k, l);
                    computed++;
                }
            }
        }
        return computed;
    }

    /** Adds the integrals of four shells. */
    private void add(double[] integrals, double share, int i, int j, int k, int l) {
        int functionsK = functions.shell(k).functions();
        int functionsL = functions.shell(l).functions();
        int fromI = functions.first(i) - blocks.first(block[0]);
        int fromJ = functions.first(j) - blocks.first(block[1]);
        int fromK = functions.first(k) - blocks.first(block[2]);
        int fromL = functions.first(l) - blocks.first(block[3]);
        int at = 0;
        for (int a = fromI; a < fromI + functions.shell(i).functions(); a++) {
            for (int b = fromJ; b < fromJ + functions.shell(j).functions(); b++) {
                int ab = a * widths[IJ] + b;
                double densityAb = share * density[IJ][ab];
                double sum = 0;
                for (int c = fromK; c < fromK + functionsK; c++) {
                    sum += add(integrals, at, functionsL, share, densityAb, a, b, c, fromL);
                    at += functionsL;
                }
                fock[IJ][ab] += share * sum;
            }
        }
    }

    /** Adds those of functions a, b and c and all functions of a shell; returns the Coulomb energy of a and b. */
    private double add(double[] integrals, int first, int count, double share, double densityAb, int a, int b, int c,
        int fromL) {
        double[] densityKl = density[KL];
        double[] densityIl = density[IL];
        double[] densityJl = density[JL];
        double[] fockKl = fock[KL];
        double[] fockIl = fock[IL];
        double[] fockJl = fock[JL];
        int ac = a * widths[IK] + c;
        int bc = b * widths[JK] + c;
        int kl = c * widths[KL] + fromL;
        int il = a * widths[IL] + fromL;
        int jl = b * widths[JL] + fromL;
        double densityAc = share * density[IK][ac];
        double densityBc = share * density[JK][bc];
        double sumAb = 0;
        double sumAc = 0;
        double sumBc = 0;
        for (int d = 0; d < count; d++) {
            double integral = integrals[first + d];
            sumAb += integral * densityKl[kl + d];
            sumAc += integral * densityJl[jl + d];
            sumBc += integral * densityIl[il + d];
            fockKl[kl + d] += integral * densityAb;
            fockIl[il + d] += integral * densityBc;
            fockJl[jl + d] += integral * densityAc;
        }
        fock[IK][ac] += share * sumAc;
        fock[JK][bc] += share * sumBc;
        return sumAb;
    }
}

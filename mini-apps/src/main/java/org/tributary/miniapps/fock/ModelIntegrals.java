package org.tributary.miniapps.fock;

/**
 * A density matrix, and integrals {@code (ij|kl)} over pairs of basis functions as density fitting writes them, a sum
 * of products of a factor of each pair: {@code b1(i,j) b1(k,l) + b2(i,j) b2(k,l)}. Pairs of distant functions have
 * none. All values are small integers, so sums of them are exact in any order.
 *
 * @param size  basis functions
 * @param reach largest distance of the functions of a pair
 */
record ModelIntegrals(int size, int reach) {
    private static final int LARGEST_FACTOR = 2;
    private static final int LARGEST_DENSITY = 3;
    private static final long DENSITY = 3;

    /** Factor {@code p}, 1 or 2, of a pair. */
    double factor(int p, int i, int j) {
        return Math.abs(i - j) > reach ? 0 : number(p, i, j, LARGEST_FACTOR);
    }

    double density(int k, int l) {
        return number(DENSITY, k, l, LARGEST_DENSITY);
    }

    /** Whether any pair of two blocks of {@code block} functions has a factor. */
    boolean haveFactors(int blockI, int blockJ, int block) {
        int gap = Math.abs(blockI - blockJ) * block - (block - 1); // between their nearest functions
        return gap <= reach;
    }

    private long number(long kind, int i, int j, int largest) {
        long mixed = ((kind * size + i) * size + j + 1) * 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ mixed >>> 32) * 0xD6E8FEB86659FD93L;
        return Math.floorMod(mixed ^ mixed >>> 32, 2L * largest + 1) - largest;
    }

    /** The Fock matrix, row by row: twice the Coulomb matrix less the exchange matrix, by matrix products. */
    double[] fock() {
        double[] fock = new double[size * size];
        for (int p = 1; p <= 2; p++) {
            double[] b = matrix(p);
            double sum = 0;
            double[] half = new double[size * size];
            for (int i = 0; i < size; i++) {
                for (int j = 0; j < size; j++) {
                    double factor = b[i * size + j];
                    sum += factor * density(i, j);
                    for (int l = 0; factor != 0 && l < size; l++) {
                        half[i * size + l] += factor * density(j, l);
                    }
                }
            }
            addProduct(fock, b, half, sum);
        }
        return fock;
    }

    /** Coulomb: 2 b (b . D); exchange: - (b D) b', where an element is the sum over j and l of b(i,j) D(j,l) b(k,l). */
    private void addProduct(double[] fock, double[] b, double[] half, double sum) {
        for (int i = 0; i < size; i++) {
            for (int k = 0; k < size; k++) {
                double exchange = 0;
                for (int l = Math.max(0, k - reach); l <= Math.min(size - 1, k + reach); l++) {
                    exchange += half[i * size + l] * b[k * size + l];
                }
                fock[i * size + k] += 2 * b[i * size + k] * sum - exchange;
            }
        }
    }

    private double[] matrix(int p) {
        double[] b = new double[size * size];
        for (int i = 0; i < size; i++) {
            for (int j = 0; j < size; j++) {
                b[i * size + j] = factor(p, i, j);
            }
        }
        return b;
    }
}

package org.tributary.miniapps.matmul;

import java.util.SplittableRandom;
import org.tributary.client.Gas;
import org.tributary.globalarrays.GlobalArray;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.miniapps.Report;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/**
 * Is {@code C = A B}? Freivalds' check (1977): for a random vector x, compare {@code A (B x)} with {@code C x}, which
 * takes n squared operations. The entries of x are real numbers of either sign and magnitude 0.5 to 1, from a fixed
 * seed: an error in any single element of C shows in full. Small products are compared element by element as well.
 *
 * <p>The limits are of the size that rounding reaches for elements uniform in [-0.5, 0.5), some 20 times what is
 * typical: {@code epsilon n^1.5} for the vectors, {@code epsilon n} for the elements, epsilon being that of the
 * element type.
 */
final class ProductCheck {
    /** Largest matrix that is also compared element by element. */
    static final int SERIAL_LIMIT = 256;
    private static final long SEED = 20_250_101;

    private ProductCheck() {
    }

    /** Whether the product of the {@link TestMatrix} pair is right, the same on every rank. Collective. */
    static boolean verify(Gas gas, GlobalArray a, GlobalArray b, GlobalArray c, Report out) {
        int n = Math.toIntExact(c.dims()[0]);
        double epsilon = c.type() == ElementType.FLOAT ? 0x1.0p-23 : 0x1.0p-52;
        SplittableRandom random = new SplittableRandom(SEED);
        double[] x = random.doubles(n, 0.5, 1).map(value -> random.nextBoolean() ? value : -value).toArray();
        double[] expected = MatrixVector.multiply(a, MatrixVector.multiply(b, x));
        double[] actual = MatrixVector.multiply(c, x);
        boolean right = within(out, "A (B x) - C x", distance(expected, actual), epsilon * Math.pow(n, 1.5));
        if (n <= SERIAL_LIMIT) {
            right &= within(out, "element by element", serialDistance(c, n), epsilon * n);
        }
        return gas.world().allreduce(ReduceOp.MIN, right ? 1L : 0L) == 1;
    }

    private static boolean within(Report out, String what, double error, double limit) {
        boolean right = error <= limit;
        out.line("verification, %s: largest error %.2e, limit %.2e: %s", what, error, limit,
            right ? "passed" : "FAILED");
        return right;
    }

    /** Largest difference; NaN when any entry is. */
    private static double distance(double[] expected, double[] actual) {
        double largest = 0;
        for (int i = 0; i < expected.length; i++) {
            largest = Math.max(largest, Math.abs(expected[i] - actual[i]));
        }
        return largest;
    }

    private static double serialDistance(GlobalArray c, int n) {
        double[] actual = new double[n * n];
        Patch whole = Patch.whole(n, n);
        if (c.type() == ElementType.FLOAT) {
            float[] single = new float[n * n];
            c.get(whole, single);
            for (int i = 0; i < single.length; i++) {
                actual[i] = single[i];
            }
        } else {
            c.get(whole, actual);
        }
        return distance(serialProduct(n), actual);
    }

    private static double[] serialProduct(int n) {
        double[] product = new double[n * n];
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < n; k++) {
                double left = TestMatrix.A.at(i, k);
                for (int j = 0; j < n; j++) {
                    product[i * n + j] += left * TestMatrix.B.at(k, j);
                }
            }
        }
        return product;
    }
}

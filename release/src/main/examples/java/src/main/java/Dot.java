import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.tributary.client.Gas;
import org.tributary.globalarrays.Block;
import org.tributary.globalarrays.GlobalArray;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.wire.shape.ElementType;

public final class Dot {
    public static void main(String[] args) {
        try (Gas gas = Gas.attach()) {
            GlobalArray a = GlobalArray.create(gas, "A", ElementType.DOUBLE, 1000, 1000);
            // Every rank fills its own block as plain memory: the identity matrix.
            Block mine = a.access();
            Patch patch = mine.patch();
            for (long i = patch.lo(0); i < patch.hi(0); i++) {
                for (long j = patch.lo(1); j < patch.hi(1); j++) {
                    mine.segment().set(ValueLayout.JAVA_DOUBLE, mine.offset(i, j), i == j ? 1 : 0);
                }
            }
            a.barrier();
            // Any rank reads and adds to any part, whichever rank owns it. Upper bounds are not included.
            double[] middle = new double[4];
            a.get(Patch.of(499, 501, 499, 501), middle);
            a.accumulate(Patch.of(0, 1, 0, 1), new double[] {1}, 0.5);
            a.barrier();
            double product = a.dot(a).asDouble();
            if (gas.rank() == 0) {
                System.out.println("middle " + Arrays.toString(middle) + ", A[0,0] = " + a.get(0, 0)
                    + ", A . A = " + product);
            }
            a.close();
        }
    }
}

package org.tributary.globalarrays;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.ValueLayout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tributary.client.Gas;
import org.tributary.globalarrays.distribution.Indices;
import org.tributary.wire.shape.ElementType;

/** Ghost cells, corners and periodic boundaries included. */
class GhostTest {
    private static final long UNTOUCHED = -77;

    @ParameterizedTest
    @EnumSource
    void shouldMirrorNeighboursInEveryDirection(JobShape job) {
        job.run(gas -> {
            check(gas, new long[] {8, 9}, new int[] {1, 1}, new boolean[] {false, false});
            check(gas, new long[] {8, 9}, new int[] {2, 1}, new boolean[] {true, true});
            check(gas, new long[] {8, 9}, new int[] {1, 2}, new boolean[] {true, false});
            check(gas, new long[] {5, 6, 4}, new int[] {1, 0, 2}, new boolean[] {false, true, true});
            check(gas, new long[] {30}, new int[] {3}, new boolean[] {true});
        });
    }

    /** Wider than a block, so ghost cells come from several owners; and ranks without elements. */
    @ParameterizedTest
    @EnumSource
    void shouldMirrorBeyondTheNextNeighbour(JobShape job) {
        job.run(gas -> {
            check(gas, new long[] {4}, new int[] {3}, new boolean[] {true});
            check(gas, new long[] {2}, new int[] {2}, new boolean[] {true});
            check(gas, new long[] {1, 3}, new int[] {1, 3}, new boolean[] {true, false});
        });
    }

    private static void check(Gas gas, long[] dims, int[] ghosts, boolean[] periodic) {
        GlobalArray array = GlobalArray.builder(gas, "A", ElementType.LONG, dims).ghosts(ghosts).periodic(periodic)
            .create();
        Block own = array.access();
        own.segment().elements(ValueLayout.JAVA_LONG).forEach(cell -> cell.set(ValueLayout.JAVA_LONG, 0, UNTOUCHED));
        SerialModel model = SerialModel.filled(array, 3);
        array.updateGhosts();
        Indices.forEach(array.layout().allocatedPatch(gas.rank()), cell -> {
            long[] source = cell.clone();
            boolean outside = false;
            for (int d = 0; d < cell.length; d++) {
                source[d] = Math.floorMod(cell[d], dims[d]);
                outside |= source[d] != cell[d] && !periodic[d];
            }
            assertEquals(outside ? UNTOUCHED : (long) model.get(source).re(),
                own.segment().get(ValueLayout.JAVA_LONG, own.offset(cell)));
        });
        array.close();
    }
}

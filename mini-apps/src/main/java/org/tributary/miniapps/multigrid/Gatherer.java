package org.tributary.miniapps.multigrid;

import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;
import org.tributary.client.Gas;
import org.tributary.miniapps.exchange.ProcessGrid;

/** Gives every rank the residual of a level as a whole, by one collective call. */
final class Gatherer {
    private final Gas gas;
    private final Level boxes;
    private final Level whole;
    /** Where each rank's box begins. */
    private final int[][] starts;
    private final double[] own;
    private final double[] all;

    /** From a level whose boxes are spread over a grid of processes to one of as many points on each rank. */
    Gatherer(Gas gas, ProcessGrid processes, Level boxes, Level whole) {
        this.gas = gas;
        this.boxes = boxes;
        this.whole = whole;
        int[] extents = boxes.extents();
        starts = IntStream.range(0, gas.rankCount()).mapToObj(rank -> {
            int[] place = processes.coordinates(rank);
            return IntStream.range(0, place.length).map(d -> place[d] * extents[d]).toArray();
        }).toArray(int[][]::new);
        own = new double[IntStream.of(extents).reduce(1, Math::multiplyExact)];
        all = new double[Math.multiplyExact(own.length, starts.length)];
    }

    /** Fills the residual of the whole, with its ghost points; collective. */
    void gather() {
        int[] extents = boxes.extents();
        int row = 0;
        for (int z = 0; z < extents[0]; z++) {
            for (int y = 0; y < extents[1]; y++) {
                System.arraycopy(boxes.residual().row(z, y), 1, own, row++ * extents[2], extents[2]);
            }
        }
        gas.world().allgather(MemorySegment.ofArray(own), MemorySegment.ofArray(all));
        row = 0;
        for (int[] start : starts) {
            for (int z = 0; z < extents[0]; z++) {
                for (int y = 0; y < extents[1]; y++) {
                    System.arraycopy(all, row++ * extents[2], whole.residual().row(start[0] + z, start[1] + y),
                        start[2] + 1, extents[2]);
                }
            }
        }
        whole.exchange(whole.residual());
    }
}

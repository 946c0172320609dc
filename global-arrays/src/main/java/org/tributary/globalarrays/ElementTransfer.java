package org.tributary.globalarrays;

import java.util.Arrays;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.remote.Handle;
import org.tributary.client.shape.Ranges;
import org.tributary.client.shape.Scale;
import org.tributary.globalarrays.distribution.BlockLayout;

/** Moves lists of single elements: grouped by owner, one vector operation for each. Thread-safe. */
record ElementTransfer(Gas gas, GlobalMemory memory, BlockLayout layout) {
    /**
     * Moves elements and waits until the local memory may be used again.
     *
     * @param local   dense elements, the k-th belonging to the k-th index
     * @param first   byte offset of the first
     * @param indices indices that lie in the array, {@code dimensions} entries each
     */
    void move(PatchTransfer.Operation operation, LocalBuffer local, long first, long[] indices, Scale scale) {
        int dimensions = layout.distribution().dimensions();
        int count = indices.length / dimensions;
        long[] offsets = new long[count];
        long[] order = new long[count];
        long[] index = new long[dimensions];
        for (int k = 0; k < count; k++) {
            System.arraycopy(indices, k * dimensions, index, 0, dimensions);
            int owner = layout.distribution().ownerOf(index);
            offsets[k] = layout.offset(owner, index);
            order[k] = (long) owner << Integer.SIZE | k;
        }
        Arrays.sort(order);
        Handle handle = gas.handle();
        for (int from = 0; from < count;) {
            int owner = (int) (order[from] >> Integer.SIZE);
            int to = from;
            while (to < count && order[to] >> Integer.SIZE == owner) {
                to++;
            }
            start(operation, handle, memory.group().worldRank(owner), local,
                ranges(order, from, to, first, offsets), scale);
            from = to;
        }
        handle.await();
    }

    private Ranges ranges(long[] order, int from, int to, long first, long[] offsets) {
        long[] locals = new long[to - from];
        long[] remotes = new long[to - from];
        for (int i = from; i < to; i++) {
            int k = (int) order[i];
            locals[i - from] = first + (long) k * layout.elementBytes();
            remotes[i - from] = offsets[k];
        }
        return Ranges.uniform(layout.elementBytes(), locals, remotes);
    }

    private void start(PatchTransfer.Operation operation, Handle handle, int rank, LocalBuffer local, Ranges ranges,
        Scale scale) {
        switch (operation) {
            case PUT -> memory.nbPutVector(handle, rank, local.memory(), ranges);
            case GET -> memory.nbGetVector(handle, rank, local.memory(), ranges);
            case ACCUMULATE -> memory.nbAccumulateVector(handle, rank, scale, local.memory(), ranges);
        }
    }
}

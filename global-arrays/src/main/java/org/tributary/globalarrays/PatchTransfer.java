package org.tributary.globalarrays;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.remote.Handle;
import org.tributary.client.shape.Scale;
import org.tributary.client.shape.Strided;
import org.tributary.globalarrays.distribution.BlockLayout;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.globalarrays.distribution.Piece;
import org.tributary.globalarrays.distribution.StridedPlan;

/**
 * Moves a patch between local memory and its owners, one strided operation for each owner. Those of other nodes are
 * started first, so that they travel while the pieces of this node are copied. Thread-safe.
 */
final class PatchTransfer {
    enum Operation {
        PUT, GET, ACCUMULATE
    }

    private final Gas gas;
    private final GlobalMemory memory;
    private final BlockLayout layout;
    private final Ranks ranks;

    PatchTransfer(Gas gas, GlobalMemory memory, BlockLayout layout, Ranks ranks) {
        this.gas = gas;
        this.memory = memory;
        this.layout = layout;
        this.ranks = ranks;
    }

    /** A local box of elements: where it begins and how far apart its elements are, in bytes. */
    record Local(MemorySegment memory, long offset, long[] strides) {
    }

    /** Moves a patch that lies in the array and waits until the local memory may be used again. */
    void move(Operation operation, Patch patch, Local local, Scale scale) {
        List<Piece> pieces = layout.distribution().pieces(patch);
        if (pieces.size() == 1) {
            movePiece(operation, null, patch, pieces.getFirst(), local, scale);
        } else if (!pieces.isEmpty()) {
            Handle handle = gas.handle();
            movePieces(operation, handle, patch, pieces, local, scale);
            handle.await();
        }
    }

    /** Starts to move a patch that lies in the array; the handle tells when the local memory may be used again. */
    void start(Operation operation, Handle handle, Patch patch, Local local, Scale scale) {
        movePieces(operation, handle, patch, layout.distribution().pieces(patch), local, scale);
    }

    private void movePieces(Operation operation, Handle handle, Patch patch, List<Piece> pieces, Local local,
        Scale scale) {
        for (Piece piece : pieces) {
            if (!memory.isShared(ranks.world(piece.owner()))) {
                movePiece(operation, handle, patch, piece, local, scale);
            }
        }
        for (Piece piece : pieces) {
            if (memory.isShared(ranks.world(piece.owner()))) {
                movePiece(operation, handle, patch, piece, local, scale);
            }
        }
    }

    private void movePiece(Operation operation, Handle handle, Patch whole, Piece piece, Local local, Scale scale) {
        Patch part = piece.patch();
        long localOffset = local.offset();
        for (int d = 0; d < part.dimensions(); d++) {
            localOffset += (part.lo(d) - whole.lo(d)) * local.strides()[d];
        }
        int rank = ranks.world(piece.owner());
        long remoteOffset = layout.offset(piece.owner(), part.lo());
        StridedPlan plan = StridedPlan.of(part, layout.elementBytes(), local.strides(), layout.strides(piece.owner()));
        if (plan.isContiguous()) {
            contiguous(operation, handle, rank, remoteOffset, local.memory(), localOffset, plan.blockBytes(), scale);
        } else {
            Strided shape = new Strided(plan.blockBytes(), plan.counts(), plan.localStrides(), plan.remoteStrides());
            strided(operation, handle, rank, remoteOffset, local.memory(), localOffset, shape, scale);
        }
    }

    private void contiguous(Operation operation, Handle handle, int rank, long remote, MemorySegment local, long offset,
        long bytes, Scale scale) {
        switch (operation) {
            case PUT -> {
                if (handle == null) {
                    memory.put(rank, remote, local, offset, bytes);
                } else {
                    memory.nbPut(handle, rank, remote, local, offset, bytes);
                }
            }
            case GET -> {
                if (handle == null) {
                    memory.get(rank, remote, local, offset, bytes);
                } else {
                    memory.nbGet(handle, rank, remote, local, offset, bytes);
                }
            }
            case ACCUMULATE -> {
                if (handle == null) {
                    memory.accumulate(rank, remote, scale, local, offset, bytes);
                } else {
                    memory.nbAccumulate(handle, rank, remote, scale, local, offset, bytes);
                }
            }
        }
    }

    private void strided(Operation operation, Handle handle, int rank, long remote, MemorySegment local, long offset,
        Strided shape, Scale scale) {
        switch (operation) {
            case PUT -> {
                if (handle == null) {
                    memory.putStrided(rank, remote, local, offset, shape);
                } else {
                    memory.nbPutStrided(handle, rank, remote, local, offset, shape);
                }
            }
            case GET -> {
                if (handle == null) {
                    memory.getStrided(rank, remote, local, offset, shape);
                } else {
                    memory.nbGetStrided(handle, rank, remote, local, offset, shape);
                }
            }
            case ACCUMULATE -> {
                if (handle == null) {
                    memory.accumulateStrided(rank, remote, scale, local, offset, shape);
                } else {
                    memory.nbAccumulateStrided(handle, rank, remote, scale, local, offset, shape);
                }
            }
        }
    }
}

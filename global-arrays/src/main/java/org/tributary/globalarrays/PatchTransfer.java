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
record PatchTransfer(Gas gas, GlobalMemory memory, BlockLayout layout) {
    enum Operation {
        PUT, GET, ACCUMULATE
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
            if (!memory.isShared(rank(piece))) {
                movePiece(operation, handle, patch, piece, local, scale);
            }
        }
        for (Piece piece : pieces) {
            if (memory.isShared(rank(piece))) {
                movePiece(operation, handle, patch, piece, local, scale);
            }
        }
    }

    private int rank(Piece piece) {
        return memory.group().worldRank(piece.owner());
    }

    private void movePiece(Operation operation, Handle handle, Patch whole, Piece piece, Local local, Scale scale) {
        Patch part = piece.patch();
        long localOffset = local.offset();
        for (int d = 0; d < part.dimensions(); d++) {
            localOffset += (part.lo(d) - whole.lo(d)) * local.strides()[d];
        }
        int rank = rank(piece);
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
        if (handle == null) {
            switch (operation) {
                case PUT -> memory.put(rank, remote, local, offset, bytes);
                case GET -> memory.get(rank, remote, local, offset, bytes);
                case ACCUMULATE -> memory.accumulate(rank, remote, scale, local, offset, bytes);
            }
            return;
        }
        switch (operation) {
            case PUT -> memory.nbPut(handle, rank, remote, local, offset, bytes);
            case GET -> memory.nbGet(handle, rank, remote, local, offset, bytes);
            case ACCUMULATE -> memory.nbAccumulate(handle, rank, remote, scale, local, offset, bytes);
        }
    }

    private void strided(Operation operation, Handle handle, int rank, long remote, MemorySegment local, long offset,
        Strided shape, Scale scale) {
        if (handle == null) {
            switch (operation) {
                case PUT -> memory.putStrided(rank, remote, local, offset, shape);
                case GET -> memory.getStrided(rank, remote, local, offset, shape);
                case ACCUMULATE -> memory.accumulateStrided(rank, remote, scale, local, offset, shape);
            }
            return;
        }
        switch (operation) {
            case PUT -> memory.nbPutStrided(handle, rank, remote, local, offset, shape);
            case GET -> memory.nbGetStrided(handle, rank, remote, local, offset, shape);
            case ACCUMULATE -> memory.nbAccumulateStrided(handle, rank, remote, scale, local, offset, shape);
        }
    }
}

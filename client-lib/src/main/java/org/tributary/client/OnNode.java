package org.tributary.client;

import java.lang.foreign.MemorySegment;
import org.tributary.wire.codec.ReduceCode;
import org.tributary.wire.shape.Accumulator;
import org.tributary.wire.shape.StridedRegion;
import org.tributary.wire.shm.DamagedMemoryException;

/** Shaped transfers to and from the parts of one allocation that are on the caller's node: memory to memory. */
final class OnNode {
    private final LocalNode node;
    private final Accumulator accumulator;
    private final int firstRank;
    private final long id;
    private final LocalParts parts;

    OnNode(LocalNode node, long id, LocalParts parts) {
        this.node = node;
        this.accumulator = node.accumulator();
        this.firstRank = node.firstRank();
        this.id = id;
        this.parts = parts;
    }

    private MemorySegment part(int rank) {
        return parts.parts()[rank - firstRank];
    }

    void accumulate(int rank, long offset, Scale scale, MemorySegment source, long from, long length) {
        StridedRegion target = Scratch.ofThread().remote().begin(part(rank), offset, length);
        accumulate(rank, scale, source, from, length, target);
        target.release();
    }

    private void accumulate(int rank, Scale scale, MemorySegment source, long from, long length,
        StridedRegion target) {
        try {
            accumulator.combine(scale.op(), scale.type(), scale.re(), scale.im(), source, from, length, target, id,
                parts.fileOffset(rank - firstRank));
        } catch (DamagedMemoryException e) {
            throw node.memoryFault(e);
        }
    }

    void getAccumulate(int rank, long offset, Scale scale, ReduceCode code, MemorySegment source, long from,
        long length, MemorySegment result, long to) {
        try {
            getCombining(rank, offset, scale, code, source, from, length, result, to);
        } catch (DamagedMemoryException e) {
            throw node.memoryFault(e);
        }
    }

    private void getCombining(int rank, long offset, Scale scale, ReduceCode code, MemorySegment source, long from,
        long length, MemorySegment result, long to) {
        long fileOffset = parts.fileOffset(rank - firstRank);
        if (code == ReduceCode.COMPARE_AND_SWAP) {
            accumulator.compareAndSwap(scale.type(), source, from, result, to, part(rank), offset, id, fileOffset);
        } else {
            accumulator.fetchAndCombine(scale.op(), scale.type(), source, from, length, result, to, part(rank),
                offset, id, fileOffset);
        }
    }

    void putStrided(int rank, long offset, MemorySegment source, long from, Strided shape) {
        copy(rank, offset, source, from, shape, true);
    }

    void getStrided(int rank, long offset, MemorySegment target, long to, Strided shape) {
        copy(rank, offset, target, to, shape, false);
    }

    private void copy(int rank, long offset, MemorySegment buffer, long bufferOffset, Strided shape, boolean put) {
        Scratch scratch = Scratch.ofThread();
        StridedRegion local = scratch.local().begin(buffer, bufferOffset, shape.blockBytes());
        shape.addLocal(local, shape.levels());
        StridedRegion remote = scratch.remote().begin(part(rank), offset, shape.blockBytes());
        shape.addRemote(remote, shape.levels());
        if (put) {
            remote.copyFrom(local);
        } else {
            local.copyFrom(remote);
        }
        local.release();
        remote.release();
    }

    void accumulateStrided(int rank, long offset, Scale scale, MemorySegment source, long from, Strided shape) {
        Scratch scratch = Scratch.ofThread();
        StridedRegion local = scratch.local().begin(source, from, shape.blockBytes());
        shape.addLocal(local, shape.levels());
        StridedRegion remote = scratch.remote().begin(part(rank), offset, shape.blockBytes());
        shape.addRemote(remote, shape.levels());
        while (local.remaining() > 0) {
            long bytes = local.contiguous();
            accumulate(rank, scale, source, local.position(), bytes, remote);
            local.advance(bytes);
        }
        local.release();
        remote.release();
    }

    void putVector(int rank, MemorySegment source, Ranges ranges) {
        MemorySegment part = part(rank);
        for (int range = 0; range < ranges.count(); range++) {
            MemorySegment.copy(source, ranges.localOffset(range), part, ranges.remoteOffset(range),
                ranges.length(range));
        }
    }

    void getVector(int rank, MemorySegment target, Ranges ranges) {
        MemorySegment part = part(rank);
        for (int range = 0; range < ranges.count(); range++) {
            MemorySegment.copy(part, ranges.remoteOffset(range), target, ranges.localOffset(range),
                ranges.length(range));
        }
    }

    void accumulateVector(int rank, Scale scale, MemorySegment source, Ranges ranges) {
        for (int range = 0; range < ranges.count(); range++) {
            accumulate(rank, ranges.remoteOffset(range), scale, source, ranges.localOffset(range),
                ranges.length(range));
        }
    }
}

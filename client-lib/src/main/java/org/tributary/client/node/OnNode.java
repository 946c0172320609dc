package org.tributary.client.node;

import java.lang.foreign.MemorySegment;
import org.tributary.client.link.Calls;
import org.tributary.client.shape.Ranges;
import org.tributary.client.shape.RegionPair;
import org.tributary.client.shape.Scale;
import org.tributary.client.shape.Strided;
import org.tributary.wire.codec.AtomicOp;
import org.tributary.wire.codec.ReduceCode;
import org.tributary.wire.codec.SignalOp;
import org.tributary.wire.shape.Accumulator;
import org.tributary.wire.shape.StridedRegion;
import org.tributary.wire.shm.DamagedMemoryException;
import org.tributary.wire.shm.SharedWord;
import org.tributary.wire.shm.WaitKind;

/**
 * Accesses to the parts of one allocation that are on the caller's node: memory to memory. The short ones are not
 * counted: when the memory is unmapped, as its rank leaves, those under way throw, which costs nothing until then.
 */
public final class OnNode {
    /** Sums of so many bytes take so long that counting them as calls costs nothing. */
    private static final long COUNTED_BYTES = 4096;

    /** The exception of an access that has come too late for the mapping. */
    public interface LateAccess {
        /** That, or what was thrown when it has not. */
        IllegalStateException translate(IllegalStateException thrown);
    }

    private final Calls calls;
    private final Accumulator accumulator;
    private final long id;
    private final LocalParts parts;
    private final LocalNode node;
    private final LateAccess memory;
    private final Cause flag;

    public OnNode(LocalNode node, long id, LocalParts parts, LateAccess memory) {
        this.node = node;
        this.memory = memory;
        this.calls = node.calls();
        this.accumulator = node.accumulator();
        this.id = id;
        this.flag = Cause.of(WaitKind.FLAG, id);
        this.parts = parts;
    }

    private MemorySegment part(int rank) {
        return parts.part(rank);
    }

    public void put(MemorySegment part, long offset, MemorySegment source, long from, long length) {
        try {
            MemorySegment.copy(source, from, part, offset, length);
        } catch (IllegalStateException e) {
            throw memory.translate(e);
        }
    }

    public void get(MemorySegment part, long offset, MemorySegment target, long to, long length) {
        try {
            MemorySegment.copy(part, offset, target, to, length);
        } catch (IllegalStateException e) {
            throw memory.translate(e);
        }
    }

    /** Returns what was there, in as many bytes. The comparisons cost nothing where the operation is a constant. */
    public long atomic(MemorySegment part, long offset, AtomicOp op, int width, long operand, long expected) {
        try {
            if (op == AtomicOp.FETCH_AND_ADD) {
                return width == Long.BYTES ? SharedWord.getAndAddLong(part, offset, operand)
                    : SharedWord.getAndAdd(part, offset, (int) operand);
            }
            if (op == AtomicOp.SWAP) {
                return width == Long.BYTES ? SharedWord.getAndSetLong(part, offset, operand)
                    : SharedWord.getAndSet(part, offset, (int) operand);
            }
            return width == Long.BYTES ? SharedWord.compareAndExchangeLong(part, offset, expected, operand)
                : SharedWord.compareAndExchange(part, offset, (int) expected, (int) operand);
        } catch (IllegalStateException e) {
            throw memory.translate(e);
        }
    }

    /** Sets a flag, or adds to it; partner: the acquire in awaitFlag. */
    public void signal(int rank, MemorySegment part, long offset, SignalOp op, long value) {
        try {
            if (op == SignalOp.SET) {
                SharedWord.setLongRelease(part, offset, value);
            } else {
                SharedWord.getAndAddLong(part, offset, value);
            }
            node.ring(rank);
        } catch (IllegalStateException e) {
            throw memory.translate(e);
        }
    }

    public void awaitFlag(MemorySegment part, long offset, long value, boolean exactly, int from,
        RankStates states) {
        try {
            node.awaitWord(part, offset, value, exactly, from, states, flag);
        } catch (IllegalStateException e) {
            throw memory.translate(e);
        }
    }

    public void accumulate(int rank, long offset, Scale scale, MemorySegment source, long from, long length) {
        boolean counts = begin(length);
        try {
            StridedRegion target = RegionPair.ofThread().remote().begin(part(rank), offset, length);
            accumulate(rank, scale, source, from, length, target);
            target.release();
        } catch (IllegalStateException e) {
            throw memory.translate(e);
        } finally {
            end(counts);
        }
    }

    private boolean begin(long bytes) {
        boolean counts = bytes >= COUNTED_BYTES;
        if (counts) {
            calls.begin();
        }
        return counts;
    }

    private void end(boolean counts) {
        if (counts) {
            calls.end();
        }
    }

    private void accumulate(int rank, Scale scale, MemorySegment source, long from, long length,
        StridedRegion target) {
        try {
            accumulator.combine(scale.op(), scale.type(), scale.re(), scale.im(), source, from, length, target, id,
                parts.fileOffset(rank));
        } catch (DamagedMemoryException e) {
            throw node.memoryFault(e);
        }
    }

    public void getAccumulate(int rank, long offset, Scale scale, ReduceCode code, MemorySegment source, long from,
        long length, MemorySegment result, long to) {
        try {
            getCombining(rank, offset, scale, code, source, from, length, result, to);
        } catch (DamagedMemoryException e) {
            throw node.memoryFault(e);
        }
    }

    private void getCombining(int rank, long offset, Scale scale, ReduceCode code, MemorySegment source, long from,
        long length, MemorySegment result, long to) {
        long fileOffset = parts.fileOffset(rank);
        boolean counts = begin(length);
        try {
            if (code == ReduceCode.COMPARE_AND_SWAP) {
                accumulator.compareAndSwap(scale.type(), source, from, result, to, part(rank), offset, id, fileOffset);
            } else {
                accumulator.fetchAndCombine(scale.op(), scale.type(), source, from, length, result, to, part(rank),
                    offset, id, fileOffset);
            }
        } catch (IllegalStateException e) {
            throw memory.translate(e);
        } finally {
            end(counts);
        }
    }

    /** Puts, or accumulates unless {@code scale} is null. */
    public void putStrided(int rank, long offset, MemorySegment source, long from, Strided shape, Scale scale) {
        if (scale == null) {
            copy(rank, offset, source, from, shape, true);
        } else {
            accumulateStrided(rank, offset, scale, source, from, shape);
        }
    }

    public void getStrided(int rank, long offset, MemorySegment target, long to, Strided shape) {
        copy(rank, offset, target, to, shape, false);
    }

    private void copy(int rank, long offset, MemorySegment buffer, long bufferOffset, Strided shape, boolean put) {
        RegionPair regions = RegionPair.ofThread();
        StridedRegion local = regions.local().begin(buffer, bufferOffset, shape.blockBytes());
        shape.addLocal(local, shape.levels());
        StridedRegion remote = regions.remote().begin(part(rank), offset, shape.blockBytes());
        shape.addRemote(remote, shape.levels());
        try {
            if (put) {
                remote.copyFrom(local);
            } else {
                local.copyFrom(remote);
            }
        } catch (IllegalStateException e) {
            throw memory.translate(e);
        }
        local.release();
        remote.release();
    }

    private void accumulateStrided(int rank, long offset, Scale scale, MemorySegment source, long from,
        Strided shape) {
        boolean counts = begin(shape.bytes());
        try {
            accumulateBlocks(rank, offset, scale, source, from, shape);
        } catch (IllegalStateException e) {
            throw memory.translate(e);
        } finally {
            end(counts);
        }
    }

    private void accumulateBlocks(int rank, long offset, Scale scale, MemorySegment source, long from,
        Strided shape) {
        RegionPair regions = RegionPair.ofThread();
        StridedRegion local = regions.local().begin(source, from, shape.blockBytes());
        shape.addLocal(local, shape.levels());
        StridedRegion remote = regions.remote().begin(part(rank), offset, shape.blockBytes());
        shape.addRemote(remote, shape.levels());
        while (local.remaining() > 0) {
            long bytes = local.contiguous();
            accumulate(rank, scale, source, local.position(), bytes, remote);
            local.advance(bytes);
        }
        local.release();
        remote.release();
    }

    /** Puts ranges, or accumulates them unless {@code scale} is null. */
    public void putVector(int rank, MemorySegment source, Ranges ranges, Scale scale) {
        if (scale != null) {
            accumulateVector(rank, scale, source, ranges);
            return;
        }
        MemorySegment part = part(rank);
        for (int range = 0; range < ranges.count(); range++) {
            put(part, ranges.remoteOffset(range), source, ranges.localOffset(range), ranges.length(range));
        }
    }

    public void getVector(int rank, MemorySegment target, Ranges ranges) {
        MemorySegment part = part(rank);
        for (int range = 0; range < ranges.count(); range++) {
            get(part, ranges.remoteOffset(range), target, ranges.localOffset(range), ranges.length(range));
        }
    }

    private void accumulateVector(int rank, Scale scale, MemorySegment source, Ranges ranges) {
        boolean counts = begin(ranges.bytes());
        try {
            for (int range = 0; range < ranges.count(); range++) {
                accumulate(rank, ranges.remoteOffset(range), scale, source, ranges.localOffset(range),
                    ranges.length(range));
            }
        } finally {
            end(counts);
        }
    }
}

package org.tributary.server.execute;

import java.lang.foreign.MemorySegment;
import org.tributary.server.frame.MalformedFrameException;
import org.tributary.server.frame.VectorEntry;
import org.tributary.server.memory.NodeSegment;
import org.tributary.server.memory.RequestChecker;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.ErrorCode;
import org.tributary.wire.shape.Accumulator;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;
import org.tributary.wire.shape.StridedRegion;

/**
 * Where the payload of the request at hand goes, however it is cut into pieces on its way: memory, an accumulate, a
 * list of ranges, a buffer until it is complete, or nowhere when the request was refused. Owned by the event loop; one
 * for each connection.
 */
public final class PayloadSink {
    /** Answers that a range of a vector message is refused. */
    interface Refusal {
        void refuseRange(long offset, long length);
    }

    private static final int CARRY_BYTES = 16;

    private enum Mode { NOTHING, DISCARD, HOLD, COPY, ACCUMULATE }

    private final StridedRegion region = new StridedRegion();
    private final MemorySegment carry = MemorySegment.ofArray(new long[CARRY_BYTES / Long.BYTES]);
    private final Accumulator accumulator;
    private final RequestChecker checker;
    private final Refusal refusal;
    private final int loop;
    private Mode mode = Mode.NOTHING;
    private long remaining;
    private int carried;
    private MemorySegment held = MemorySegment.NULL;
    private int heldBytes;
    private ReduceOp op;
    private ElementType type;
    private long re;
    private long im;
    private NodeSegment segment;
    private int rank;
    private boolean vector;
    private long entryRemaining;
    private boolean entryRefused;
    private boolean isHeldUp;

    /** Of a connection of the loop with that number. */
    PayloadSink(Accumulator accumulator, RequestChecker checker, Refusal refusal, int loop) {
        this.loop = loop;
        this.accumulator = accumulator;
        this.checker = checker;
        this.refusal = refusal;
    }

    /** The region to fill in before {@link #copy} or {@link #accumulate}. */
    StridedRegion region() {
        return region;
    }

    public boolean isDone() {
        return remaining == 0;
    }

    void discard(long length) {
        start(Mode.DISCARD, length, false);
    }

    /** Keeps the payload until it is complete and after {@link #end()}; at most {@link Frames#MAX_HELD_PAYLOAD}. */
    private void hold(int length) {
        if (held.byteSize() == 0) {
            held = MemorySegment.ofArray(new long[Frames.MAX_HELD_PAYLOAD / Long.BYTES]);
        }
        heldBytes = 0;
        start(Mode.HOLD, length, false);
    }

    /** Keeps a payload that is short enough; the request of any other is to be refused: {@link #isShort}. */
    void holdIfShort(int length) {
        if (length <= Frames.MAX_HELD_PAYLOAD) {
            hold(length);
        } else {
            discard(length);
        }
    }

    /** Whether a payload, or an answer, is short enough for a request that holds it; if not, the check fails. */
    static boolean isShort(long length, RequestChecker checker) {
        return length <= Frames.MAX_HELD_PAYLOAD || checker.fail(ErrorCode.BAD_REQUEST, Frames.MAX_HELD_PAYLOAD,
            "longer than requests of this kind may be");
    }

    /** The payload that {@link #hold} has kept, at the beginning of this memory; the next one overwrites it. */
    MemorySegment held() {
        return held;
    }

    void copy(NodeSegment target, long length) {
        start(Mode.COPY, length, false);
        pin(target);
    }

    /** Entries, each to a range of a rank's part. */
    void copyVector(NodeSegment target, int targetRank, long length) {
        start(Mode.COPY, length, true);
        pin(target);
        rank = targetRank;
    }

    /** To the region, or entries if {@code isVector}. */
    void accumulate(ReduceOp reduction, ElementType elementType, long scaleRe, long scaleIm, NodeSegment target,
        int targetRank, long length, boolean isVector) {
        start(Mode.ACCUMULATE, length, isVector);
        op = reduction;
        type = elementType;
        re = scaleRe;
        im = scaleIm;
        pin(target);
        rank = targetRank;
    }

    private void pin(NodeSegment target) {
        segment = target;
        target.pin(loop);
    }

    /** Lets go of the memory: the request is complete, or its connection is gone. */
    void end() {
        if (segment != null) {
            segment.unpin(loop);
            segment = null;
        }
        mode = Mode.NOTHING;
        remaining = 0;
        region.release();
    }

    private void start(Mode next, long length, boolean isVector) {
        mode = next;
        remaining = length;
        vector = isVector;
        carried = 0;
        entryRemaining = 0;
    }

    /** Bytes that may be read from the socket directly into {@link #directTarget()}; 0 when they may not. */
    public long directBytes() {
        return mode == Mode.COPY && !vector && region.isContiguous() ? region.remaining() : 0;
    }

    /** Memory that the next {@link #directBytes()} go to. */
    public MemorySegment directTarget() {
        return region.memory().asSlice(region.position(), region.remaining());
    }

    /** Bytes were read directly into {@link #directTarget()}. */
    public void directlyRead(long bytes) {
        region.advance(bytes);
        remaining -= bytes;
    }

    /** Whether the last {@link #accept} stopped at a lock of accumulates that is not free. */
    public boolean isHeldUp() {
        return isHeldUp;
    }

    /**
     * Takes what belongs to the request from a buffer; returns how many bytes that was. When it {@link #isHeldUp()} the
     * bytes after those are to be offered again.
     */
    public int accept(MemorySegment source, int offset, int length) {
        isHeldUp = false;
        int offered = (int) Math.min(length, remaining);
        int taken = vector && mode != Mode.DISCARD ? acceptVector(source, offset, offered)
            : move(source, offset, offered);
        remaining -= taken;
        if (remaining == 0 && (entryRemaining > 0 || carried > 0)) {
            throw new MalformedFrameException("message ends within a vector entry");
        }
        return taken;
    }

    private int move(MemorySegment source, int offset, int length) {
        switch (mode) {
            case COPY -> region.scatter(source, offset, length);
            case ACCUMULATE -> {
                return accumulatePieces(source, offset, length);
            }
            case HOLD -> {
                MemorySegment.copy(source, offset, held, heldBytes, length);
                heldBytes += length;
            }
            default -> { }
        }
        return length;
    }

    /** Elements may be cut in two by the end of a buffer: what is incomplete is carried to the next piece. */
    private int accumulatePieces(MemorySegment source, int offset, int length) {
        int size = type.sizeInBytes();
        int from = offset;
        int left = length;
        if (carried > 0) {
            int missing = Math.min(size - carried, left);
            MemorySegment.copy(source, from, carry, carried, missing);
            if (carried + missing == size && add(carry, 0, size) == 0) {
                return 0; // the rest of the element comes again
            }
            carried = carried + missing == size ? 0 : carried + missing;
            from += missing;
            left -= missing;
        }
        int whole = left - left % size;
        if (whole > 0) {
            int added = add(source, from, whole);
            if (added < whole) {
                return from + added - offset;
            }
        }
        if (left > whole) {
            carried = left - whole;
            MemorySegment.copy(source, from + whole, carry, 0, carried);
        }
        return length;
    }

    private int add(MemorySegment source, long from, int bytes) {
        int added = (int) accumulator.tryCombine(op, type, re, im, source, from, bytes, region, segment.id(),
            segment.fileOffset(rank));
        isHeldUp = added < bytes;
        return added;
    }

    private int acceptVector(MemorySegment source, int offset, int length) {
        int from = offset;
        int end = offset + length;
        while (from < end) {
            if (entryRemaining == 0) {
                from = beginEntry(source, from, end);
                if (entryRemaining == 0) {
                    continue;
                }
            }
            int bytes = (int) Math.min(entryRemaining, end - from);
            int moved = bytes > 0 && !entryRefused ? move(source, from, bytes) : bytes;
            entryRemaining -= moved;
            from += moved;
            if (moved < bytes) {
                break;
            }
        }
        return from - offset;
    }

    /** Reads the next entry's offset and length, which may be cut in two as well; returns where its data begins. */
    private int beginEntry(MemorySegment source, int from, int end) {
        if (carried == 0 && end - from >= Frames.VECTOR_ENTRY_BYTES) {
            openEntry(VectorEntry.offset(source, from), VectorEntry.length(source, from));
            return from + Frames.VECTOR_ENTRY_BYTES;
        }
        int missing = Math.min(Frames.VECTOR_ENTRY_BYTES - carried, end - from);
        MemorySegment.copy(source, from, carry, carried, missing);
        carried += missing;
        if (carried == Frames.VECTOR_ENTRY_BYTES) {
            carried = 0;
            openEntry(VectorEntry.offset(carry, 0), VectorEntry.length(carry, 0));
        }
        return from + missing;
    }

    private void openEntry(long offset, int length) {
        if (length < 0 || length > remaining) {
            throw new MalformedFrameException("vector entry of " + length + " bytes in a message that has "
                + remaining + " left");
        }
        entryRemaining = length;
        entryRefused = !checker.withinPart(rank, offset, length)
            || mode == Mode.ACCUMULATE && !(checker.aligned(offset, type.componentBytes())
                && checker.wholeElements(type, length));
        if (entryRefused) {
            refusal.refuseRange(offset, length);
        } else {
            region.begin(segment.part(rank), offset, length);
        }
    }
}

package org.tributary.client.link;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AccumulateEncoder;
import org.tributary.wire.codec.AccumulateStridedEncoder;
import org.tributary.wire.codec.AccumulateVectorEncoder;
import org.tributary.wire.codec.AllocateEncoder;
import org.tributary.wire.codec.AtomicEncoder;
import org.tributary.wire.codec.AtomicOp;
import org.tributary.wire.codec.FenceEncoder;
import org.tributary.wire.codec.FreeEncoder;
import org.tributary.wire.codec.GetAccumulateEncoder;
import org.tributary.wire.codec.GetEncoder;
import org.tributary.wire.codec.GetStridedEncoder;
import org.tributary.wire.codec.GetVectorEncoder;
import org.tributary.wire.codec.GoodbyeEncoder;
import org.tributary.wire.codec.LockEncoder;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.codec.LockWindowEncoder;
import org.tributary.wire.codec.LockedAccumulateEncoder;
import org.tributary.wire.codec.LockedGetEncoder;
import org.tributary.wire.codec.LockedPutEncoder;
import org.tributary.wire.codec.MessageHeaderEncoder;
import org.tributary.wire.codec.NotifyEncoder;
import org.tributary.wire.codec.ProbeEncoder;
import org.tributary.wire.codec.PutEncoder;
import org.tributary.wire.codec.PutStridedEncoder;
import org.tributary.wire.codec.PutVectorEncoder;
import org.tributary.wire.codec.ReduceCode;
import org.tributary.wire.codec.SignalEncoder;
import org.tributary.wire.codec.SignalOp;
import org.tributary.wire.codec.UnlockEncoder;
import org.tributary.wire.codec.UnlockWindowEncoder;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;
import org.tributary.wire.shape.StridedRegion;

/**
 * Encodes requests into a link's buffer. Small ranges for one segment of one rank that follow each other become entries
 * of one vector message, as long as nothing else comes between. Guarded by the lock of {@link Links}.
 */
public final class RequestWriter {
    /** A list of the levels of a strided region as the target sees it. */
    public interface Levels {
        /** Number of levels. */
        int levels();

        /** Bytes between the blocks of a level. */
        long stride(int level);

        /** Number of blocks of a level. */
        long count(int level);
    }

    private static final int NO_VECTOR = -1;

    private final SendBuffer buffer;
    private final Runnable begun;
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final PutEncoder put = new PutEncoder();
    private final PutStridedEncoder putStrided = new PutStridedEncoder();
    private final PutVectorEncoder putVector = new PutVectorEncoder();
    private final AccumulateEncoder accumulate = new AccumulateEncoder();
    private final AccumulateStridedEncoder accumulateStrided = new AccumulateStridedEncoder();
    private final AccumulateVectorEncoder accumulateVector = new AccumulateVectorEncoder();
    private final GetEncoder get = new GetEncoder();
    private final GetStridedEncoder getStrided = new GetStridedEncoder();
    private final GetVectorEncoder getVector = new GetVectorEncoder();
    private final AtomicEncoder atomic = new AtomicEncoder();
    private final SignalEncoder signal = new SignalEncoder();
    private final NotifyEncoder notify = new NotifyEncoder();
    private final LockEncoder lock = new LockEncoder();
    private final UnlockEncoder unlock = new UnlockEncoder();
    private final FenceEncoder fence = new FenceEncoder();
    private long messages;
    private int then;
    private long window = Frames.NO_WINDOW;
    private int vectorAt = NO_VECTOR;
    private long vectorSegment;
    private int vectorRank;
    private ElementType vectorType;
    private ReduceOp vectorOp;
    private int vectorThen;
    private long vectorWindow;
    private long vectorRe;
    private long vectorIm;

    /** Writes to a buffer; {@code begun} is told of every message that begins. */
    RequestWriter(SendBuffer buffer, Runnable begun) {
        this.buffer = buffer;
        this.begun = begun;
    }

    /** Begins a frame of fixed size followed by payload; returns where its message header goes. */
    private int begin(int bytesAfterHeader, long payload) throws IOException {
        vectorAt = NO_VECTOR;
        messages++;
        begun.run();
        int fixed = Frames.HEADER_BYTES + bytesAfterHeader;
        buffer.ensure(fixed);
        int at = buffer.claim(fixed);
        buffer.codec().putInt(at, (int) (fixed + payload));
        return at + Frames.LENGTH_BYTES;
    }

    /**
     * What the target does once the next put, accumulate or get has been executed. Ranges join an open vector message
     * only when the same follows.
     *
     * @param code     one of the {@code THEN_} codes of {@link Frames}
     * @param windowId the window whose control words it changes
     */
    public void then(int code, long windowId) {
        then = code;
        window = windowId;
    }

    private int takeThen() {
        int code = then;
        then = 0;
        return code;
    }

    private long takeWindow() {
        long id = window;
        window = Frames.NO_WINDOW;
        return id;
    }

    /** Messages begun so far. */
    long messages() {
        return messages;
    }

    /** What comes next begins a message of its own. */
    void endVector() {
        vectorAt = NO_VECTOR;
    }

    /** Contiguous put. */
    public void put(long segment, int rank, long offset, int flags, MemorySegment source, long from, long length)
        throws IOException {
        int at = begin(PutEncoder.BLOCK_LENGTH, length);
        put.wrapAndApplyHeader(buffer.codec(), at, header).segmentId(segment).targetOffset(offset).rank(rank)
            .flags(flags | takeThen()).windowId(takeWindow());
        buffer.payload(source, from, length);
    }

    /** Strided put of what remains of a region; {@code blockBytes} and levels as the target sees them. */
    public void putStrided(long segment, int rank, long offset, int flags, long blockBytes, Levels levels,
        StridedRegion source) throws IOException {
        int count = levels.levels();
        int at = begin(PutStridedEncoder.BLOCK_LENGTH + PutStridedEncoder.LevelsEncoder.sbeHeaderSize()
            + count * PutStridedEncoder.LevelsEncoder.sbeBlockLength(), source.remaining());
        putStrided.wrapAndApplyHeader(buffer.codec(), at, header).segmentId(segment).targetOffset(offset).rank(rank)
            .flags(flags | takeThen()).blockLengthInBytes(blockBytes).windowId(takeWindow());
        PutStridedEncoder.LevelsEncoder group = putStrided.levelsCount(count);
        for (int level = 0; level < count; level++) {
            group.next().stride(levels.stride(level)).extent(levels.count(level));
        }
        buffer.payload(source);
    }

    /** Contiguous accumulate. */
    public void accumulate(long segment, int rank, long offset, int flags, ElementType type, ReduceOp op, long re,
        long im, MemorySegment source, long from, long length) throws IOException {
        int at = begin(AccumulateEncoder.BLOCK_LENGTH, length);
        accumulate.wrapAndApplyHeader(buffer.codec(), at, header).segmentId(segment).targetOffset(offset).rank(rank)
            .flags(flags | takeThen()).elementType(type.code()).reduction(op.code()).windowId(takeWindow())
            .scale().re(re).im(im);
        buffer.payload(source, from, length);
    }

    /** Strided accumulate of what remains of a region. */
    public void accumulateStrided(long segment, int rank, long offset, int flags, ElementType type, ReduceOp op,
        long re, long im, long blockBytes, Levels levels, StridedRegion source) throws IOException {
        int count = levels.levels();
        int at = begin(AccumulateStridedEncoder.BLOCK_LENGTH + AccumulateStridedEncoder.LevelsEncoder.sbeHeaderSize()
            + count * AccumulateStridedEncoder.LevelsEncoder.sbeBlockLength(), source.remaining());
        accumulateStrided.wrapAndApplyHeader(buffer.codec(), at, header).segmentId(segment).targetOffset(offset)
            .rank(rank).flags(flags | takeThen()).elementType(type.code()).reduction(op.code())
            .windowId(takeWindow()).blockLengthInBytes(blockBytes).scale().re(re).im(im);
        AccumulateStridedEncoder.LevelsEncoder group = accumulateStrided.levelsCount(count);
        for (int level = 0; level < count; level++) {
            group.next().stride(levels.stride(level)).extent(levels.count(level));
        }
        buffer.payload(source);
    }

    /** Adds a range that fits the buffer to a vector put; true when that began a new message. */
    public boolean addPut(long segment, int rank, long offset, MemorySegment source, long from, int length)
        throws IOException {
        boolean begins = !continuesVector(segment, rank, null, null, 0, 0, length);
        if (begins) {
            buffer.ensure(Frames.HEADER_BYTES + PutVectorEncoder.BLOCK_LENGTH + Frames.VECTOR_ENTRY_BYTES + length);
            int at = begin(PutVectorEncoder.BLOCK_LENGTH, 0);
            putVector.wrapAndApplyHeader(buffer.codec(), at, header).segmentId(segment).rank(rank).flags(vectorThen)
                .windowId(vectorWindow);
            openVector(at, segment, rank, null, null, 0, 0);
        }
        addEntry(offset, source, from, length);
        return begins;
    }

    /** Adds a range that fits the buffer to a vector accumulate; true when that began a new message. */
    public boolean addAccumulate(long segment, int rank, long offset, ElementType type, ReduceOp op, long re, long im,
        MemorySegment source, long from, int length) throws IOException {
        boolean begins = !continuesVector(segment, rank, type, op, re, im, length);
        if (begins) {
            buffer.ensure(Frames.HEADER_BYTES + AccumulateVectorEncoder.BLOCK_LENGTH + Frames.VECTOR_ENTRY_BYTES
                + length);
            int at = begin(AccumulateVectorEncoder.BLOCK_LENGTH, 0);
            accumulateVector.wrapAndApplyHeader(buffer.codec(), at, header).segmentId(segment).rank(rank)
                .flags(vectorThen).elementType(type.code()).reduction(op.code()).windowId(vectorWindow)
                .scale().re(re).im(im);
            openVector(at, segment, rank, type, op, re, im);
        }
        addEntry(offset, source, from, length);
        return begins;
    }

    /** Longest range that fits into a vector message. */
    public int maxEntryBytes() {
        return buffer.capacity() - Frames.HEADER_BYTES - AccumulateVectorEncoder.BLOCK_LENGTH
            - Frames.VECTOR_ENTRY_BYTES;
    }

    private boolean continuesVector(long segment, int rank, ElementType type, ReduceOp op, long re, long im,
        int length) {
        boolean continues = vectorAt != NO_VECTOR && vectorSegment == segment && vectorRank == rank
            && vectorType == type && vectorOp == op && vectorRe == re && vectorIm == im && vectorThen == then
            && vectorWindow == window && buffer.room() >= Frames.VECTOR_ENTRY_BYTES + length;
        if (!continues) {
            vectorThen = then;
            vectorWindow = window;
        }
        then = 0;
        window = Frames.NO_WINDOW;
        return continues;
    }

    /**
     * Lets something follow the vector message that is still open for a rank.
     *
     * @return false when none is open
     */
    public boolean thenAfterVector(int rank, int code, long windowId) {
        if (vectorAt == NO_VECTOR || vectorRank != rank || vectorThen != 0) {
            return false;
        }
        int block = vectorAt + Frames.HEADER_BYTES;
        boolean isPut = vectorType == null;
        buffer.codec().putInt(block + (isPut ? PutVectorEncoder.flagsEncodingOffset()
            : AccumulateVectorEncoder.flagsEncodingOffset()), code, ByteOrder.LITTLE_ENDIAN);
        buffer.codec().putLong(block + (isPut ? PutVectorEncoder.windowIdEncodingOffset()
            : AccumulateVectorEncoder.windowIdEncodingOffset()), windowId, ByteOrder.LITTLE_ENDIAN);
        endVector();
        return true;
    }

    private void openVector(int messageHeaderAt, long segment, int rank, ElementType type, ReduceOp op, long re,
        long im) {
        vectorAt = messageHeaderAt - Frames.LENGTH_BYTES;
        vectorSegment = segment;
        vectorRank = rank;
        vectorType = type;
        vectorOp = op;
        vectorRe = re;
        vectorIm = im;
    }

    private void addEntry(long offset, MemorySegment source, long from, int length) {
        buffer.putLong(offset);
        buffer.putInt(length);
        buffer.copy(source, from, length);
        buffer.codec().putInt(vectorAt, buffer.position() - vectorAt);
    }

    /** Changes a flag word. */
    public void signal(long segment, int rank, long offset, int flags, SignalOp op, long value) throws IOException {
        int at = begin(SignalEncoder.BLOCK_LENGTH, 0);
        signal.wrapAndApplyHeader(buffer.codec(), at, header).segmentId(segment).targetOffset(offset).rank(rank)
            .flags(flags).op(op).value(value);
    }

    /** Counts a notification at a rank. */
    public void notifyRank(int rank) throws IOException {
        int at = begin(NotifyEncoder.BLOCK_LENGTH, 0);
        notify.wrapAndApplyHeader(buffer.codec(), at, header).rank(rank).flags(0);
    }

    /** Contiguous get. */
    public void get(PendingReply reply, long segment, int rank, long offset, long length) throws IOException {
        int at = begin(GetEncoder.BLOCK_LENGTH, 0);
        get.wrapAndApplyHeader(buffer.codec(), at, header).requestId(reply.slot()).segmentId(segment)
            .targetOffset(offset).rank(rank).lengthInBytes(length).flags(takeThen()).windowId(takeWindow());
    }

    /** Strided get; block and levels as the target sees them. */
    public void getStrided(PendingReply reply, long segment, int rank, long offset, long blockBytes, Levels levels)
        throws IOException {
        int count = levels.levels();
        int at = begin(GetStridedEncoder.BLOCK_LENGTH + GetStridedEncoder.LevelsEncoder.sbeHeaderSize()
            + count * GetStridedEncoder.LevelsEncoder.sbeBlockLength(), 0);
        getStrided.wrapAndApplyHeader(buffer.codec(), at, header).requestId(reply.slot()).segmentId(segment)
            .targetOffset(offset).rank(rank).blockLengthInBytes(blockBytes).flags(takeThen()).windowId(takeWindow());
        GetStridedEncoder.LevelsEncoder group = getStrided.levelsCount(count);
        for (int level = 0; level < count; level++) {
            group.next().stride(levels.stride(level)).extent(levels.count(level));
        }
    }

    /** Begins a get of {@code count} ranges, each to be added with {@link #addGet}. */
    public void getVector(PendingReply reply, long segment, int rank, int count) throws IOException {
        int entries = count * Frames.VECTOR_ENTRY_BYTES;
        buffer.ensure(Frames.HEADER_BYTES + GetVectorEncoder.BLOCK_LENGTH + entries);
        int at = begin(GetVectorEncoder.BLOCK_LENGTH, entries);
        getVector.wrapAndApplyHeader(buffer.codec(), at, header).requestId(reply.slot()).segmentId(segment)
            .rank(rank).flags(takeThen()).windowId(takeWindow());
    }

    /** Most ranges that one vector get can have. */
    public int maxGetEntries() {
        return (buffer.capacity() - Frames.HEADER_BYTES - GetVectorEncoder.BLOCK_LENGTH) / Frames.VECTOR_ENTRY_BYTES;
    }

    /** Adds a range to the vector get begun last. */
    public void addGet(long offset, int length) {
        buffer.putLong(offset);
        buffer.putInt(length);
    }

    /** Read-modify-write of a word of {@code width} bytes. */
    public void atomic(PendingReply reply, long segment, int rank, long offset, AtomicOp op, int width, long operand,
        long expected) throws IOException {
        int at = begin(AtomicEncoder.BLOCK_LENGTH, 0);
        atomic.wrapAndApplyHeader(buffer.codec(), at, header).requestId(reply.slot()).segmentId(segment)
            .targetOffset(offset).rank(rank).op(op).width((short) width).operand(operand).expected(expected);
    }

    /** Acquires a mutex. */
    public void lock(PendingReply reply, long segment, int home, long offset, boolean attempt) throws IOException {
        int at = begin(LockEncoder.BLOCK_LENGTH, 0);
        lock.wrapAndApplyHeader(buffer.codec(), at, header).requestId(reply.slot()).segmentId(segment)
            .targetOffset(offset).rank(home).attempt((short) (attempt ? 1 : 0));
    }

    /** Releases a mutex. */
    public void unlock(long segment, int home, long offset) throws IOException {
        int at = begin(UnlockEncoder.BLOCK_LENGTH, 0);
        unlock.wrapAndApplyHeader(buffer.codec(), at, header).segmentId(segment).targetOffset(offset).rank(home)
            .flags(0);
    }

    /** Acquires the lock of a rank's part of a window. */
    public void lockWindow(PendingReply reply, long windowId, int rank, LockMode mode, boolean attempt)
        throws IOException {
        int at = begin(LockWindowEncoder.BLOCK_LENGTH, 0);
        new LockWindowEncoder().wrapAndApplyHeader(buffer.codec(), at, header).requestId(reply.slot())
            .windowId(windowId).rank(rank).mode(mode).attempt((short) (attempt ? 1 : 0));
    }

    /** Releases the lock of a rank's part of a window. */
    public void unlockWindow(long windowId, int rank, LockMode mode, int flags) throws IOException {
        int at = begin(UnlockWindowEncoder.BLOCK_LENGTH, 0);
        new UnlockWindowEncoder().wrapAndApplyHeader(buffer.codec(), at, header).windowId(windowId).rank(rank)
            .flags(flags).mode(mode);
    }

    /** Lock, put and unlock in one. */
    public void lockedPut(PendingReply reply, long windowId, LockMode mode, long segment, int rank, long offset,
        MemorySegment source, long from, int length) throws IOException {
        int at = begin(LockedPutEncoder.BLOCK_LENGTH, length);
        new LockedPutEncoder().wrapAndApplyHeader(buffer.codec(), at, header).requestId(reply.slot())
            .windowId(windowId).segmentId(segment).targetOffset(offset).rank(rank).mode(mode);
        buffer.payload(source, from, length);
    }

    /** Lock, accumulate and unlock in one. */
    public void lockedAccumulate(PendingReply reply, long windowId, LockMode mode, long segment, int rank,
        long offset, ElementType type, ReduceOp op, MemorySegment source, long from, int length)
        throws IOException {
        int at = begin(LockedAccumulateEncoder.BLOCK_LENGTH, length);
        new LockedAccumulateEncoder().wrapAndApplyHeader(buffer.codec(), at, header).requestId(reply.slot())
            .windowId(windowId).segmentId(segment).targetOffset(offset).rank(rank).mode(mode)
            .elementType(type.code()).reduction(op.code()).scale().re(type.one()).im(0);
        buffer.payload(source, from, length);
    }

    /** Lock, get and unlock in one. */
    public void lockedGet(PendingReply reply, long windowId, LockMode mode, long segment, int rank, long offset,
        long length) throws IOException {
        int at = begin(LockedGetEncoder.BLOCK_LENGTH, 0);
        new LockedGetEncoder().wrapAndApplyHeader(buffer.codec(), at, header).requestId(reply.slot())
            .windowId(windowId).segmentId(segment).targetOffset(offset).lengthInBytes(length).rank(rank).mode(mode);
    }

    /**
     * Combines elements and asks for what was there before.
     *
     * @param code how to combine, or {@link ReduceCode#COMPARE_AND_SWAP} with two elements: the expected one, the new
     */
    public void getAccumulate(PendingReply reply, long segment, int rank, long offset, ElementType type,
        ReduceCode code, MemorySegment source, long from, int length) throws IOException {
        int at = begin(GetAccumulateEncoder.BLOCK_LENGTH, length);
        new GetAccumulateEncoder().wrapAndApplyHeader(buffer.codec(), at, header).requestId(reply.slot())
            .segmentId(segment).targetOffset(offset).rank(rank).flags(takeThen()).elementType(type.code())
            .reduction(code).windowId(takeWindow());
        buffer.payload(source, from, length);
    }

    void fence() throws IOException {
        int at = begin(FenceEncoder.BLOCK_LENGTH, 0);
        fence.wrapAndApplyHeader(buffer.codec(), at, header);
    }

    /** Asks how a rank is. */
    public void probe(PendingReply reply, int rank) throws IOException {
        int at = begin(ProbeEncoder.BLOCK_LENGTH, 0);
        new ProbeEncoder().wrapAndApplyHeader(buffer.codec(), at, header).requestId(reply.slot()).rank(rank);
    }

    /** Creates a node's parts of a segment. */
    public void allocate(PendingReply reply, long segment, int kind, int[] ranks, long[] lengths) throws IOException {
        int at = begin(AllocateEncoder.BLOCK_LENGTH + AllocateEncoder.PartsEncoder.sbeHeaderSize()
            + ranks.length * AllocateEncoder.PartsEncoder.sbeBlockLength(), 0);
        AllocateEncoder.PartsEncoder parts = new AllocateEncoder().wrapAndApplyHeader(buffer.codec(), at, header)
            .requestId(reply.slot()).segmentId(segment).kind((short) kind).partsCount(ranks.length);
        for (int i = 0; i < ranks.length; i++) {
            parts.next().rank(ranks[i]).lengthInBytes(lengths[i]);
        }
    }

    /** Removes a segment from a node. */
    public void free(PendingReply reply, long segment) throws IOException {
        int at = begin(FreeEncoder.BLOCK_LENGTH, 0);
        new FreeEncoder().wrapAndApplyHeader(buffer.codec(), at, header).requestId(reply.slot()).segmentId(segment);
    }

    /** Leaves. */
    public void goodbye(int rank) throws IOException {
        int at = begin(GoodbyeEncoder.BLOCK_LENGTH, 0);
        new GoodbyeEncoder().wrapAndApplyHeader(buffer.codec(), at, header).rank(rank);
    }
}

package org.tributary.client.connection;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Objects;
import org.tributary.client.shape.Scale;
import org.tributary.client.shape.Strided;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AccumulateEncoder;
import org.tributary.wire.codec.AccumulateStridedEncoder;
import org.tributary.wire.codec.AccumulateVectorEncoder;
import org.tributary.wire.codec.AllocateEncoder;
import org.tributary.wire.codec.AskChannelEncoder;
import org.tributary.wire.codec.AskRegionEncoder;
import org.tributary.wire.codec.AtomicEncoder;
import org.tributary.wire.codec.AtomicOp;
import org.tributary.wire.codec.FenceEncoder;
import org.tributary.wire.codec.FreeEncoder;
import org.tributary.wire.codec.GetAccumulateEncoder;
import org.tributary.wire.codec.GetEncoder;
import org.tributary.wire.codec.GetStridedEncoder;
import org.tributary.wire.codec.GetVectorEncoder;
import org.tributary.wire.codec.GoodbyeEncoder;
import org.tributary.wire.codec.GroupSizeEncodingEncoder;
import org.tributary.wire.codec.LeaveChannelEncoder;
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
import org.tributary.wire.codec.UseChannelEncoder;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.StridedRegion;

/**
 * Encodes requests into a link's buffer. Small ranges for one segment of one rank that follow each other become entries
 * of one vector message, as long as nothing else comes between. Guarded by the lock of the links.
 */
public final class RequestWriter {
    private static final int LEVELS_HEADER_BYTES = PutStridedEncoder.LevelsEncoder.sbeHeaderSize();
    private static final int LEVEL_BYTES = PutStridedEncoder.LevelsEncoder.sbeBlockLength();
    private static final int NO_VECTOR = -1;

    private final SendBuffer buffer;
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
    private final GroupSizeEncodingEncoder levelsHeader = new GroupSizeEncodingEncoder();
    private long messages;
    private int lockHome = -1;
    private int then;
    private long window = Frames.NO_WINDOW;
    private int vectorAt = NO_VECTOR;
    private long vectorSegment;
    private int vectorRank;
    private Scale vectorScale;
    private int vectorThen;
    private long vectorWindow;

    RequestWriter(SendBuffer buffer) {
        this.buffer = buffer;
    }

    /** Begins a frame of fixed size followed by payload; returns where its message header goes. */
    private int begin(int bytesAfterHeader, long payload) throws IOException {
        vectorAt = NO_VECTOR;
        messages++;
        int fixed = Frames.HEADER_BYTES + bytesAfterHeader;
        buffer.ensure(fixed);
        int at = buffer.claim(fixed);
        buffer.codec().putInt(at, (int) (fixed + payload));
        return at + Frames.LENGTH_BYTES;
    }

    /**
     * Sets what the target does once the next put, accumulate or get has been executed. Ranges join an open vector
     * message only when the same follows.
     *
     * @param code     one of the {@code THEN_} codes of {@link Frames}
     * @param windowId the window whose control words it changes
     */
    public void setCompletion(int code, long windowId) {
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

    /** Ends the vector message: the next range begins another one. */
    void endVector() {
        vectorAt = NO_VECTOR;
    }

    /** Contiguous put, or accumulate unless {@code scale} is null. */
    public void put(long segment, int rank, long offset, int flags, Scale scale, MemorySegment source, long from,
        long length) throws IOException {
        if (scale == null) {
            int at = begin(PutEncoder.BLOCK_LENGTH, length);
            put.wrapAndApplyHeader(buffer.codec(), at, header).segmentId(segment).targetOffset(offset).rank(rank)
                .flags(flags | takeThen()).windowId(takeWindow());
        } else {
            int at = begin(AccumulateEncoder.BLOCK_LENGTH, length);
            accumulate.wrapAndApplyHeader(buffer.codec(), at, header).segmentId(segment).targetOffset(offset)
                .rank(rank).flags(flags | takeThen()).elementType(scale.type().code()).reduction(scale.op().code())
                .windowId(takeWindow()).scale().re(scale.re()).im(scale.im());
        }
        buffer.payload(source, from, length);
    }

    /** Put, or accumulate unless {@code scale} is null, of a region that has the first levels of a shape. */
    public void putStrided(long segment, int rank, long offset, int flags, Scale scale, Strided shape, int levels,
        StridedRegion source) throws IOException {
        if (scale == null) {
            int at = beginStrided(PutStridedEncoder.BLOCK_LENGTH, levels, source.remaining());
            putStrided.wrapAndApplyHeader(buffer.codec(), at, header).segmentId(segment).targetOffset(offset)
                .rank(rank).flags(flags | takeThen()).blockLengthInBytes(shape.blockBytes()).windowId(takeWindow());
        } else {
            int at = beginStrided(AccumulateStridedEncoder.BLOCK_LENGTH, levels, source.remaining());
            accumulateStrided.wrapAndApplyHeader(buffer.codec(), at, header).segmentId(segment).targetOffset(offset)
                .rank(rank).flags(flags | takeThen()).elementType(scale.type().code()).reduction(scale.op().code())
                .windowId(takeWindow()).blockLengthInBytes(shape.blockBytes()).scale().re(scale.re()).im(scale.im());
        }
        addLevels(shape, levels);
        buffer.payload(source);
    }

    private int beginStrided(int blockLength, int levels, long payload) throws IOException {
        int levelsBytes = LEVELS_HEADER_BYTES + levels * LEVEL_BYTES;
        buffer.ensure(Frames.HEADER_BYTES + blockLength + levelsBytes);
        return begin(blockLength, levelsBytes + payload);
    }

    /** The levels as the target sees them, which follow the block of every strided message. */
    private void addLevels(Strided shape, int levels) {
        levelsHeader.wrap(buffer.codec(), buffer.claim(LEVELS_HEADER_BYTES)).blockLength(LEVEL_BYTES)
            .numInGroup(levels);
        for (int level = 0; level < levels; level++) {
            buffer.putLong(shape.remoteStride(level));
            buffer.putLong(shape.count(level));
        }
    }

    /**
     * Adds a range that fits the buffer to a vector put, or to a vector accumulate unless {@code scale} is null; true
     * when that began a new message.
     */
    public boolean addPut(long segment, int rank, long offset, Scale scale, MemorySegment source, long from, int length)
        throws IOException {
        boolean begins = !continuesVector(segment, rank, scale, length);
        if (begins) {
            int blockLength = scale == null ? PutVectorEncoder.BLOCK_LENGTH : AccumulateVectorEncoder.BLOCK_LENGTH;
            buffer.ensure(Frames.HEADER_BYTES + blockLength + Frames.VECTOR_ENTRY_BYTES + length);
            int at = begin(blockLength, 0);
            if (scale == null) {
                putVector.wrapAndApplyHeader(buffer.codec(), at, header).segmentId(segment).rank(rank)
                    .flags(vectorThen).windowId(vectorWindow);
            } else {
                accumulateVector.wrapAndApplyHeader(buffer.codec(), at, header).segmentId(segment).rank(rank)
                    .flags(vectorThen).elementType(scale.type().code()).reduction(scale.op().code())
                    .windowId(vectorWindow).scale().re(scale.re()).im(scale.im());
            }
            vectorAt = at - Frames.LENGTH_BYTES;
            vectorSegment = segment;
            vectorRank = rank;
            vectorScale = scale;
        }
        buffer.putLong(offset);
        buffer.putInt(length);
        buffer.copy(source, from, length);
        buffer.codec().putInt(vectorAt, buffer.position() - vectorAt);
        return begins;
    }

    /** Longest range that fits into a vector message. */
    public int maxEntryBytes() {
        return buffer.capacity() - Frames.HEADER_BYTES - AccumulateVectorEncoder.BLOCK_LENGTH
            - Frames.VECTOR_ENTRY_BYTES;
    }

    private boolean continuesVector(long segment, int rank, Scale scale, int length) {
        boolean continues = vectorAt != NO_VECTOR && vectorSegment == segment && vectorRank == rank
            && Objects.equals(vectorScale, scale) && vectorThen == then && vectorWindow == window
            && buffer.room() >= Frames.VECTOR_ENTRY_BYTES + length;
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
    public boolean completeVector(int rank, int code, long windowId) {
        if (vectorAt == NO_VECTOR || vectorRank != rank || vectorThen != 0) {
            return false;
        }
        int block = vectorAt + Frames.HEADER_BYTES;
        boolean isPut = vectorScale == null;
        buffer.codec().putInt(block + (isPut ? PutVectorEncoder.flagsEncodingOffset()
            : AccumulateVectorEncoder.flagsEncodingOffset()), code, ByteOrder.LITTLE_ENDIAN);
        buffer.codec().putLong(block + (isPut ? PutVectorEncoder.windowIdEncodingOffset()
            : AccumulateVectorEncoder.windowIdEncodingOffset()), windowId, ByteOrder.LITTLE_ENDIAN);
        endVector();
        return true;
    }

    public void signal(long segment, int rank, long offset, SignalOp op, long value) throws IOException {
        int at = begin(SignalEncoder.BLOCK_LENGTH, 0);
        signal.wrapAndApplyHeader(buffer.codec(), at, header).segmentId(segment).targetOffset(offset).rank(rank)
            .flags(0).op(op).value(value);
    }

    /** Counts a notification at a rank. */
    public void notifyRank(int rank) throws IOException {
        int at = begin(NotifyEncoder.BLOCK_LENGTH, 0);
        notify.wrapAndApplyHeader(buffer.codec(), at, header).rank(rank).flags(0);
    }

    public void get(PendingReply reply, long segment, int rank, long offset, long length) throws IOException {
        int at = begin(GetEncoder.BLOCK_LENGTH, 0);
        get.wrapAndApplyHeader(buffer.codec(), at, header).requestId(reply.slot()).segmentId(segment)
            .targetOffset(offset).rank(rank).lengthInBytes(length).flags(takeThen()).windowId(takeWindow());
    }

    /** Get of the first levels of a shape. */
    public void getStrided(PendingReply reply, long segment, int rank, long offset, Strided shape, int levels)
        throws IOException {
        int at = beginStrided(GetStridedEncoder.BLOCK_LENGTH, levels, 0);
        getStrided.wrapAndApplyHeader(buffer.codec(), at, header).requestId(reply.slot()).segmentId(segment)
            .targetOffset(offset).rank(rank).blockLengthInBytes(shape.blockBytes()).flags(takeThen())
            .windowId(takeWindow());
        addLevels(shape, levels);
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

    public void lock(PendingReply reply, long segment, int home, long offset, boolean attempt) throws IOException {
        int at = begin(LockEncoder.BLOCK_LENGTH, 0);
        lock.wrapAndApplyHeader(buffer.codec(), at, header).requestId(reply.slot()).segmentId(segment)
            .targetOffset(offset).rank(home).attempt((short) (attempt ? 1 : 0));
        lockHome = home;
    }

    /** The rank at which a lock was asked for last that may outlast the connection; -1 for none. */
    int lockHome() {
        return lockHome;
    }

    public void unlock(long segment, int home, long offset) throws IOException {
        int at = begin(UnlockEncoder.BLOCK_LENGTH, 0);
        unlock.wrapAndApplyHeader(buffer.codec(), at, header).segmentId(segment).targetOffset(offset).rank(home)
            .flags(0);
    }

    /** {@code holdsOther}: this rank holds the lock of another part of the window. */
    public void lockWindow(PendingReply reply, long windowId, int rank, LockMode mode, boolean holdsOther)
        throws IOException {
        int at = begin(LockWindowEncoder.BLOCK_LENGTH, 0);
        new LockWindowEncoder().wrapAndApplyHeader(buffer.codec(), at, header).requestId(reply.slot())
            .windowId(windowId).rank(rank).mode(mode).attempt((short) 0).holdsOther((short) (holdsOther ? 1 : 0));
        lockHome = rank;
    }

    public void unlockWindow(long windowId, int rank, LockMode mode, int flags) throws IOException {
        int at = begin(UnlockWindowEncoder.BLOCK_LENGTH, 0);
        new UnlockWindowEncoder().wrapAndApplyHeader(buffer.codec(), at, header).windowId(windowId).rank(rank)
            .flags(flags).mode(mode);
    }

    /** Lock, put, or accumulate unless {@code scale} is null, and unlock in one. */
    public void lockedPut(PendingReply reply, long windowId, LockMode mode, long segment, int rank, long offset,
        Scale scale, MemorySegment source, long from, int length) throws IOException {
        if (scale == null) {
            int at = begin(LockedPutEncoder.BLOCK_LENGTH, length);
            new LockedPutEncoder().wrapAndApplyHeader(buffer.codec(), at, header).requestId(reply.slot())
                .windowId(windowId).segmentId(segment).targetOffset(offset).rank(rank).mode(mode);
        } else {
            int at = begin(LockedAccumulateEncoder.BLOCK_LENGTH, length);
            new LockedAccumulateEncoder().wrapAndApplyHeader(buffer.codec(), at, header).requestId(reply.slot())
                .windowId(windowId).segmentId(segment).targetOffset(offset).rank(rank).mode(mode)
                .elementType(scale.type().code()).reduction(scale.op().code()).scale().re(scale.re()).im(scale.im());
        }
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

    /** Asks how the network adapter reaches a rank's part of a segment. */
    public void askRegion(PendingReply reply, long segment, int rank) throws IOException {
        reply.asksForRegion();
        int at = begin(AskRegionEncoder.BLOCK_LENGTH, 0);
        new AskRegionEncoder().wrapAndApplyHeader(buffer.codec(), at, header).requestId(reply.slot())
            .segmentId(segment).rank(rank);
    }

    /** Asks for a channel of the network adapter: so many messages a second go there. */
    void askChannel(int rate) throws IOException {
        int at = begin(AskChannelEncoder.BLOCK_LENGTH, 0);
        new AskChannelEncoder().wrapAndApplyHeader(buffer.codec(), at, header).rate(rate);
    }

    /** What follows goes by the channel. */
    void useChannel() throws IOException {
        int at = begin(UseChannelEncoder.BLOCK_LENGTH, 0);
        new UseChannelEncoder().wrapAndApplyHeader(buffer.codec(), at, header);
    }

    /** What follows does not go by the channel. */
    void leaveChannel() throws IOException {
        int at = begin(LeaveChannelEncoder.BLOCK_LENGTH, 0);
        new LeaveChannelEncoder().wrapAndApplyHeader(buffer.codec(), at, header);
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

    public void goodbye(int rank) throws IOException {
        int at = begin(GoodbyeEncoder.BLOCK_LENGTH, 0);
        new GoodbyeEncoder().wrapAndApplyHeader(buffer.codec(), at, header).rank(rank);
    }
}

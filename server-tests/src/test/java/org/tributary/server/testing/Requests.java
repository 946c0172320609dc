package org.tributary.server.testing;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AbortEncoder;
import org.tributary.wire.codec.AccumulateEncoder;
import org.tributary.wire.codec.AccumulateStridedEncoder;
import org.tributary.wire.codec.AccumulateVectorEncoder;
import org.tributary.wire.codec.AllocateEncoder;
import org.tributary.wire.codec.AskChannelEncoder;
import org.tributary.wire.codec.AskRegionEncoder;
import org.tributary.wire.codec.AtomicEncoder;
import org.tributary.wire.codec.AtomicOp;
import org.tributary.wire.codec.DataEncoder;
import org.tributary.wire.codec.ElementCode;
import org.tributary.wire.codec.FenceEncoder;
import org.tributary.wire.codec.FreeEncoder;
import org.tributary.wire.codec.GetAccumulateEncoder;
import org.tributary.wire.codec.GetEncoder;
import org.tributary.wire.codec.GetStridedEncoder;
import org.tributary.wire.codec.GetVectorEncoder;
import org.tributary.wire.codec.GoodbyeEncoder;
import org.tributary.wire.codec.JoinedEncoder;
import org.tributary.wire.codec.LeaveChannelEncoder;
import org.tributary.wire.codec.LockEncoder;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.codec.LockWindowEncoder;
import org.tributary.wire.codec.LockedAccumulateEncoder;
import org.tributary.wire.codec.LockedGetEncoder;
import org.tributary.wire.codec.LockedPutEncoder;
import org.tributary.wire.codec.MessageHeaderEncoder;
import org.tributary.wire.codec.NodeLeftEncoder;
import org.tributary.wire.codec.NotifyEncoder;
import org.tributary.wire.codec.ProbeEncoder;
import org.tributary.wire.codec.PutEncoder;
import org.tributary.wire.codec.PutStridedEncoder;
import org.tributary.wire.codec.PutVectorEncoder;
import org.tributary.wire.codec.ReduceCode;
import org.tributary.wire.codec.ShutdownEncoder;
import org.tributary.wire.codec.SignalEncoder;
import org.tributary.wire.codec.SignalOp;
import org.tributary.wire.codec.UnlockEncoder;
import org.tributary.wire.codec.UnlockWindowEncoder;
import org.tributary.wire.codec.UseChannelEncoder;
import org.tributary.wire.codec.WakeEncoder;

/** Whole frames of requests. */
public final class Requests {
    private static final int AT = Frames.LENGTH_BYTES;
    private static final int FIXED = 2048;

    private Requests() {
    }

    /** The number of a level's stride and the number of its blocks. */
    public record Level(long stride, long extent) {
    }

    /** A range of a vector transfer. */
    public record Range(long offset, int length) {
    }

    private static UnsafeBuffer buffer() {
        return new UnsafeBuffer(new byte[FIXED]);
    }

    private static MessageHeaderEncoder header() {
        return new MessageHeaderEncoder();
    }

    private static byte[] frame(UnsafeBuffer buffer, int encodedLength, byte... payload) {
        int fixed = Frames.HEADER_BYTES + encodedLength;
        byte[] frame = Arrays.copyOf(buffer.byteArray(), fixed + payload.length);
        System.arraycopy(payload, 0, frame, fixed, payload.length);
        ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN).putInt(0, frame.length);
        return frame;
    }

    /** Several frames in one piece. */
    public static byte[] all(byte[]... frames) {
        ByteBuffer all = ByteBuffer.allocate(Arrays.stream(frames).mapToInt(frame -> frame.length).sum());
        Arrays.stream(frames).forEach(all::put);
        return all.array();
    }

    /** What only a server says: an answer to a get. */
    public static byte[] data(long requestId, byte... data) {
        UnsafeBuffer buffer = buffer();
        DataEncoder answer = new DataEncoder().wrapAndApplyHeader(buffer, AT, header());
        answer.requestId(requestId);
        return frame(buffer, answer.encodedLength(), data);
    }

    /** Contiguous put. */
    public static byte[] put(long segment, int rank, long offset, int flags, byte... data) {
        UnsafeBuffer buffer = buffer();
        PutEncoder put = new PutEncoder().wrapAndApplyHeader(buffer, AT, header());
        put.segmentId(segment).rank(rank).targetOffset(offset).flags(flags);
        return frame(buffer, put.encodedLength(), data);
    }

    /** Strided put. */
    public static byte[] putStrided(long segment, int rank, long offset, int flags, long block, Level[] levels,
        byte... data) {
        UnsafeBuffer buffer = buffer();
        PutStridedEncoder put = new PutStridedEncoder().wrapAndApplyHeader(buffer, AT, header());
        put.segmentId(segment).rank(rank).targetOffset(offset).flags(flags).blockLengthInBytes(block);
        PutStridedEncoder.LevelsEncoder group = put.levelsCount(levels.length);
        for (Level level : levels) {
            group.next().stride(level.stride()).extent(level.extent());
        }
        return frame(buffer, put.encodedLength(), data);
    }

    /** Put of ranges; {@code entries} as {@link #entry} makes them. */
    public static byte[] putVector(long segment, int rank, int flags, byte... entries) {
        UnsafeBuffer buffer = buffer();
        PutVectorEncoder put = new PutVectorEncoder().wrapAndApplyHeader(buffer, AT, header());
        put.segmentId(segment).rank(rank).flags(flags);
        return frame(buffer, put.encodedLength(), entries);
    }

    /** One entry of a vector message, with its data or without. */
    public static byte[] entry(long offset, int length, byte... data) {
        return ByteBuffer.allocate(Frames.VECTOR_ENTRY_BYTES + data.length).order(ByteOrder.LITTLE_ENDIAN)
            .putLong(offset).putInt(length).put(data).array();
    }

    /** Contiguous accumulate. */
    public static byte[] accumulate(long segment, int rank, long offset, int flags, ElementCode type, long re,
        byte... data) {
        UnsafeBuffer buffer = buffer();
        AccumulateEncoder accumulate = new AccumulateEncoder().wrapAndApplyHeader(buffer, AT, header());
        accumulate.segmentId(segment).rank(rank).targetOffset(offset).flags(flags).elementType(type).scale().re(re)
            .im(0);
        return frame(buffer, accumulate.encodedLength(), data);
    }

    /** Strided accumulate. */
    public static byte[] accumulateStrided(long segment, int rank, long offset, ElementCode type, long re, long block,
        Level[] levels, byte... data) {
        UnsafeBuffer buffer = buffer();
        AccumulateStridedEncoder accumulate =
            new AccumulateStridedEncoder().wrapAndApplyHeader(buffer, AT, header());
        accumulate.segmentId(segment).rank(rank).targetOffset(offset).flags(0).elementType(type)
            .blockLengthInBytes(block).scale().re(re).im(0);
        AccumulateStridedEncoder.LevelsEncoder group = accumulate.levelsCount(levels.length);
        for (Level level : levels) {
            group.next().stride(level.stride()).extent(level.extent());
        }
        return frame(buffer, accumulate.encodedLength(), data);
    }

    /** Accumulate to ranges. */
    public static byte[] accumulateVector(long segment, int rank, ElementCode type, long re, byte... entries) {
        UnsafeBuffer buffer = buffer();
        AccumulateVectorEncoder accumulate = new AccumulateVectorEncoder().wrapAndApplyHeader(buffer, AT, header());
        accumulate.segmentId(segment).rank(rank).flags(0).elementType(type).scale().re(re).im(0);
        return frame(buffer, accumulate.encodedLength(), entries);
    }

    /** Change of a flag word. */
    public static byte[] signal(long segment, int rank, long offset, SignalOp op, long value) {
        UnsafeBuffer buffer = buffer();
        SignalEncoder signal = new SignalEncoder().wrapAndApplyHeader(buffer, AT, header());
        signal.segmentId(segment).rank(rank).targetOffset(offset).flags(0).op(op).value(value);
        return frame(buffer, signal.encodedLength());
    }

    /** Notification. */
    public static byte[] notification(int rank) {
        UnsafeBuffer buffer = buffer();
        NotifyEncoder notify = new NotifyEncoder().wrapAndApplyHeader(buffer, AT, header());
        notify.rank(rank).flags(0);
        return frame(buffer, notify.encodedLength());
    }

    /** Release of a mutex. */
    public static byte[] unlock(long segment, int home, long offset, int flags) {
        UnsafeBuffer buffer = buffer();
        UnlockEncoder unlock = new UnlockEncoder().wrapAndApplyHeader(buffer, AT, header());
        unlock.segmentId(segment).rank(home).targetOffset(offset).flags(flags);
        return frame(buffer, unlock.encodedLength());
    }

    /** Asks for an acknowledgement. */
    public static byte[] fence() {
        UnsafeBuffer buffer = buffer();
        FenceEncoder fence = new FenceEncoder().wrapAndApplyHeader(buffer, AT, header());
        return frame(buffer, fence.encodedLength());
    }

    /** Asks for a block. */
    public static byte[] askChannel(int rate) {
        UnsafeBuffer buffer = buffer();
        AskChannelEncoder ask = new AskChannelEncoder().wrapAndApplyHeader(buffer, AT, header()).rate(rate);
        return frame(buffer, ask.encodedLength());
    }

    /** What follows comes through the block. */
    public static byte[] useChannel() {
        UnsafeBuffer buffer = buffer();
        return frame(buffer, new UseChannelEncoder().wrapAndApplyHeader(buffer, AT, header()).encodedLength());
    }

    /** What follows comes on the connection. */
    public static byte[] leaveChannel() {
        UnsafeBuffer buffer = buffer();
        return frame(buffer, new LeaveChannelEncoder().wrapAndApplyHeader(buffer, AT, header()).encodedLength());
    }

    /** Wakes the server of a rank that uses its ring. */
    public static byte[] wake() {
        UnsafeBuffer buffer = buffer();
        WakeEncoder wake = new WakeEncoder().wrapAndApplyHeader(buffer, AT, header());
        return frame(buffer, wake.encodedLength());
    }

    /** Contiguous get. */
    public static byte[] get(long request, long segment, int rank, long offset, long length) {
        UnsafeBuffer buffer = buffer();
        GetEncoder get = new GetEncoder().wrapAndApplyHeader(buffer, AT, header());
        get.requestId(request).segmentId(segment).rank(rank).targetOffset(offset).lengthInBytes(length);
        return frame(buffer, get.encodedLength());
    }

    /** Strided get. */
    public static byte[] getStrided(long request, long segment, int rank, long offset, long block, Level... levels) {
        UnsafeBuffer buffer = buffer();
        GetStridedEncoder get = new GetStridedEncoder().wrapAndApplyHeader(buffer, AT, header());
        get.requestId(request).segmentId(segment).rank(rank).targetOffset(offset).blockLengthInBytes(block);
        GetStridedEncoder.LevelsEncoder group = get.levelsCount(levels.length);
        for (Level level : levels) {
            group.next().stride(level.stride()).extent(level.extent());
        }
        return frame(buffer, get.encodedLength());
    }

    /** Get of ranges. */
    public static byte[] getVector(long request, long segment, int rank, byte... entries) {
        UnsafeBuffer buffer = buffer();
        GetVectorEncoder get = new GetVectorEncoder().wrapAndApplyHeader(buffer, AT, header());
        get.requestId(request).segmentId(segment).rank(rank);
        return frame(buffer, get.encodedLength(), entries);
    }

    /** Read-modify-write. */
    public static byte[] atomic(long request, long segment, int rank, long offset, AtomicOp op, int width,
        long operand, long expected) {
        UnsafeBuffer buffer = buffer();
        AtomicEncoder atomic = new AtomicEncoder().wrapAndApplyHeader(buffer, AT, header());
        atomic.requestId(request).segmentId(segment).rank(rank).targetOffset(offset).op(op).width((short) width)
            .operand(operand).expected(expected);
        return frame(buffer, atomic.encodedLength());
    }

    /** Acquisition of a mutex, or an attempt. */
    public static byte[] lock(long request, long segment, int home, long offset, boolean attempt) {
        UnsafeBuffer buffer = buffer();
        LockEncoder lock = new LockEncoder().wrapAndApplyHeader(buffer, AT, header());
        lock.requestId(request).segmentId(segment).rank(home).targetOffset(offset).attempt((short) (attempt ? 1 : 0));
        return frame(buffer, lock.encodedLength());
    }

    /** State of a rank. */
    public static byte[] probe(long request, int rank) {
        UnsafeBuffer buffer = buffer();
        ProbeEncoder probe = new ProbeEncoder().wrapAndApplyHeader(buffer, AT, header());
        probe.requestId(request).rank(rank);
        return frame(buffer, probe.encodedLength());
    }

    /** Creates a segment: kind 0 for data, 1 for mutexes, 2 for windows; {@code lengths} of consecutive ranks. */
    public static byte[] allocate(long request, long segment, int kind, int firstRank, long... lengths) {
        UnsafeBuffer buffer = buffer();
        AllocateEncoder allocate = new AllocateEncoder().wrapAndApplyHeader(buffer, AT, header());
        allocate.requestId(request).segmentId(segment).kind((short) kind);
        AllocateEncoder.PartsEncoder parts = allocate.partsCount(lengths.length);
        for (int i = 0; i < lengths.length; i++) {
            parts.next().rank(firstRank + i).lengthInBytes(lengths[i]);
        }
        return frame(buffer, allocate.encodedLength());
    }

    /** Removes a segment. */
    public static byte[] free(long request, long segment) {
        UnsafeBuffer buffer = buffer();
        FreeEncoder free = new FreeEncoder().wrapAndApplyHeader(buffer, AT, header());
        free.requestId(request).segmentId(segment);
        return frame(buffer, free.encodedLength());
    }

    /** Asks for the region of a part. */
    public static byte[] askRegion(long request, long segment, int rank) {
        UnsafeBuffer buffer = buffer();
        AskRegionEncoder ask = new AskRegionEncoder().wrapAndApplyHeader(buffer, AT, header());
        ask.requestId(request).segmentId(segment).rank(rank);
        return frame(buffer, ask.encodedLength());
    }

    /** Knows that it is admitted. */
    public static byte[] joined() {
        UnsafeBuffer buffer = buffer();
        JoinedEncoder joined = new JoinedEncoder().wrapAndApplyHeader(buffer, AT, header());
        return frame(buffer, joined.encodedLength());
    }

    /** Leaves the job. */
    public static byte[] goodbye(int rank) {
        UnsafeBuffer buffer = buffer();
        GoodbyeEncoder goodbye = new GoodbyeEncoder().wrapAndApplyHeader(buffer, AT, header()).rank(rank);
        return frame(buffer, goodbye.encodedLength());
    }

    /** Ends the job with an error. */
    public static byte[] abort(int rank, int node, String reason) {
        UnsafeBuffer buffer = buffer();
        AbortEncoder abort = new AbortEncoder().wrapAndApplyHeader(buffer, AT, header());
        abort.rank(rank).node(node).reason(reason);
        return frame(buffer, abort.encodedLength());
    }

    /** Every rank of a node has left. */
    public static byte[] nodeLeft(int node) {
        UnsafeBuffer buffer = buffer();
        NodeLeftEncoder left = new NodeLeftEncoder().wrapAndApplyHeader(buffer, AT, header()).node(node);
        return frame(buffer, left.encodedLength());
    }

    /** Every rank has left. */
    public static byte[] shutdown() {
        UnsafeBuffer buffer = buffer();
        ShutdownEncoder shutdown = new ShutdownEncoder().wrapAndApplyHeader(buffer, AT, header());
        return frame(buffer, shutdown.encodedLength());
    }

    /** Acquisition of the lock of a window, or an attempt. */
    public static byte[] lockWindow(long request, long window, int home, LockMode mode, boolean attempt) {
        return lockWindow(request, window, home, mode, attempt, false);
    }

    /** Acquisition of the lock of a window by a rank that holds another one. */
    public static byte[] lockWindowBesideOther(long request, long window, int home, LockMode mode) {
        return lockWindow(request, window, home, mode, false, true);
    }

    private static byte[] lockWindow(long request, long window, int home, LockMode mode, boolean attempt,
        boolean holdsOther) {
        UnsafeBuffer buffer = buffer();
        LockWindowEncoder lock = new LockWindowEncoder().wrapAndApplyHeader(buffer, AT, header());
        lock.requestId(request).windowId(window).rank(home).mode(mode).attempt((short) (attempt ? 1 : 0))
            .holdsOther((short) (holdsOther ? 1 : 0));
        return frame(buffer, lock.encodedLength());
    }

    /** Release of the lock of a window. */
    public static byte[] unlockWindow(long window, int home, LockMode mode, int flags) {
        UnsafeBuffer buffer = buffer();
        UnlockWindowEncoder unlock = new UnlockWindowEncoder().wrapAndApplyHeader(buffer, AT, header());
        unlock.windowId(window).rank(home).flags(flags).mode(mode);
        return frame(buffer, unlock.encodedLength());
    }

    /** Put under the lock of a window. */
    public static byte[] lockedPut(long request, long window, LockMode mode, long segment, int rank, long offset,
        byte... data) {
        UnsafeBuffer buffer = buffer();
        LockedPutEncoder put = new LockedPutEncoder().wrapAndApplyHeader(buffer, AT, header());
        put.requestId(request).windowId(window).segmentId(segment).targetOffset(offset).rank(rank).mode(mode);
        return frame(buffer, put.encodedLength(), data);
    }

    /** Accumulate under the lock of a window. */
    public static byte[] lockedAccumulate(long request, long window, LockMode mode, long segment, int rank,
        long offset, ElementCode type, ReduceCode op, long re, byte... data) {
        UnsafeBuffer buffer = buffer();
        LockedAccumulateEncoder accumulate = new LockedAccumulateEncoder().wrapAndApplyHeader(buffer, AT, header());
        accumulate.requestId(request).windowId(window).segmentId(segment).targetOffset(offset).rank(rank).mode(mode)
            .elementType(type).reduction(op).scale().re(re).im(0);
        return frame(buffer, accumulate.encodedLength(), data);
    }

    /** Get under the lock of a window. */
    public static byte[] lockedGet(long request, long window, LockMode mode, long segment, int rank, long offset,
        long length) {
        UnsafeBuffer buffer = buffer();
        LockedGetEncoder get = new LockedGetEncoder().wrapAndApplyHeader(buffer, AT, header());
        get.requestId(request).windowId(window).segmentId(segment).targetOffset(offset).lengthInBytes(length)
            .rank(rank).mode(mode);
        return frame(buffer, get.encodedLength());
    }

    /** Accumulate that answers with what was there before. */
    public static byte[] getAccumulate(long request, long segment, int rank, long offset, ElementCode type,
        ReduceCode op, byte... data) {
        UnsafeBuffer buffer = buffer();
        GetAccumulateEncoder get = new GetAccumulateEncoder().wrapAndApplyHeader(buffer, AT, header());
        get.requestId(request).segmentId(segment).targetOffset(offset).rank(rank).flags(0).elementType(type)
            .reduction(op);
        return frame(buffer, get.encodedLength(), data);
    }

    /** An accumulate that combines in another way than by sums. */
    public static byte[] reduced(byte[] accumulate, ReduceCode op) {
        int at = Frames.HEADER_BYTES + switch (template(accumulate)) {
            case AccumulateEncoder.TEMPLATE_ID -> AccumulateEncoder.reductionEncodingOffset();
            case AccumulateStridedEncoder.TEMPLATE_ID -> AccumulateStridedEncoder.reductionEncodingOffset();
            case AccumulateVectorEncoder.TEMPLATE_ID -> AccumulateVectorEncoder.reductionEncodingOffset();
            default -> throw new IllegalArgumentException("message " + template(accumulate));
        };
        byte[] changed = accumulate.clone();
        changed[at] = (byte) op.value();
        return changed;
    }

    private static int template(byte... frame) {
        return ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN).getShort(AT + 2);
    }

    /** A put, accumulate or get that something follows. */
    public static byte[] then(byte[] request, int code, long window) {
        int[] at = switch (template(request)) {
            case PutEncoder.TEMPLATE_ID ->
                new int[] {PutEncoder.flagsEncodingOffset(), PutEncoder.windowIdEncodingOffset()};
            case PutStridedEncoder.TEMPLATE_ID ->
                new int[] {PutStridedEncoder.flagsEncodingOffset(), PutStridedEncoder.windowIdEncodingOffset()};
            case PutVectorEncoder.TEMPLATE_ID ->
                new int[] {PutVectorEncoder.flagsEncodingOffset(), PutVectorEncoder.windowIdEncodingOffset()};
            case AccumulateEncoder.TEMPLATE_ID ->
                new int[] {AccumulateEncoder.flagsEncodingOffset(), AccumulateEncoder.windowIdEncodingOffset()};
            case AccumulateStridedEncoder.TEMPLATE_ID -> new int[] {AccumulateStridedEncoder.flagsEncodingOffset(),
                AccumulateStridedEncoder.windowIdEncodingOffset()};
            case AccumulateVectorEncoder.TEMPLATE_ID -> new int[] {AccumulateVectorEncoder.flagsEncodingOffset(),
                AccumulateVectorEncoder.windowIdEncodingOffset()};
            case GetEncoder.TEMPLATE_ID ->
                new int[] {GetEncoder.flagsEncodingOffset(), GetEncoder.windowIdEncodingOffset()};
            case GetStridedEncoder.TEMPLATE_ID ->
                new int[] {GetStridedEncoder.flagsEncodingOffset(), GetStridedEncoder.windowIdEncodingOffset()};
            case GetVectorEncoder.TEMPLATE_ID ->
                new int[] {GetVectorEncoder.flagsEncodingOffset(), GetVectorEncoder.windowIdEncodingOffset()};
            case GetAccumulateEncoder.TEMPLATE_ID ->
                new int[] {GetAccumulateEncoder.flagsEncodingOffset(), GetAccumulateEncoder.windowIdEncodingOffset()};
            default -> throw new IllegalArgumentException("message " + template(request));
        };
        byte[] changed = request.clone();
        ByteBuffer frame = ByteBuffer.wrap(changed).order(ByteOrder.LITTLE_ENDIAN);
        int flags = Frames.HEADER_BYTES + at[0];
        frame.putInt(flags, frame.getInt(flags) | code).putLong(Frames.HEADER_BYTES + at[1], window);
        return changed;
    }
}

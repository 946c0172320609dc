package org.tributary.server.io;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.WriteBufferWaterMark;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.tributary.config.ChannelDesign;
import org.tributary.cooperation.Answers;
import org.tributary.fabric.RegionKey;
import org.tributary.server.memory.NodeSegment;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AckEncoder;
import org.tributary.wire.codec.ChannelEncoder;
import org.tributary.wire.codec.ChannelWantedEncoder;
import org.tributary.wire.codec.CreditEncoder;
import org.tributary.wire.codec.DataEncoder;
import org.tributary.wire.codec.DoneEncoder;
import org.tributary.wire.codec.ErrorCode;
import org.tributary.wire.codec.ErrorEncoder;
import org.tributary.wire.codec.GoodbyeEncoder;
import org.tributary.wire.codec.MessageHeaderEncoder;
import org.tributary.wire.codec.RegionEncoder;
import org.tributary.wire.codec.RequesterEncoder;
import org.tributary.wire.codec.TakeRouteEncoder;
import org.tributary.wire.codec.ValueEncoder;
import org.tributary.wire.shape.StridedRegion;

/**
 * Answers of one connection, gathered in a buffer until the requests at hand are done and then sent at once. Large
 * contiguous answers leave directly from the segment; until such an answer is out, {@link #isBlocked()}, so that no
 * later request of the connection changes the memory under it. Owned by the event loop of the connection.
 */
public class ReplyWriter implements Replies {
    /** From this size on, data is sent from where it lies. */
    static final int DIRECT_BYTES = 32 * 1024;
    /** Megabytes in one call make the sender do the kernel's work of all of it, and less wakes the reader often. */
    private static final int PIECE_BYTES = 512 * 1024;
    private static final int MAX_DETAIL_BYTES = 512;
    /** Answers that wait for a socket beyond this make the connection's next requests wait. */
    public static final WriteBufferWaterMark WAITING_ANSWERS = new WriteBufferWaterMark(256 << 10, 1 << 20);
    /** The same when many connections do not take their answers. */
    private static final WriteBufferWaterMark FEW_ANSWERS =
        new WriteBufferWaterMark(ReplyBufferPool.BUFFER_BYTES / 4, ReplyBufferPool.BUFFER_BYTES);

    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final AckEncoder ack = new AckEncoder();
    private final ValueEncoder value = new ValueEncoder();
    private final DoneEncoder done = new DoneEncoder();
    private final DataEncoder data = new DataEncoder();
    private final ErrorEncoder error = new ErrorEncoder();
    private final RequesterEncoder requester = new RequesterEncoder();
    private final CreditEncoder credit = new CreditEncoder();
    private final TakeRouteEncoder takeRoute = new TakeRouteEncoder();
    private final GoodbyeEncoder goodbye = new GoodbyeEncoder();
    private final ReplyBufferPool pool;
    private final ChannelHandlerContext context;
    private final Runnable onUnblocked;
    private ReplyBuffer buffer;
    private int position;
    private int directInFlight;
    private boolean holdsFew;
    private Runnable afterDirect;
    private boolean isGone;

    public ReplyWriter(ReplyBufferPool pool, ChannelHandlerContext context, Runnable onUnblocked) {
        this.pool = pool;
        this.context = context;
        this.onUnblocked = onUnblocked;
    }

    /** The number of the loop that owns the connection. */
    public int loop() {
        return pool.loop();
    }

    /** Whether the next request has to wait until earlier answers are out. */
    public boolean isBlocked() {
        return !isGone && (directInFlight > 0 || !context.channel().isWritable());
    }

    /** Acknowledges one-way requests: so many, counted since the connection came, have been executed. */
    public void ack(long executed) {
        int at = begin(AckEncoder.BLOCK_LENGTH);
        ack.wrapAndApplyHeader(buffer.codec(), at, header).executed(executed);
    }

    @Override
    public void value(long requestId, long result) {
        int at = begin(ValueEncoder.BLOCK_LENGTH);
        value.wrapAndApplyHeader(buffer.codec(), at, header).requestId(requestId).value(result);
    }

    @Override
    public void done(long requestId) {
        int at = begin(DoneEncoder.BLOCK_LENGTH);
        done.wrapAndApplyHeader(buffer.codec(), at, header).requestId(requestId);
    }

    @Override
    public void error(long requestId, ErrorCode code, int rank, long segmentId, long offset, long length, long bound,
        String detail) {
        byte[] text = detail.getBytes(StandardCharsets.UTF_8);
        text = text.length > MAX_DETAIL_BYTES ? Arrays.copyOf(text, MAX_DETAIL_BYTES) : text;
        int at = begin(ErrorEncoder.BLOCK_LENGTH + ErrorEncoder.detailHeaderLength() + text.length);
        error.wrapAndApplyHeader(buffer.codec(), at, header).requestId(requestId).code(code).rank(rank)
            .segmentId(segmentId).targetOffset(offset).lengthInBytes(length).bound(bound)
            .putDetail(text, 0, text.length);
    }

    @Override
    public void region(long requestId, RegionKey key, long partOffset, String provider, byte[] address) {
        byte[] name = provider.getBytes(StandardCharsets.UTF_8);
        int at = begin(RegionEncoder.BLOCK_LENGTH + RegionEncoder.providerHeaderLength() + name.length
            + RegionEncoder.addressHeaderLength() + address.length);
        new RegionEncoder().wrapAndApplyHeader(buffer.codec(), at, header).requestId(requestId)
            .start(key == null ? 0 : key.base()).key(key == null ? 0 : key.key()).bytes(key == null ? 0 : key.bytes())
            .partOffset(partOffset).putProvider(name, 0, name.length).putAddress(address, 0, address.length);
    }

    /** Names the rank that what follows is about, on a channel. */
    public void requester(int rank) {
        int at = begin(RequesterEncoder.BLOCK_LENGTH);
        requester.wrapAndApplyHeader(buffer.codec(), at, header).rank(rank);
    }

    /** Tells a rank of the block to which it may write requests. */
    public void channel(RegionKey key, int number, boolean byCompletion, ChannelDesign design, String provider,
        byte[] address) {
        byte[] name = provider.getBytes(StandardCharsets.UTF_8);
        int at = begin(ChannelEncoder.BLOCK_LENGTH + ChannelEncoder.providerHeaderLength() + name.length
            + ChannelEncoder.addressHeaderLength() + address.length);
        new ChannelEncoder().wrapAndApplyHeader(buffer.codec(), at, header).start(key.base()).key(key.key())
            .bytes(key.bytes()).number(number).byCompletion((short) (byCompletion ? 1 : 0))
            .design((short) design.ordinal()).putProvider(name, 0, name.length)
            .putAddress(address, 0, address.length);
    }

    /** A rank is to leave its block. */
    public void channelWanted() {
        int at = begin(ChannelWantedEncoder.BLOCK_LENGTH);
        new ChannelWantedEncoder().wrapAndApplyHeader(buffer.codec(), at, header);
    }

    /** Room has been freed, on a channel or in a block. */
    public void credit(long freed) {
        int at = begin(CreditEncoder.BLOCK_LENGTH);
        credit.wrapAndApplyHeader(buffer.codec(), at, header).freed(freed);
    }

    /** Requests are to take their route from now on. */
    public void takeRoute() {
        int at = begin(TakeRouteEncoder.BLOCK_LENGTH);
        takeRoute.wrapAndApplyHeader(buffer.codec(), at, header);
    }

    /** A rank has left, or, if negative, this server. */
    public void goodbye(int rank) {
        int at = begin(GoodbyeEncoder.BLOCK_LENGTH);
        goodbye.wrapAndApplyHeader(buffer.codec(), at, header).rank(rank);
    }

    /** Sets the action to run once the data that is leaving directly from its segment has left. */
    public void afterDirect(Runnable action) {
        afterDirect = action;
    }

    /**
     * Answers a get with a contiguous range.
     *
     * @return whether the data has left its segment already; if not, it will before the next request is executed
     */
    public boolean data(long requestId, NodeSegment segment, int rank, long offset, int length) {
        if (isGone) {
            return true;
        }
        MemorySegment source = segment.part(rank);
        beginData(requestId, length);
        if (length < DIRECT_BYTES) {
            append(source, offset, length);
            return true;
        }
        writeBuffer(false);
        directInFlight++;
        segment.pin(loop());
        ByteBuffer all = source.asSlice(offset, length).asByteBuffer();
        ChannelFuture sent;
        int from = 0;
        do {
            int piece = Math.min(length - from, PIECE_BYTES);
            sent = context.writeAndFlush(Unpooled.wrappedBuffer(all.slice(from, piece)));
            from += piece;
        } while (from < length);
        if (sent.isDone()) {
            sentDirectly(segment);
            return true;
        }
        ChannelFuture last = sent;
        // Not now: this may be told from within a write, when a frame is half encoded.
        last.addListener(ignored -> context.executor().execute(
            () -> Guarded.run(context, () -> goOn(segment, last.isSuccess()))));
        return false;
    }

    private void goOn(NodeSegment segment, boolean hasLeft) {
        sentDirectly(segment);
        Runnable action = afterDirect;
        afterDirect = null;
        if (action != null && hasLeft) {
            action.run();
            flush();
        }
        onUnblocked.run();
    }

    private void sentDirectly(NodeSegment segment) {
        directInFlight--;
        segment.unpin(loop());
    }

    /** Begins the answer to a get; exactly {@code length} bytes are to be appended. */
    public void beginData(long requestId, int length) {
        int at = begin(DataEncoder.BLOCK_LENGTH);
        data.wrapAndApplyHeader(buffer.codec(), at, header).requestId(requestId);
        buffer.codec().putInt(at - Frames.LENGTH_BYTES,
            Frames.HEADER_BYTES + DataEncoder.BLOCK_LENGTH + length);
    }

    @Override
    public void copy(long requestId, MemorySegment source, long offset, int length) {
        beginData(requestId, length);
        append(source, offset, length);
    }

    public void append(StridedRegion source) {
        while (source.remaining() > 0) {
            int room = room();
            int bytes = (int) Math.min(room, source.remaining());
            source.gather(buffer.memory(), position, bytes);
            position += bytes;
        }
    }

    public void append(MemorySegment source, long offset, int length) {
        int left = length;
        long from = offset;
        while (left > 0) {
            int bytes = Math.min(room(), left);
            MemorySegment.copy(source, from, buffer.memory(), position, bytes);
            position += bytes;
            from += bytes;
            left -= bytes;
        }
    }

    private int room() {
        if (buffer != null && position == buffer.capacity()) {
            flush();
        }
        if (buffer == null) {
            buffer = pool.take();
        }
        return buffer.capacity() - position;
    }

    /** Makes room for a frame without payload, writes its length; returns where its message header goes. */
    private int begin(int bytesAfterHeader) {
        int frameLength = Frames.HEADER_BYTES + bytesAfterHeader;
        if (buffer != null && buffer.capacity() - position < frameLength) {
            flush();
        }
        if (buffer == null) {
            buffer = pool.take();
        }
        int at = position + Frames.LENGTH_BYTES;
        buffer.codec().putInt(position, frameLength);
        position += frameLength;
        return at;
    }

    /** A connection that does not take its answers holds a megabyte of them, unless there are many such. */
    private void holdFewWhenScarce() {
        if (pool.isScarce() != holdsFew) {
            holdsFew = !holdsFew;
            context.channel().config().setWriteBufferWaterMark(holdsFew ? FEW_ANSWERS : WAITING_ANSWERS);
        }
    }

    /** Without {@code flushes} the sending is left to the next write. */
    private void writeBuffer(boolean flushes) {
        if (isGone) {
            discard();
        } else if (buffer != null) {
            holdFewWhenScarce();
            // Not this writer's any more before it is written: what writing sets off may begin the next.
            ReplyBuffer full = buffer;
            ByteBuf bytes = full.toSend(0, position);
            buffer = null;
            position = 0;
            if (flushes) {
                context.writeAndFlush(bytes, context.voidPromise());
            } else {
                context.write(bytes, context.voidPromise());
            }
            pool.giveBack(full);
        }
    }

    @Override
    public void flush() {
        writeBuffer(true);
    }

    /**
     * Passes on an answer of another server.
     *
     * @param fixed   where the frame begins, and its bytes up to the payload
     * @param payload where the payload begins, and its bytes
     */
    public void passOn(MemorySegment fixedFrom, long fixedAt, int fixed, MemorySegment payloadFrom, long payloadAt,
        int payload, long requestId) {
        int at = begin(fixed - Frames.HEADER_BYTES) - Frames.LENGTH_BYTES;
        MemorySegment.copy(fixedFrom, fixedAt, buffer.memory(), at, fixed);
        buffer.codec().putLong(at + Frames.HEADER_BYTES, requestId, ByteOrder.LITTLE_ENDIAN);
        append(payloadFrom, payloadAt, payload);
    }

    /** The value passed on last is to be larger: it is that of a fetch-and-add that was combined with others. */
    public void addToValue(long prefix, int width) {
        int at = position - ValueEncoder.BLOCK_LENGTH + ValueEncoder.valueEncodingOffset();
        long sum = Answers.sum(buffer.codec().getLong(at, ByteOrder.LITTLE_ENDIAN), prefix, width);
        buffer.codec().putLong(at, sum, ByteOrder.LITTLE_ENDIAN);
    }

    /** Forgets what has not been sent, and all answers to come; the connection is gone. */
    public void discard() {
        isGone = true;
        if (buffer != null) {
            pool.giveBack(buffer);
            buffer = null;
            position = 0;
        }
    }
}

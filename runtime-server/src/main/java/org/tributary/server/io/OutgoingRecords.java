package org.tributary.server.io;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.tributary.wire.record.RecordSealer;
import org.tributary.wire.record.Records;

/**
 * The outgoing side of one encrypted connection: seals written data in order, not faster than the socket takes it, so
 * that a large answer needs a few blocks only. Owned by the event loop.
 */
final class OutgoingRecords extends ChannelOutboundHandlerAdapter {
    private static final int MAX_IN_FLIGHT = 2;
    private static final int WAITS = 1; // its bit of what makes a channel not writable

    private record Message(ByteBuf bytes, ChannelPromise promise) {
    }

    private final ReplyBufferPool pool;
    private final RecordSealer sealer;
    private final IncomingRecords incoming;
    private final ArrayDeque<Message> waiting = new ArrayDeque<>();
    private long waitingBytes;
    private int inFlight;
    private boolean full;
    private boolean ended;

    /** Of a connection whose other direction is {@code incoming}. */
    OutgoingRecords(ReplyBufferPool pool, RecordSealer sealer, IncomingRecords incoming) {
        this.pool = pool;
        this.sealer = sealer;
        this.incoming = incoming;
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        ByteBuf bytes = (ByteBuf) message;
        if (ended) {
            bytes.release();
            fail(promise, new ClosedChannelException());
            return;
        }
        waiting.addLast(new Message(bytes, promise));
        waitingBytes += bytes.readableBytes();
        if (!full && waitingBytes > context.channel().config().getWriteBufferHighWaterMark()) {
            setFull(context, true);
        }
    }

    private void setFull(ChannelHandlerContext context, boolean isFull) {
        full = isFull;
        ChannelOutboundBuffer outbound = context.channel().unsafe().outboundBuffer();
        if (outbound != null) {
            outbound.setUserDefinedWritability(WAITS, !isFull);
        }
    }

    @Override
    public void flush(ChannelHandlerContext context) {
        while (!waiting.isEmpty() && inFlight < (pool.isScarce() ? 1 : MAX_IN_FLIGHT)) {
            ReplyBuffer block = pool.take();
            send(context, block, fill(block.bytes().clear()));
        }
        if (full && waitingBytes < context.channel().config().getWriteBufferLowWaterMark()) {
            setFull(context, false);
        }
        context.flush();
    }

    /** Seals what fits; returns the writers that wait for the end of messages in it. */
    private List<ChannelPromise> fill(ByteBuffer block) {
        List<ChannelPromise> complete = new ArrayList<>(2);
        while (!waiting.isEmpty() && room(block) > 0) {
            Message message = waiting.peekFirst();
            int room = room(block);
            int length = Math.min(room, message.bytes().readableBytes());
            sealer.add(message.bytes().nioBuffer(message.bytes().readerIndex(), length));
            waitingBytes -= length;
            if (!message.bytes().skipBytes(length).isReadable()) {
                waiting.removeFirst();
                message.bytes().release();
                complete.add(message.promise());
            }
            if (length == room || waiting.isEmpty()) {
                sealer.seal(block);
            }
        }
        return complete;
    }

    /** Bytes that fit into the record at hand and, sealed, into the block. */
    private int room(ByteBuffer block) {
        int gathered = Records.MAX_CONTENT - sealer.room();
        return Math.min(sealer.room(), block.remaining() - Records.OVERHEAD - gathered);
    }

    private void send(ChannelHandlerContext context, ReplyBuffer block, List<ChannelPromise> complete) {
        inFlight++;
        ChannelFuture written = context.write(block.toSend(0, block.bytes().position()));
        pool.giveBack(block); // which counts it as long as the socket has not taken it
        written.addListener(sent -> Guarded.run(context, () -> sent(context, sent.cause(), complete)));
    }

    /** {@code failure} is null when the socket has taken the records. */
    private void sent(ChannelHandlerContext context, Throwable failure, List<ChannelPromise> complete) {
        inFlight--;
        for (ChannelPromise promise : complete) {
            if (failure != null) {
                fail(promise, failure);
            } else if (!promise.isVoid()) {
                promise.trySuccess();
            }
        }
        if (failure == null && !waiting.isEmpty()) {
            flush(context);
        }
    }

    private static void fail(ChannelPromise promise, Throwable cause) {
        if (!promise.isVoid()) {
            promise.tryFailure(cause);
        }
    }

    /** Nothing follows, the other side is told if nothing is in the way. */
    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) {
        if (!ended && !incoming.hasFailed() && waiting.isEmpty() && inFlight == 0 && context.channel().isActive()) {
            ReplyBuffer block = pool.take();
            sealer.sealLast(block.bytes().clear());
            send(context, block, List.of());
            context.flush();
        }
        discard();
        context.close(promise);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        discard();
    }

    private void discard() {
        ended = true;
        while (!waiting.isEmpty()) {
            Message message = waiting.removeFirst();
            message.bytes().release();
            fail(message.promise(), new ClosedChannelException());
        }
        waitingBytes = 0;
    }
}

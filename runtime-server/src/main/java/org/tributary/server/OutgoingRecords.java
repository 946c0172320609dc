package org.tributary.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.tributary.wire.record.RecordSealer;

/**
 * What leaves on one encrypted connection: seals what is written, in order, not faster than the socket takes it, so
 * that a large answer needs a few blocks only. Owned by the event loop.
 */
final class OutgoingRecords extends ChannelOutboundHandlerAdapter {
    private static final int MAX_IN_FLIGHT = 2;
    private static final int WAITS = 1; // its bit of what makes a channel not writable
    private static final long MANY_BYTES = 1 << 20;
    private static final long FEW_BYTES = 256 << 10;

    private record Message(ByteBuf bytes, ChannelPromise promise) {
    }

    private final RecordBuffers buffers;
    private final RecordSealer sealer;
    private final IncomingRecords incoming;
    private final ArrayDeque<Message> waiting = new ArrayDeque<>();
    private long waitingBytes;
    private int inFlight;
    private boolean full;
    private boolean ended;

    /** Of a connection whose other direction is {@code incoming}. */
    OutgoingRecords(RecordBuffers buffers, RecordSealer sealer, IncomingRecords incoming) {
        this.buffers = buffers;
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
        if (!full && waitingBytes > MANY_BYTES) {
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
        while (!waiting.isEmpty() && inFlight < MAX_IN_FLIGHT) {
            RecordBuffers.SealedBlock block = buffers.take();
            send(context, block, fill(block));
        }
        if (full && waitingBytes < FEW_BYTES) {
            setFull(context, false);
        }
        context.flush();
    }

    /** Seals what fits; returns who waits for the end of messages in it. */
    private List<ChannelPromise> fill(RecordBuffers.SealedBlock block) {
        List<ChannelPromise> complete = new ArrayList<>(2);
        while (!waiting.isEmpty() && block.hasRoom()) {
            Message message = waiting.peekFirst();
            int length = sealer.add(message.bytes().nioBuffer());
            waitingBytes -= length;
            if (!message.bytes().skipBytes(length).isReadable()) {
                waiting.removeFirst();
                message.bytes().release();
                complete.add(message.promise());
            }
            if (sealer.room() == 0 || waiting.isEmpty() && !sealer.isEmpty()) {
                sealer.seal(block.bytes());
            }
        }
        return complete;
    }

    private void send(ChannelHandlerContext context, RecordBuffers.SealedBlock block, List<ChannelPromise> complete) {
        inFlight++;
        context.write(block.toSend()).addListener(sent -> {
            inFlight--;
            buffers.giveBack(block);
            for (ChannelPromise promise : complete) {
                if (!sent.isSuccess()) {
                    fail(promise, sent.cause());
                } else if (!promise.isVoid()) {
                    promise.trySuccess();
                }
            }
            if (sent.isSuccess() && !waiting.isEmpty()) {
                flush(context);
            }
        });
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
            RecordBuffers.SealedBlock block = buffers.take();
            sealer.sealLast(block.bytes());
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

package org.tributary.server.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.function.Supplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.server.frame.FrameReader;
import org.tributary.server.frame.HandshakeWriter;
import org.tributary.server.frame.MalformedFrameException;
import org.tributary.server.io.ReceiveAllocator;
import org.tributary.server.io.ReceiveBuffer;
import org.tributary.wire.AcceptingHandshake;
import org.tributary.wire.Frames;
import org.tributary.wire.Handshake;
import org.tributary.wire.codec.RefusalCode;
import org.tributary.wire.codec.Templates;

/**
 * A connection that has not proved itself: goes through the handshake up to the proof, and is then handed over to the
 * loop that moves data. Owned by the loop of strangers until then.
 */
public final class StrangerHandler extends ChannelInboundHandlerAdapter
    implements FrameReader.Receiver, Strangers.Stranger {
    /** Takes over a channel that reads nothing now, on the loop of strangers. */
    interface Proved {
        void handOver(Channel channel, StrangerHandler stranger, AcceptingHandshake handshake);
    }

    private static final SecureRandom RANDOM = new SecureRandom();

    private final Connections connections;
    private final ReceiveBuffer receiveBuffer;
    private final Strangers strangers;
    private final Proved next;
    private final FrameReader reader = new FrameReader(this);
    private Supplier<ByteBuf> readTarget;
    private boolean isStranger = true;
    private ChannelHandlerContext context;
    private AcceptingHandshake handshake;

    /** {@code receiveBuffer} is that of the loop of strangers. */
    StrangerHandler(Connections connections, ReceiveBuffer receiveBuffer, Strangers strangers, Proved next) {
        this.connections = connections;
        this.receiveBuffer = receiveBuffer;
        this.strangers = strangers;
        this.next = next;
        this.readTarget = receiveBuffer::toRead;
    }

    static String peerAddress(Channel channel) {
        return channel.remoteAddress() == null ? "local socket" : channel.remoteAddress().toString();
    }

    static String describe(Channel channel) {
        return "unadmitted connection from " + peerAddress(channel);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
        // Netty asks a channel for its allocator once, so this one outlives the handler.
        added.channel().config().setRecvByteBufAllocator(new ReceiveAllocator(() -> readTarget.get()));
        connections.metrics().connectionOpened();
        // Handlers do not hear of the end of a channel that is between two loops.
        added.channel().closeFuture().addListener(closed -> connections.metrics().connectionClosed());
        strangers.came(this);
    }

    /** Where reads of the channel go from now on. */
    void readInto(Supplier<ByteBuf> target) {
        readTarget = target;
    }

    /** Made when first needed: many never say a word. */
    private AcceptingHandshake handshake() {
        if (handshake == null) {
            handshake = new AcceptingHandshake(connections.membership(), connections.job().node(),
                Handshake.nonce(RANDOM));
        }
        return handshake;
    }

    /** It has to go before it has proved itself; it may try again. */
    @Override
    public void turnAway(String why, boolean isNews) {
        isStranger = false;
        if (isNews) {
            connections.metrics().refused();
        }
        if (!handshake().isOver()) {
            new HandshakeWriter(context).send(handshake.turnAway(why));
            context.close();
        }
    }

    private void noLongerStranger() {
        if (isStranger) {
            isStranger = false;
            strangers.went(this);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext active, Object message) {
        int end = ((ByteBuf) message).writerIndex();
        int stopped = reader.read(receiveBuffer.codec(), receiveBuffer.memory(), 0, end);
        if (handshake().isProved()) {
            if (stopped < end) {
                throw new MalformedFrameException((end - stopped) + " bytes behind the proof");
            }
            isStranger = false;
            strangers.proved(this);
            context.channel().config().setAutoRead(false);
            next.handOver(context.channel(), this, handshake);
        }
    }

    @Override
    public int maxFrame() {
        return Frames.MAX_HANDSHAKE;
    }

    @Override
    public boolean holdIfBlocked() {
        return handshake().isProved() || handshake.isOver();
    }

    @Override
    public void frame(UnsafeBuffer buffer, MemorySegment memory, int at, int template, int blockLength, int version,
        int payload) {
        byte[] answer = handshake().receive(buffer, at - Frames.HEADER_BYTES,
            Frames.HEADER_BYTES + blockLength + (Templates.carriesPayload(template) ? 0 : payload));
        if (!handshake.isOver()) {
            if (answer.length > 0) {
                new HandshakeWriter(context).send(answer);
            }
        } else if (handshake.refusal().code() == RefusalCode.OUT_OF_ORDER) {
            throw new MalformedFrameException(handshake.refusal().detail());
        } else {
            refused(answer);
        }
    }

    private void refused(byte[] farewell) {
        connections.metrics().refused();
        connections.log().refused(describe(context.channel()), handshake.refusal().code(),
            handshake.refusal().detail());
        if (farewell.length > 0) {
            new HandshakeWriter(context).send(farewell);
        }
        context.close();
    }

    @Override
    public int payload(MemorySegment memory, int at, int length) {
        throw new MalformedFrameException("payload from a stranger");
    }

    @Override
    public boolean isPayloadDone() {
        return false;
    }

    @Override
    public void payloadDone() {
        throw new IllegalStateException("payload of a stranger");
    }

    @Override
    public void channelInactive(ChannelHandlerContext inactive) {
        noLongerStranger();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext failed, Throwable cause) {
        if (cause instanceof MalformedFrameException || cause instanceof IllegalArgumentException
            || cause instanceof IndexOutOfBoundsException) {
            connections.metrics().malformed();
            connections.log().malformed(describe(failed.channel()), cause);
        } else if (!(cause instanceof IOException)) {
            connections.log().failed(describe(failed.channel()), cause);
        }
        failed.close();
    }
}

package org.tributary.server.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.channel.unix.Errors;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.server.frame.FrameReader;
import org.tributary.server.frame.MalformedFrameException;
import org.tributary.server.io.Encryption;
import org.tributary.server.io.HeldInput;
import org.tributary.server.io.IncomingRecords;
import org.tributary.server.io.KeptRequests;
import org.tributary.server.io.KernelStream;
import org.tributary.server.io.ReceiveBuffer;
import org.tributary.server.io.SecuredStream;
import org.tributary.server.io.SpinThenBlock;
import org.tributary.wire.AcceptingHandshake;
import org.tributary.wire.codec.Role;
import org.tributary.wire.record.KernelTlsException;
import org.tributary.wire.record.RecordException;
import org.tributary.wire.shm.DamagedMemoryException;
import org.tributary.wire.shm.MemoryFaults;
import org.tributary.wire.shm.RequestStream;

/**
 * One connection that has proved itself: brings bytes from the socket, or from the rank's ring or block, to its {@link
 * FrameReader} and answers to the socket, and holds reading back while answers cannot leave, or a lock of accumulates
 * is not free. With a ring the socket is read always, because what comes on it wakes the loop for all ranks; with a
 * block nothing comes on it. Owned by one event loop.
 *
 * <p>Netty reads a socket to its end when the other side has ended, whatever holds reading back, and closes it. What
 * it brought, and what is in the ring, is executed without it then, in its turn.
 */
public final class ConnectionHandler extends ChannelInboundHandlerAdapter implements RequestReader {
    /** From this size on, payload is read from the socket directly into the segment. */
    private static final int DIRECT_BYTES = 16 * 1024;
    private static final int MAX_DIRECT_READ = 1 << 30;
    private static final int EPIPE = -32;
    private static final int ECONNRESET = -104;

    private final Connections connections;
    private final ReceiveBuffer receiveBuffer;
    private final SpinThenBlock waiting;
    private final StrangerHandler stranger;
    private final AcceptingHandshake handshake;
    private Session session;
    private RequestCarrier carrier;
    private FrameReader reader;
    private ByteBuf direct;
    private final HeldInput held;
    private boolean hasFailed;
    /** The socket is closed, and what it brought is not executed yet. */
    private boolean isOutlived;
    private SecuredStream stream;
    private IncomingRecords records;
    private KernelStream kernel;

    /** Takes over from the handler of a stranger, whose handshake is to be decided. */
    public ConnectionHandler(Connections connections, ReceiveBuffer receiveBuffer, StrangerHandler stranger,
        AcceptingHandshake handshake) {
        this.connections = connections;
        this.stranger = stranger;
        this.handshake = handshake;
        this.receiveBuffer = receiveBuffer;
        this.waiting = connections.io().waiting();
        this.held = new HeldInput(connections.io().kept());
    }

    /** Throws nothing: Netty would log it and keep the connection, admitted and unread. */
    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        try {
            session = new Session(connections, context, this::goOn, e -> exceptionCaught(context, e));
            carrier = session.carrier();
            begin(context);
        } catch (RuntimeException | Error e) {
            if (session != null) {
                exceptionCaught(context, e);
            } else {
                connections.log().failed(StrangerHandler.describe(context.channel()), e);
                context.close();
            }
        }
    }

    private void begin(ChannelHandlerContext context) {
        reader = new FrameReader(session, connections.io().kept());
        stranger.readInto(this::readTarget);
        connections.io().silentHosts().watch(context.channel(), silence -> {
            hasFailed = true;
            session.broke(silence);
        });
        connections.members().add(session);
        stream = new Admission(connections, session).decide(handshake);
        records = stream instanceof IncomingRecords opensThem ? opensThem : null;
        kernel = stream instanceof KernelStream hasThem ? hasThem : null;
    }

    private ByteBuf readTarget() {
        if (kernel != null) {
            kernel.beforeRead();
        }
        if (records != null) {
            return records.toRead(connections.io().kept().noteIfScarce());
        }
        if (direct != null) {
            return direct;
        }
        boolean isPayload = carrier.memory() == null && held.isEmpty() && reader.inPayload();
        long bytes = isPayload ? session.sink().directBytes() : 0;
        if (bytes < DIRECT_BYTES) {
            return connections.io().kept().noteIfScarce() ? readLittle() : receiveBuffer.toRead();
        }
        MemorySegment target = session.sink().directTarget();
        ByteBuffer memory = target.asSlice(0, Math.min(bytes, MAX_DIRECT_READ)).asByteBuffer();
        direct = Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(memory).clear());
        return direct;
    }

    private ByteBuf readLittle() {
        connections.log().keepsMuch(connections.io().kept().usedByAll());
        return receiveBuffer.toReadLittle();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws RecordException {
        ByteBuf bytes = (ByteBuf) message;
        if (carrier.isRing()) {
            carrier.wakes().read(receiveBuffer.codec(), receiveBuffer.memory(), 0, bytes.writerIndex());
            return;
        }
        if (carrier.isBlock()) {
            throw new MalformedFrameException("requests on the connection of a rank that uses a channel");
        }
        waiting.traffic();
        if (records != null) {
            int length = records.open(bytes.writerIndex());
            read(records.opened().codec(), records.opened().memory(), 0, length);
        } else if (bytes == direct) {
            int read = bytes.readableBytes();
            bytes.readerIndex(bytes.writerIndex()); // the next read is told from those before it
            if (!bytes.isWritable()) {
                direct = null;
            }
            session.sink().directlyRead(read);
            reader.payloadMoved();
        } else {
            read(receiveBuffer.codec(), receiveBuffer.memory(), 0, bytes.writerIndex());
        }
        if (held.isEmpty()) {
            beginMemoryIfDue();
        }
    }

    private void beginMemoryIfDue() {
        if (carrier.isMemoryDue()) {
            if (direct != null || reader.inPayload()) {
                throw new MalformedFrameException("requests on the connection and in memory at a time");
            }
            carrier.beginMemory(this);
        }
    }

    @Override
    public Left readRequests() {
        if (isOutlived && connections.life().isOver()) {
            end();
            return Left.NOTHING;
        }
        // A request that has begun is read on, new ones wait: as when they come from a socket.
        if (!isOutlived && !session.context().channel().isActive() || session.isHeldUp()
            || !reader.inPayload() && session.holdIfBlocked()) {
            return Left.HELD;
        }
        try {
            RequestStream memory = carrier.memory();
            int available = memory.available();
            int length = Math.min(available, receiveBuffer.codec().capacity());
            if (length == 0) {
                if (isOutlived) {
                    end();
                }
                return Left.NOTHING;
            }
            waiting.traffic();
            // A copy, because the rank can change what is in memory after it has been checked.
            memory.copy(receiveBuffer.memory(), length);
            MemoryFaults.surface();
            int taken = reader.read(receiveBuffer.codec(), receiveBuffer.memory(), 0, length);
            memory.take(taken);
            Left left = taken < length ? Left.HELD
                : carrier.isBlock() || isOutlived || length < available ? Left.MORE : Left.NOTHING;
            carrier.taken(taken);
            session.endOfBatch();
            return left;
        } catch (RuntimeException | Error e) {
            exceptionCaught(session.context(), e);
            return Left.HELD;
        }
    }

    private void read(UnsafeBuffer codec, MemorySegment memory, int from, int to) {
        int stopped = held.isEmpty() ? reader.read(codec, memory, from, to) : from;
        if (stopped < to) {
            held.add(memory, stopped, to - stopped);
            session.context().channel().config().setAutoRead(false); // until they have been dealt with
        }
    }

    private void readOn() {
        if (!isOutlived) {
            session.context().channel().config().setAutoRead(true);
        }
    }

    /** Answers have left: deals with what is kept, then reads on. */
    private void goOn() {
        if (isOutlived && connections.life().isOver()) {
            end();
            return;
        }
        if (session.holdIfBlocked() || !isOutlived && !session.context().channel().isActive()) {
            return;
        }
        if (carrier.memory() != null) {
            carrier.readSoon(); // not now: the buffer to read into may be in use
            return;
        }
        try {
            if (!held.isEmpty()) {
                if (readHeld() && (!isOutlived || session.role() == Role.LOCAL_RANK)) {
                    beginMemoryIfDue(); // which a ring still is when the rank has ended, and a block is not
                }
                session.endOfBatch();
            }
            if (held.isEmpty()) {
                readOn();
            }
        } catch (RuntimeException | Error e) {
            exceptionCaught(session.context(), e);
            return;
        }
        if (isOutlived && held.isEmpty() && carrier.memory() == null && !session.holdIfBlocked()) {
            end();
        }
    }

    /** Returns whether nothing is left. */
    private boolean readHeld() {
        boolean isDone = true;
        while (isDone && !held.isEmpty()) {
            KeptRequests.Piece piece = held.first();
            isDone = held.taken(reader.read(piece.codec(), piece.memory(), held.from(), piece.length()));
        }
        return isDone;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        session.endOfBatch();
        // What is handed over comes back soon: until more has come, the socket need not be told twice.
        if (session.holdIfBlocked() && !session.isHandedOver() && held.isEmpty() && carrier.memory() == null) {
            context.channel().config().setAutoRead(false);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (context.channel().isWritable()) {
            // Not now: this may be told from within a write, in the middle of a request or an answer.
            context.executor().execute(this::goOn);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        direct = null;
        if (stream != null) {
            session.broke(stream.problemOfEnd());
            stream.release();
        }
        if (session == null) {
            return;
        }
        boolean mayWait = !held.isEmpty() || carrier.isRing() && !session.hasLeft();
        if (!mayWait || hasFailed || session.isClosed() || !connections.life().outlives(session)) {
            end();
        } else {
            isOutlived = true;
            session.unheard();
            context.executor().execute(this::goOn); // answers that could not leave may have been all that held it back
        }
    }

    private void end() {
        isOutlived = false;
        held.drop();
        reader.drop();
        carrier.close(this);
        session.closed();
    }

    /** Takes Netty's event for a write that has failed, other than by the connection: by memory that is gone. */
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelOutputShutdownEvent) {
            failed(new IOException("answers cannot be written"));
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        hasFailed |= !isOfUnheardAnswer(cause) && !isLocalReset(context, cause);
        if (cause instanceof RecordException) {
            connections.metrics().malformed();
            connections.log().malformed(session.describe(), cause);
            session.broke(cause.getMessage());
            if (session.role() != Role.SERVER) {
                // The other end hears why the job ends, which a closed connection would not tell.
                context.channel().config().setAutoRead(false);
                connections.onMain(() -> connections.life().tampered(session));
                return;
            }
        } else if (cause instanceof MalformedFrameException || cause instanceof IllegalArgumentException
            || cause instanceof IndexOutOfBoundsException) {
            connections.metrics().malformed();
            connections.log().malformed(session.describe(), cause);
        } else if (cause instanceof DamagedMemoryException) {
            connections.metrics().malformed();
            failed(cause);
        } else if (cause instanceof Error) {
            failed(cause); // memory that is gone, or that there is too little of
        } else if (cause instanceof KernelTlsException) {
            connections.log().failed(session.describe(), cause);
            session.broke(cause.getMessage());
        } else if (!(cause instanceof IOException) && !(cause instanceof Encryption.ClosedException)) {
            connections.log().failed(session.describe(), cause);
        } else {
            session.broke(connections.io().silentHosts().problemOf(cause));
        }
        context.close();
        if (isOutlived && hasFailed) {
            end();
        }
    }

    /** Whether a process of the node has ended without reading all answers: what it has sent has come before that. */
    private static boolean isLocalReset(ChannelHandlerContext context, Throwable cause) {
        return context.channel() instanceof EpollDomainSocketChannel && cause instanceof Errors.NativeIoException kernel
            && kernel.expectedErr() == ECONNRESET;
    }

    private void failed(Throwable cause) {
        connections.onMain(() -> connections.life().failed(session, cause));
    }

    /** Whether an answer came too late for a connection whose other side has ended, and been read to its end. */
    private static boolean isOfUnheardAnswer(Throwable cause) {
        return cause instanceof ClosedChannelException
            || cause instanceof Errors.NativeIoException kernel && kernel.expectedErr() == EPIPE;
    }
}

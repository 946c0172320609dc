package org.tributary.server.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.BitSet;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.server.frame.FrameReader;
import org.tributary.server.frame.HandshakeWriter;
import org.tributary.server.io.Encryption;
import org.tributary.server.io.IncomingRecords;
import org.tributary.server.io.KernelStream;
import org.tributary.server.io.ReceiveAllocator;
import org.tributary.server.io.ReceiveBuffer;
import org.tributary.server.io.ReplyWriter;
import org.tributary.server.io.SecuredStream;
import org.tributary.server.io.ServerIo;
import org.tributary.server.io.SpinThenBlock;
import org.tributary.server.job.JobLife;
import org.tributary.server.observe.GuardedTasks;
import org.tributary.wire.ConnectingHandshake;
import org.tributary.wire.Frames;
import org.tributary.wire.Handshake;
import org.tributary.wire.Membership;
import org.tributary.wire.codec.RefusalCode;
import org.tributary.wire.codec.Role;
import org.tributary.wire.codec.Templates;
import org.tributary.wire.record.RecordException;

/**
 * A channel to the server of another node, as the side that has opened it: proves itself, then sends requests and takes
 * answers to their waiters. It never stops reading, so an answer never waits for a request. Owned by the event loop.
 */
final class PeerChannel extends ChannelInboundHandlerAdapter implements FrameReader.Receiver {
    /** Hears of the channels; takes the answers that come on them. */
    interface Listener extends PeerAnswers.AnswerOutput {
        /** The longest payload of an answer. */
        int maxPayload();

        /** The channel to a peer is open. */
        void connected(int peer);

        /** The channel to a peer cannot be opened, or broke. */
        void lost(int peer);

        /** Answers have been passed on: sends them. */
        void flush();

        /** Answers have come: requests for which there is credit now leave once all that has arrived is dealt with. */
        void turn();
    }

    /** Parts of a server that all of its channels share. */
    record Shared(JobEnvironment job, Settings settings, Membership membership, ServerIo io, JobLife life,
        ReceiveBuffer receiveBuffer, SpinThenBlock waiting) {
    }

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String CLOSED = "it closed the connection";

    private final Shared shared;
    private final Listener listener;
    private final int peer;
    private final Consumer<PeerChannel> opened;
    private final Consumer<String> refusedForNow;
    private final PeerAnswers answers;
    private final FrameReader reader = new FrameReader(this);
    private final BitSet ranks = new BitSet();
    /** Ranks that had left before requests of theirs in the message at hand. */
    private final BitSet late = new BitSet();
    private ChannelHandlerContext context;
    private ReplyWriter writer;
    private String problem = CLOSED;
    private ConnectingHandshake handshake;
    private boolean triesAgain;
    private SecuredStream stream;
    private IncomingRecords records;
    private KernelStream kernel;

    /**
     * A channel that opens, and tells {@code opened} of that before anyone else.
     *
     * @param refusedForNow hears why the peer has not admitted this server now, though it may later
     */
    PeerChannel(Shared shared, Listener listener, int peer, Consumer<PeerChannel> opened,
        Consumer<String> refusedForNow) {
        this.shared = shared;
        this.listener = listener;
        this.peer = peer;
        this.opened = opened;
        this.refusedForNow = refusedForNow;
        this.answers = new PeerAnswers(listener, peer);
    }

    /** The server is the one that this one looked for, and both have proved themselves. */
    private boolean isOpen() {
        return handshake.isAdmitted();
    }

    /** Where requests are written; flush it at the end of each message. */
    ReplyWriter writer() {
        return writer;
    }

    /** A request of that rank leaves; {@code isGone}: the rank has left before it. */
    void carries(int rank, boolean isGone) {
        if (isGone) {
            late.set(rank);
        } else {
            ranks.set(rank);
        }
    }

    /** Sends the message that is complete, and behind it the departure of ranks whose requests have come too late. */
    void endMessage() {
        for (int rank = late.nextSetBit(0); rank >= 0; rank = late.nextSetBit(rank + 1)) {
            writer.goodbye(rank);
        }
        late.clear();
        writer.flush();
    }

    /** A rank has left: whether it has had requests here since it was last asked. */
    boolean forget(int rank) {
        boolean hadRequests = ranks.get(rank);
        ranks.clear(rank);
        return hadRequests;
    }

    void close() {
        context.close();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
        added.channel().config().setRecvByteBufAllocator(new ReceiveAllocator(this::readTarget));
        shared.io().silentHosts().watch(added.channel(), silence -> problem = silence);
    }

    @Override
    public void channelActive(ChannelHandlerContext active) {
        int own = shared.job().node();
        handshake = new ConnectingHandshake(shared.membership(),
            new Handshake.Peer(Role.CHANNEL, own, own, ProcessHandle.current().pid()), peer,
            String.valueOf(active.channel().remoteAddress()), Handshake.nonce(RANDOM));
        new HandshakeWriter(context).send(handshake.hello());
        new GuardedTasks(context.executor(), shared.life()::failed).after(shared.settings().connectTimeoutNs(), () -> {
            if (!isOpen() && context.channel().isActive()) {
                problem = "it has not admitted this server within connect.timeout";
                context.close();
            }
        });
    }

    private ByteBuf readTarget() {
        if (!isOpen()) {
            return shared.receiveBuffer().toReadAtMost(reader.missing()); // what follows the handshake may be encrypted
        }
        if (kernel != null) {
            kernel.beforeRead();
        }
        return records != null ? records.toRead(false) : shared.receiveBuffer().toRead();
    }

    @Override
    public void channelRead(ChannelHandlerContext active, Object message) throws RecordException {
        shared.waiting().traffic();
        int end = ((ByteBuf) message).writerIndex();
        if (records != null) {
            int length = records.open(end);
            reader.read(records.opened().codec(), records.opened().memory(), 0, length);
        } else {
            reader.read(shared.receiveBuffer().codec(), shared.receiveBuffer().memory(), 0, end);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext active) {
        listener.flush();
        listener.turn();
    }

    @Override
    public int maxFrame() {
        return isOpen() ? listener.maxPayload() + FrameReader.MAX_CONTROL_BYTES : Frames.MAX_HANDSHAKE;
    }

    @Override
    public boolean holdIfBlocked() {
        return handshake.refusal() != null; // for good
    }

    @Override
    public void frame(UnsafeBuffer buffer, MemorySegment memory, int at, int template, int blockLength, int version,
        int payload) {
        if (isOpen()) {
            answers.frame(buffer, memory, at, template, blockLength, version, payload);
        } else {
            handshake(buffer, at,
                Frames.HEADER_BYTES + blockLength + (Templates.carriesPayload(template) ? 0 : payload));
        }
    }

    private void handshake(UnsafeBuffer buffer, int at, int available) {
        byte[] answer = handshake.receive(buffer, at - Frames.HEADER_BYTES, available);
        if (answer.length > 0) {
            new HandshakeWriter(context).send(answer);
        }
        if (handshake.isAdmitted()) {
            stream = shared.io().encryption().begin(context, handshake);
            records = stream instanceof IncomingRecords opensThem ? opensThem : null;
            kernel = stream instanceof KernelStream hasThem ? hasThem : null;
            new HandshakeWriter(context).send(handshake.joined());
            writer = new ReplyWriter(shared.io().replyBuffers(), context, () -> { });
            opened.accept(this);
            listener.connected(peer);
        } else if (handshake.isOver()) {
            problem = handshake.refusal().detail();
            triesAgain = handshake.refusal().code() == RefusalCode.TOO_MANY;
            context.close();
        }
    }

    @Override
    public int payload(MemorySegment memory, int at, int length) {
        return answers.payload(memory, at, length);
    }

    @Override
    public boolean isPayloadDone() {
        return answers.isPayloadDone();
    }

    @Override
    public void payloadDone() {
        answers.payloadDone();
    }

    @Override
    public void channelInactive(ChannelHandlerContext inactive) {
        if (!isOpen() && (triesAgain || handshake.refusal() == null)) {
            // A stopped server does not answer in time, and is not dead; one that is gone cannot be connected to.
            refusedForNow.accept(problem);
            return;
        }
        if (stream != null) {
            problem = stream.problemOfEnd() != null && problem.equals(CLOSED) ? stream.problemOfEnd() : problem;
            stream.release();
        }
        if (!answers.hasLeft() && !shared.life().isOver()) {
            shared.life().lostServer(peer, "its channel from node " + shared.job().node() + " broke: " + problem);
            listener.lost(peer);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext failed, Throwable cause) {
        if (cause instanceof RecordException) {
            shared.io().metrics().malformed();
            shared.life().abort("the channel from node " + shared.job().node() + " to node " + peer + " broke: "
                + cause.getMessage(), -1);
        } else if (cause instanceof Error) {
            shared.life().failed(cause); // memory that is gone, or that there is too little of
        } else if (!(cause instanceof IOException) && !(cause instanceof Encryption.ClosedException)) {
            shared.io().metrics().malformed();
            shared.io().log().failed("channel to node " + peer, cause);
        }
        String gone = shared.io().silentHosts().problemOf(cause);
        problem = gone != null ? gone : String.valueOf(cause.getMessage());
        context.close();
    }
}

package org.tributary.server.io;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.epoll.EpollSocketChannel;
import java.io.IOException;
import java.lang.foreign.Arena;
import org.tributary.config.NetworkEncryption;
import org.tributary.config.Settings;
import org.tributary.wire.Handshake;
import org.tributary.wire.record.KernelTls;
import org.tributary.wire.record.RecordOpener;
import org.tributary.wire.record.RecordSealer;

/**
 * How the connections of a server to other nodes travel once both sides have proved themselves. Owned by the event
 * loop.
 */
public final class Encryption {
    private final NetworkEncryption kind;
    private final ReplyBufferPool replyBuffers;
    private final KeptRequests kept;
    private final RecordBuffers buffers;

    /** Sealed answers wait for sockets in buffers of the pool, and parts of records with the requests that wait. */
    Encryption(Settings settings, Arena arena, ReplyBufferPool replyBuffers, KeptRequests kept) {
        this.replyBuffers = replyBuffers;
        this.kept = kept;
        kind = settings.networkEncryption();
        buffers = kind == NetworkEncryption.AES_GCM ? new RecordBuffers(settings.serverReceiveBuffer(), arena) : null;
    }

    /** The connection was closed while both sides proved themselves: nothing is wrong here. */
    public static final class ClosedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        ClosedException() {
            super("it closed the connection at the end of the handshake");
        }
    }

    /** Why this machine cannot encrypt as the settings want it, and what to do then; null when it can. */
    public static String problemWith(Settings settings) {
        return settings.networkEncryption() == NetworkEncryption.KTLS ? KernelTls.problem() : null;
    }

    /**
     * All that is written to the connection from now on leaves in records. Nothing that comes in records may have been
     * read yet, and all that was written before has left.
     *
     * @return what opens those that come, or null when the connection stays in the clear
     * @throws IllegalStateException when the kernel refuses
     * @throws ClosedException       when the connection is closed; what follows is not to be taken for the clear
     */
    public SecuredStream begin(ChannelHandlerContext context, Handshake handshake) {
        if (kind == NetworkEncryption.NONE || !(context.channel() instanceof EpollSocketChannel socket)) {
            return null; // what stays on the node needs none
        }
        if (kind == NetworkEncryption.KTLS) {
            return beginInKernel(context, socket, handshake);
        }
        IncomingRecords incoming = new IncomingRecords(buffers, kept, new RecordOpener(handshake.receivingSecret()));
        context.pipeline().addFirst(new OutgoingRecords(replyBuffers, new RecordSealer(handshake.sendingSecret(),
            buffers.gathered()), incoming));
        return incoming;
    }

    private static KernelStream beginInKernel(ChannelHandlerContext context, EpollSocketChannel socket,
        Handshake handshake) {
        ChannelOutboundBuffer outbound = socket.unsafe().outboundBuffer();
        if (outbound == null || !socket.isActive()) {
            throw new ClosedException(); // the end of the handshake could not be sent
        }
        if (!outbound.isEmpty()) {
            throw new IllegalStateException("the socket has not taken the end of the handshake");
        }
        try {
            KernelStream stream = new KernelStream(KernelTls.begin(socket.fd().intValue(), handshake.sendingSecret(),
                handshake.receivingSecret()));
            context.pipeline().addFirst(stream);
            return stream;
        } catch (IOException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }
}

package org.tributary.server;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.epoll.EpollSocketChannel;
import java.lang.foreign.Arena;
import org.tributary.config.NetworkEncryption;
import org.tributary.config.Settings;
import org.tributary.wire.Handshake;
import org.tributary.wire.record.RecordOpener;
import org.tributary.wire.record.RecordSealer;

/**
 * How the connections of a server to other nodes travel once both sides have proved themselves. Owned by the event
 * loop.
 */
final class Encryption {
    private final ReplyBufferPool replyBuffers;
    private final KeptRequests kept;
    private final RecordBuffers buffers;

    /** Sealed answers wait for sockets in buffers of the pool, and parts of records with the requests that wait. */
    Encryption(Settings settings, Arena arena, ReplyBufferPool replyBuffers, KeptRequests kept) {
        this.replyBuffers = replyBuffers;
        this.kept = kept;
        buffers = settings.networkEncryption() == NetworkEncryption.NONE ? null
            : new RecordBuffers(settings.serverReceiveBuffer(), arena);
    }

    /**
     * All that is written to the connection from now on leaves in records.
     *
     * @return what opens those that come, or null when the connection stays in the clear
     */
    IncomingRecords begin(ChannelHandlerContext context, Handshake handshake) {
        if (buffers == null || !(context.channel() instanceof EpollSocketChannel)) {
            return null; // what stays on the node needs none
        }
        IncomingRecords incoming = new IncomingRecords(buffers, kept, new RecordOpener(handshake.receivingSecret()));
        context.pipeline().addFirst(new OutgoingRecords(replyBuffers, new RecordSealer(handshake.sendingSecret(),
            buffers.gathered()), incoming));
        return incoming;
    }
}

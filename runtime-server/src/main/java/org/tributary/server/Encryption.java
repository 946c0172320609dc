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
    private final RecordBuffers buffers;

    Encryption(Settings settings, Arena arena) {
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
        IncomingRecords incoming = new IncomingRecords(buffers, new RecordOpener(handshake.receivingSecret()));
        context.pipeline().addFirst(new OutgoingRecords(buffers, new RecordSealer(handshake.sendingSecret(),
            buffers.gathered()), incoming));
        return incoming;
    }
}

package org.tributary.server.io;

import io.netty.channel.ChannelHandlerContext;
import org.tributary.wire.shm.MemoryFaults;

/**
 * Work of listeners of a channel. A fault in one of them goes into Netty's log and nowhere else, and the rest of its
 * work is never done; the handlers of the channel know what to do about it.
 */
final class Guarded {
    private Guarded() {
    }

    static void run(ChannelHandlerContext context, Runnable work) {
        try {
            work.run();
            MemoryFaults.surface();
        } catch (RuntimeException | Error e) {
            context.pipeline().fireExceptionCaught(e);
        }
    }
}

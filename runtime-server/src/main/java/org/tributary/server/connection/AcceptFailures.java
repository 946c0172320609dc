package org.tributary.server.connection;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.TimeUnit;
import org.tributary.server.observe.ServerLog;

/**
 * Handles failures to accept, for example when the process has no more descriptors: strangers make room, and the
 * listener goes on after a moment, instead of trying all the time. Owned by the event loop.
 */
final class AcceptFailures extends ChannelInboundHandlerAdapter {
    private static final long PAUSE_MS = 50;

    private final ServerLog log;
    private final Runnable makeRoom;

    AcceptFailures(ServerLog log, Runnable makeRoom) {
        this.log = log;
        this.makeRoom = makeRoom;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        log.cannotAccept(cause);
        makeRoom.run();
        context.channel().config().setAutoRead(false);
        context.executor().schedule(() -> context.channel().config().setAutoRead(true), PAUSE_MS,
            TimeUnit.MILLISECONDS);
    }
}

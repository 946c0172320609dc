package org.tributary.server.connection;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.TimeUnit;
import org.tributary.server.observe.GuardedTasks;
import org.tributary.server.observe.ServerLog;

/**
 * Handles failures to accept, for example when the process has no more descriptors: strangers make room, and the
 * listener goes on after a moment, instead of trying all the time. Owned by the event loop.
 */
final class AcceptFailures extends ChannelInboundHandlerAdapter {
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final ServerLog log;
    private final Runnable makeRoom;
    private final GuardedTasks tasks;
    private final Door door;

    /** {@code door} becomes that of the listener to which this is added. */
    AcceptFailures(ServerLog log, Runnable makeRoom, GuardedTasks tasks, Door door) {
        this.log = log;
        this.makeRoom = makeRoom;
        this.tasks = tasks;
        this.door = door;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        door.of(context.channel().config());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        log.cannotAccept(cause);
        makeRoom.run();
        door.shut(Door.Reason.FAILED);
        tasks.after(PAUSE_NS, () -> door.open(Door.Reason.FAILED));
    }
}

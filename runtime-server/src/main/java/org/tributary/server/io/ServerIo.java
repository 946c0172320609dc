package org.tributary.server.io;

import java.lang.foreign.Arena;
import org.tributary.config.Settings;
import org.tributary.server.observe.GuardedTasks;
import org.tributary.server.observe.ServerLog;
import org.tributary.server.observe.ServerMetrics;

/**
 * The parts of input and output that all connections of a server share. Owned by the event loop.
 *
 * @param kept        memory of requests that have to wait
 * @param encryption  how connections to other nodes travel
 * @param silentHosts watches every TCP connection of this server
 */
public record ServerIo(ServerMetrics metrics, ServerLog log, ReplyBufferPool replyBuffers, KeptRequests kept,
    Encryption encryption, SilentHosts silentHosts) {
    /** Requests that wait for slow readers take little more than this. */
    static final long KEPT_BYTES = 16 << 20;

    /** With buffers in {@code arena}. */
    public static ServerIo of(Settings settings, Arena arena, GuardedTasks tasks, ServerMetrics metrics,
        ServerLog log) {
        ReplyBufferPool replyBuffers = new ReplyBufferPool(arena);
        KeptRequests kept = new KeptRequests(arena, settings.serverReceiveBuffer(), KEPT_BYTES);
        metrics.gauge("tributary.reply.buffers", "Reply buffers made", replyBuffers, ReplyBufferPool::count);
        metrics.gauge("tributary.reply.buffers.sending", "Reply buffers that wait until sockets take them",
            replyBuffers, ReplyBufferPool::sending);
        metrics.gauge("tributary.kept.bytes", "Memory of requests that wait until their connection takes its answers,"
            + " and of incomplete records and long requests", kept, KeptRequests::used);
        metrics.gauge("tributary.kept.scarce", "Reads made small because that memory was scarce", kept,
            KeptRequests::scarceReads);
        return new ServerIo(metrics, log, replyBuffers, kept, new Encryption(settings, arena, replyBuffers, kept),
            new SilentHosts(tasks, settings.connectionSilenceTimeoutNs()));
    }
}

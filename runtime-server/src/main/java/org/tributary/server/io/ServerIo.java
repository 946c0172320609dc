package org.tributary.server.io;

import java.lang.foreign.Arena;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import org.tributary.config.Settings;
import org.tributary.server.memory.HeldUp;
import org.tributary.server.observe.GuardedTasks;
import org.tributary.server.observe.RequestCounts;
import org.tributary.server.observe.ServerLog;
import org.tributary.server.observe.ServerMetrics;

/**
 * The parts of input and output that all connections of one event loop share. Owned by that loop, but for what says
 * otherwise.
 *
 * @param tasks       of the loop
 * @param waiting     how the loop waits
 * @param counts      of the requests that the loop executes
 * @param kept        memory of requests that have to wait
 * @param encryption  how connections to other nodes travel
 * @param silentHosts watches every TCP connection of the loop
 * @param heldUp      what waits for a lock of accumulates
 */
public record ServerIo(GuardedTasks tasks, SpinThenBlock waiting, RequestCounts counts, ServerMetrics metrics,
    ServerLog log, ReplyBufferPool replyBuffers, KeptRequests kept, Encryption encryption, SilentHosts silentHosts,
    HeldUp heldUp) {
    /** Requests that wait take little more than this. */
    static final long KEPT_BYTES = 16 << 20;

    /** How much all {@code loops} of a server use of what is bounded. Thread-safe. */
    public record Totals(int loops, AtomicLong kept, AtomicInteger sending) {
        /** Nothing yet. */
        public Totals(int loops) {
            this(loops, new AtomicLong(), new AtomicInteger());
        }
    }

    /** Of the loop with that number, with buffers in {@code arena}. Before the loops run. */
    public static ServerIo of(int loop, Totals totals, Settings settings, Arena arena, GuardedTasks tasks,
        SpinThenBlock waiting, ServerMetrics metrics, ServerLog log, HeldUp heldUp) {
        ReplyBufferPool replyBuffers = new ReplyBufferPool(arena, loop, totals.sending());
        KeptRequests kept = new KeptRequests(arena, settings.serverReceiveBuffer(), KEPT_BYTES, totals.kept());
        return new ServerIo(tasks, waiting, metrics.ofLoop(totals.loops()), metrics, log, replyBuffers, kept,
            new Encryption(settings, arena, replyBuffers, kept),
            new SilentHosts(tasks, settings.connectionSilenceTimeoutNs()), heldUp);
    }

    /** Has the metrics show how much all loops use. */
    public static void observe(ServerMetrics metrics, List<ServerIo> loops) {
        gauge(metrics, loops, "tributary.reply.buffers", "Reply buffers made", io -> io.replyBuffers().count());
        gauge(metrics, loops, "tributary.reply.buffers.sending", "Reply buffers that wait until sockets take them",
            io -> io.replyBuffers().sending());
        gauge(metrics, loops, "tributary.kept.bytes", "Memory of requests that wait until their connection takes its"
            + " answers or an earlier one comes back from the main event loop, and of incomplete records and long"
            + " requests", io -> io.kept().used());
        gauge(metrics, loops, "tributary.kept.scarce", "Reads made small because that memory was scarce",
            io -> io.kept().scarceReads());
        gauge(metrics, loops, "tributary.accumulate.waiting",
            "Connections and operations that wait for a lock of accumulates", io -> io.heldUp().size());
    }

    private static void gauge(ServerMetrics metrics, List<ServerIo> loops, String name, String description,
        ToLongFunction<ServerIo> value) {
        metrics.gauge(name, description, loops, all -> all.stream().mapToLong(value).sum());
    }
}

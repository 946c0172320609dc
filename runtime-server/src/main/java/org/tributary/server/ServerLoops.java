package org.tributary.server;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.tributary.config.Settings;
import org.tributary.server.connection.ConnectionHandler;
import org.tributary.server.connection.ConnectionLoop;
import org.tributary.server.connection.Connections;
import org.tributary.server.io.FaultGuard;
import org.tributary.server.io.ReceiveBuffer;
import org.tributary.server.io.ServerIo;
import org.tributary.server.io.SpinThenBlock;
import org.tributary.server.memory.HeldUp;
import org.tributary.server.memory.NodeMemory;
import org.tributary.server.observe.GuardedTasks;
import org.tributary.server.observe.ServerLog;
import org.tributary.server.observe.ServerMetrics;
import org.tributary.wire.shm.Backoff;
import org.tributary.wire.shm.Core;

/**
 * The event loops of a server that serve connections: the main one, which owns the state of the node and of the job,
 * and perhaps others, which only move data. A fault of any of them is told on the main one. Thread-safe once opened.
 */
final class ServerLoops {
    private static final int MAIN = 0;
    private static final long QUIET_MS = 0;
    private static final long CLOSE_MS = 5000;
    /** Netty wakes a loop that has nothing planned every second. */
    private static final long FAR_NS = TimeUnit.DAYS.toNanos(365);

    /** One of them, with what its connections share beside memory. */
    record Loop(EventLoopGroup group, SpinThenBlock waiting, GuardedTasks tasks, ReceiveBuffer receiveBuffer) {
        EventLoop next() {
            return group.next();
        }
    }

    private final int node;
    private final Settings settings;
    private final Arena arena;
    private final Consumer<Throwable> onFault;
    private final Consumer<String> onEnd;
    private final List<Loop> loops = new ArrayList<>();

    /**
     * Without any yet.
     *
     * @param onFault told on the main loop
     * @param onEnd   told on any thread when a loop has ended
     */
    ServerLoops(int node, Settings settings, Arena arena, Consumer<Throwable> onFault, Consumer<String> onEnd) {
        this.node = node;
        this.settings = settings;
        this.arena = arena;
        this.onFault = onFault;
        this.onEnd = onEnd;
    }

    void open(int count) {
        for (int number = 0; number < count; number++) {
            loops.add(open(number == MAIN ? "tributary-server-" + node : "tributary-data-" + node));
        }
        loops.stream().skip(1).forEach(loop -> loop.tasks().after(FAR_NS, () -> { }));
    }

    private Loop open(String name) {
        SpinThenBlock waiting = new SpinThenBlock(settings.serverSpinNs(), System::nanoTime,
            Backoff.of(settings.waitPreset())::yield, new Core(arena)::moveToAnother);
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory(name, true),
            guarded(EpollIoHandler.newFactory(0, () -> waiting), waiting));
        group.terminationFuture().addListener(ended -> onEnd.accept("an event loop of the server has ended"));
        GuardedTasks tasks = new GuardedTasks(group.next(), this::failed);
        return new Loop(group, waiting, tasks, new ReceiveBuffer(settings.serverReceiveBuffer(), arena));
    }

    private IoHandlerFactory guarded(IoHandlerFactory handlers, SpinThenBlock waiting) {
        return executor -> new FaultGuard(handlers.newHandler(executor), fault -> {
            waiting.stopListening(); // at each look there would be a fault again
            failed(fault);
        });
    }

    private void failed(Throwable fault) {
        main().tasks().run(() -> onFault.accept(fault));
    }

    Loop main() {
        return loops.get(MAIN);
    }

    /** Of all of them, the main one first. */
    List<GuardedTasks> tasks() {
        return loops.stream().map(Loop::tasks).toList();
    }

    /** What the connections of each loop share; before any of them runs. */
    List<ServerIo> io(NodeMemory memory, ServerMetrics metrics, ServerLog log) {
        List<ServerIo> all = new ArrayList<>();
        ServerIo.Totals totals = new ServerIo.Totals(loops.size());
        for (Loop loop : loops) {
            HeldUp heldUp = all.isEmpty() ? memory.heldUp() : memory.heldUpOn(loop.next(), this::failed);
            all.add(ServerIo.of(all.size(), totals, settings, arena, loop.tasks(), loop.waiting(), metrics, log,
                heldUp));
        }
        ServerIo.observe(metrics, all);
        return all;
    }

    /** The loops as they serve connections, of which each has some. */
    List<ConnectionLoop> serving(List<Connections> connections) {
        return IntStream.range(0, loops.size()).mapToObj(number -> {
            Loop loop = loops.get(number);
            return new ConnectionLoop(loop.next(), loop.tasks(), (stranger, handshake) -> new ConnectionHandler(
                connections.get(number), loop.receiveBuffer(), stranger, handshake));
        }).toList();
    }

    /** Has each of them close its connections: one that hears of its end at the wrong moment would leave them open. */
    void disconnect(IntFunction<Runnable> ofLoop) {
        for (int number = 0; number < loops.size(); number++) {
            try {
                loops.get(number).group().submit(ofLoop.apply(number)).awaitUninterruptibly(CLOSE_MS);
            } catch (RejectedExecutionException | OutOfMemoryError e) {
                // It has no thread, and nothing has been connected.
            }
        }
    }

    /** Ends the others, which may hand over until then; whether they have ended. */
    boolean stopOthers() {
        List<Loop> others = loops.stream().skip(1).toList();
        others.forEach(loop -> loop.group().shutdownGracefully(QUIET_MS, CLOSE_MS, TimeUnit.MILLISECONDS));
        boolean stopped = true;
        for (Loop loop : others) {
            stopped &= loop.group().terminationFuture().awaitUninterruptibly(2 * CLOSE_MS);
        }
        return stopped;
    }

    /** Ends the main one; whether it has ended. */
    boolean stopMain() {
        return loops.isEmpty() || main().group().shutdownGracefully(QUIET_MS, CLOSE_MS, TimeUnit.MILLISECONDS)
            .awaitUninterruptibly(2 * CLOSE_MS);
    }
}

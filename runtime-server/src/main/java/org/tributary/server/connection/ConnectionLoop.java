package org.tributary.server.connection;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import java.util.concurrent.atomic.AtomicInteger;
import org.tributary.server.observe.GuardedTasks;
import org.tributary.wire.AcceptingHandshake;

/** An event loop that takes over connections which have proved themselves. Thread-safe. */
public final class ConnectionLoop {
    /** Makes what takes over from a stranger that has proved itself, on the loop. */
    public interface Handlers {
        ChannelHandler of(StrangerHandler stranger, AcceptingHandshake handshake);
    }

    private final EventLoop loop;
    private final GuardedTasks tasks;
    private final Handlers handlers;
    /** Those that any loop may serve: others say nothing about how much there is to do. */
    private final AtomicInteger connections = new AtomicInteger();

    /** {@code tasks} are those of the loop. */
    public ConnectionLoop(EventLoop loop, GuardedTasks tasks, Handlers handlers) {
        this.loop = loop;
        this.tasks = tasks;
        this.handlers = handlers;
    }

    EventLoop loop() {
        return loop;
    }

    GuardedTasks tasks() {
        return tasks;
    }

    Handlers handlers() {
        return handlers;
    }

    /** One more comes that any loop may serve, and counts until it closes. */
    void comes(Channel channel) {
        connections.incrementAndGet();
        channel.closeFuture().addListener(closed -> connections.decrementAndGet());
    }

    /** How many it has of those that any loop may serve; any thread. */
    int connections() {
        return connections.get();
    }
}

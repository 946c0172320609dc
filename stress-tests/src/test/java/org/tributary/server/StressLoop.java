package org.tributary.server;

import io.netty.util.concurrent.AbstractEventExecutor;
import io.netty.util.concurrent.Future;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.tributary.server.observe.GuardedTasks;

/** An event loop that is an actor of a stress test: it has a queue, and runs what is there when it comes to that. */
public final class StressLoop extends AbstractEventExecutor {
    private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final GuardedTasks tasks = new GuardedTasks(this, fault -> {
        throw new AssertionError(fault);
    });

    /** Its tasks, as a server has them. */
    public GuardedTasks tasks() {
        return tasks;
    }

    /** Runs what has come. */
    public void turn() {
        for (Runnable next = queue.poll(); next != null; next = queue.poll()) {
            next.run();
        }
    }

    /** Runs what comes until something is so. */
    public void turnUntil(BooleanSupplier isSo) {
        turn();
        while (!isSo.getAsBoolean()) {
            Thread.yield();
            turn();
        }
    }

    @Override
    public void execute(Runnable task) {
        queue.add(task);
    }

    /** What a server does at once on the loop itself is put into the queue here. */
    @Override
    public boolean inEventLoop(Thread thread) {
        return false;
    }

    @Override
    public boolean isShuttingDown() {
        return false;
    }

    @Override
    public boolean isShutdown() {
        return false;
    }

    @Override
    public boolean isTerminated() {
        return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    @Deprecated
    public void shutdown() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Future<?> terminationFuture() {
        throw new UnsupportedOperationException();
    }
}

package org.tributary.server.adapter;

import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.tributary.config.Settings;
import org.tributary.fabric.Domain;
import org.tributary.fabric.Endpoint;
import org.tributary.fabric.channel.Copying;
import org.tributary.wire.shm.Backoff;

/**
 * The thread on which the endpoint lives: it makes progress for processes that access the node's memory, and runs
 * what it is given. Thread-safe, but for what its documentation gives to the thread itself.
 */
final class AdapterLoop {
    private final MultiThreadIoEventLoopGroup group;
    private final IoEventLoop loop;
    private final AdapterWait wait;
    private final Consumer<Throwable> onFault;
    private Domain domain;
    private Endpoint endpoint;
    private IoRegistration registration;
    private final List<Arena> kept = new ArrayList<>();

    /** {@code onFault} is told on this thread when there can be no progress any more. */
    AdapterLoop(int node, Settings settings, Consumer<Throwable> onFault) {
        this.onFault = onFault;
        this.wait = new AdapterWait(settings.serverSpinNs(), System::nanoTime,
            Backoff.of(settings.waitPreset())::yield, onFault);
        this.group = new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("tributary-adapter-" + node, true),
            EpollIoHandler.newFactory(0, () -> wait));
        this.loop = group.next();
    }

    <T> Future<T> submit(Callable<T> work) {
        return loop.submit(work);
    }

    /** Runs something after what was given before; false when the thread has ended. */
    boolean run(Runnable work) {
        try {
            loop.execute(() -> {
                try {
                    work.run();
                } catch (RuntimeException | Error e) {
                    onFault.accept(e); // the thread that gave the task would wait for ever
                }
            });
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** Makes progress on an endpoint from now on. Of the thread itself. */
    void begin(Domain opened, Endpoint made) {
        domain = opened;
        endpoint = made;
        wait.begin(made);
        if (made.waitDescriptor().isPresent()) {
            loop.register(wait).addListener((Future<IoRegistration> watched) -> {
                try {
                    registration = watched.get();
                    registration.submit(EpollIoOps.EPOLLIN);
                } catch (ExecutionException e) {
                    onFault.accept(e.getCause());
                } catch (InterruptedException | RuntimeException | Error e) {
                    onFault.accept(e);
                }
            });
        }
    }

    /** The endpoint; null when it is closed. Of the thread itself. */
    Endpoint endpoint() {
        return endpoint;
    }

    /** When the thread makes progress. */
    Copying copying() {
        return wait.copying();
    }

    /** Tells of requests in blocks from now on. Of the thread itself. */
    void listen(BlockListener listener) {
        wait.listen(listener);
    }

    /** Counts a write that arrives with a number. Of the thread itself. */
    void count(int number, Runnable count) {
        wait.count(number, count);
    }

    /** Of the thread itself. */
    void stopCounting(int number) {
        wait.stopCounting(number);
    }

    private void end() {
        wait.end();
        if (registration != null) {
            registration.cancel();
        }
        if (domain != null) {
            endpoint = null;
            domain.close();
        }
        kept.forEach(Arena::close);
    }

    /** A provider that copies with the processor may be in the middle of it: the memory stays. Of the thread itself. */
    void keep(Arena memory) {
        kept.add(memory);
    }

    /** Closes everything and ends the thread; waits for that, but not for ever. */
    void close(long timeoutNs) {
        try {
            loop.submit(this::end).awaitUninterruptibly(timeoutNs, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            return; // closed before
        }
        group.shutdownGracefully(0, timeoutNs, TimeUnit.NANOSECONDS).awaitUninterruptibly(timeoutNs,
            TimeUnit.NANOSECONDS);
    }
}

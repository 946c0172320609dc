package org.tributary.server.observe;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.tributary.wire.shm.MemoryFaults;

/**
 * Tasks that an event loop runs later, once or again and again. When a task fails, with whatever, a loop tells a
 * future that nobody asks, and runs it no more: what it watched would be watched no longer, without a word. So
 * somebody is told here. Thread-safe.
 */
public final class GuardedTasks implements Executor {
    private final EventExecutor loop;
    private final Consumer<Throwable> onFault;

    /** {@code onFault} is told on the loop. */
    public GuardedTasks(EventExecutor loop, Consumer<Throwable> onFault) {
        this.loop = loop;
        this.onFault = onFault;
    }

    /** Something that the loop does now and then; made once where garbage is not wanted. */
    public final class Task implements Runnable {
        private final Runnable work;

        private Task(Runnable work) {
            this.work = work;
        }

        /** As soon as the loop comes to it. */
        public void soon() {
            MemoryFaults.surface(); // the queue of the loop must not be left half-changed
            loop.execute(this);
        }

        /** The same, or never when the loop has ended, and the server with it: nobody is left for whom it would be. */
        public void soonIfEver() {
            try {
                soon();
            } catch (RejectedExecutionException e) {
                // Nobody waits for it.
            }
        }

        public void after(long delayNs) {
            schedule(delayNs);
        }

        private Future<?> schedule(long delayNs) {
            MemoryFaults.surface();
            return loop.schedule(this, delayNs, TimeUnit.NANOSECONDS);
        }

        /** With so much time before and in between until the loop ends, also after it has failed. */
        public void every(long firstNs, long pauseNs) {
            loop.scheduleWithFixedDelay(this, firstNs, pauseNs, TimeUnit.NANOSECONDS);
        }

        /** For the loop. */
        @Override
        public void run() {
            try {
                work.run();
                MemoryFaults.surface();
            } catch (RuntimeException | Error e) {
                onFault.accept(e);
            }
        }
    }

    /** Something that the loop does at one time, which may change. Used on the loop. */
    public final class Alarm {
        private final Task task;
        /** Null before the first. */
        private Future<?> due;

        private Alarm(Runnable work) {
            this.task = task(work);
        }

        /** Then, and not at the time that was set before. */
        public void after(long delayNs) {
            if (due != null) {
                due.cancel(false);
            }
            due = task.schedule(delayNs);
        }
    }

    public Alarm alarm(Runnable work) {
        return new Alarm(work);
    }

    public Task task(Runnable work) {
        return new Task(work);
    }

    @Override
    public void execute(Runnable work) {
        task(work).soon();
    }

    /**
     * Does it at once on the loop itself. From elsewhere the loop does it as soon as it comes to it, or never when it
     * has ended, and the server with it.
     */
    public void run(Runnable work) {
        if (loop.inEventLoop()) {
            work.run();
        } else {
            task(work).soonIfEver();
        }
    }

    public void after(long delayNs, Runnable work) {
        task(work).after(delayNs);
    }

    /** The time of the loop. */
    public long nanoTime() {
        return loop.ticker().nanoTime();
    }
}

package org.tributary.launcher.host;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.tributary.launcher.job.LineSink;
import org.tributary.launcher.link.Codec;
import org.tributary.launcher.link.Frame;

/**
 * Output of all hosts on its way to the launcher's own, which may be slow: news of the job must not wait behind it.
 * Each agent sends no more than {@link AgentOutput#WINDOW} bytes before some have been written. Thread-safe.
 */
final class OutputQueue {
    private final BlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();
    private final LineSink out;
    private final LineSink err;
    private final BiConsumer<Integer, Integer> taken;
    private final AtomicLong added = new AtomicLong();
    private final AtomicLong written = new AtomicLong();

    /** {@code taken} is told the node whose output was written, and how many bytes. */
    OutputQueue(LineSink out, LineSink err, BiConsumer<Integer, Integer> taken) {
        this.out = out;
        this.err = err;
        this.taken = taken;
    }

    void start() {
        Thread.ofPlatform().daemon().name("output of hosts").start(this::write);
    }

    /** {@code frame} holds whole lines. */
    void add(Frame frame) {
        added.incrementAndGet();
        waiting.add(() -> {
            (frame.kind() == Codec.OUT ? out : err).write(frame.body(), 0, frame.body().length);
            written.incrementAndGet();
            taken.accept(frame.node(), frame.body().length);
        });
    }

    /** How many frames have been added so far. */
    long added() {
        return added.get();
    }

    /** Whether all of them have been written. */
    boolean isWritten() {
        return written.get() == added.get();
    }

    /** Waits until all that has been added by now is written, but no longer than that. */
    void await(long timeoutMs) throws InterruptedException {
        CountDownLatch reached = new CountDownLatch(1);
        waiting.add(reached::countDown);
        boolean unused = reached.await(timeoutMs, TimeUnit.MILLISECONDS);
    }

    private void write() {
        try {
            while (true) {
                waiting.take().run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

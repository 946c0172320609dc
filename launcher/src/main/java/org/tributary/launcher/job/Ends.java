package org.tributary.launcher.job;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.IntConsumer;

/**
 * Tells of the ends of processes. The JDK tells of them on a thread that it makes when it has none; where it gets none,
 * it drops the news. One thread, which is there before the processes, brings it then. Thread-safe.
 */
final class Ends implements AutoCloseable {
    private final BlockingQueue<Untold> untold = new LinkedBlockingQueue<>();
    private final Thread teller = Thread.ofPlatform().daemon().name("ends of processes").unstarted(this::tell);

    private record Untold(Process process, IntConsumer action) {
    }

    /** From now on; fails where there is no thread for it. */
    void begin() {
        teller.start();
    }

    /** Runs {@code action} with the exit code, on another thread, once the process has ended. */
    void of(Process process, IntConsumer action) {
        process.onExit().whenComplete((exited, noThread) -> {
            if (noThread == null) {
                action.accept(exited.exitValue());
            } else {
                untold.add(new Untold(process, action)); // on a thread that has yet to note the exit code
            }
        });
    }

    private void tell() {
        try {
            while (true) {
                Untold next = untold.take();
                next.action.accept(next.process.waitFor());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Nobody asks for ends any more. */
    @Override
    public void close() {
        teller.interrupt();
    }
}

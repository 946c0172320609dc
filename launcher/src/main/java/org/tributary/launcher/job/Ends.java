package org.tributary.launcher.job;

import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/**
 * Tells of the ends of processes, each once. The JDK tells of them on a thread of its common pool. Where that gets none
 * it drops the news, with a word or, when it has dropped others before, without. One thread, which is there before the
 * processes, brings it then, and looks at all of them now and then. Thread-safe.
 */
final class Ends implements AutoCloseable {
    private static final long LOOK_MS = 1000;

    private final Set<Awaited> awaited = ConcurrentHashMap.newKeySet();
    private final BlockingQueue<Awaited> untold = new LinkedBlockingQueue<>();
    private final Thread teller = Thread.ofPlatform().daemon().name("ends of processes").unstarted(this::look);

    private record Awaited(Process process, IntConsumer action) {
    }

    /** From now on; fails where there is no thread for it. */
    void begin() {
        teller.start();
    }

    /** Runs {@code action} with the exit code, on another thread, once the process has ended. */
    void of(Process process, IntConsumer action) {
        Awaited end = new Awaited(process, action);
        awaited.add(end);
        process.onExit().whenComplete((_, noThread) -> {
            if (noThread == null) {
                tell(end);
            } else {
                untold.add(end); // on a thread that has yet to note the exit code
            }
        });
    }

    private void tell(Awaited end) {
        if (awaited.remove(end)) {
            end.action.accept(end.process.exitValue());
        }
    }

    private void look() {
        try {
            while (true) {
                Awaited next = untold.poll(LOOK_MS, TimeUnit.MILLISECONDS);
                if (next == null) {
                    for (Awaited end : awaited) { // code that runs twice a second is interpreted: no stream
                        if (!end.process.isAlive()) {
                            tell(end);
                        }
                    }
                } else {
                    next.process.waitFor();
                    tell(next);
                }
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

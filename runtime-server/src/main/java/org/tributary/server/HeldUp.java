package org.tributary.server;

import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.tributary.wire.shm.MemoryFaults;

/**
 * What waits for a lock of accumulates whose holder does not run at the moment, or is stopped: tried again now and
 * then, while the event loop serves everybody else. Owned by the event loop.
 */
final class HeldUp {
    private static final long FIRST_PAUSE_NS = 50_000;
    private static final long LONGEST_PAUSE_NS = 2_000_000;
    private static final long SAID_AFTER_NS = TimeUnit.SECONDS.toNanos(5);

    private final EventExecutor loop;
    private final NodeState node;
    private final Runnable tryAgain = this::tryAgain;
    private List<Runnable> waiting = new ArrayList<>();
    private List<Runnable> tried = new ArrayList<>();
    private long pauseNs = FIRST_PAUSE_NS;
    private long sinceNs;
    private boolean isSaid;

    HeldUp(EventExecutor loop, NodeState node) {
        this.loop = loop;
        this.node = node;
        node.metrics().gauge("tributary.accumulate.waiting",
            "Connections and operations that wait for a lock of accumulates", this, self -> self.waiting.size());
    }

    /** Does it later; if it is still held up then, it comes here again. */
    void later(Runnable work) {
        if (waiting.isEmpty() && tried.isEmpty()) {
            pauseNs = FIRST_PAUSE_NS;
            sinceNs = System.nanoTime();
            isSaid = false;
        }
        if (waiting.isEmpty()) {
            MemoryFaults.surface();
            loop.schedule(tryAgain, pauseNs, TimeUnit.NANOSECONDS);
        }
        waiting.add(work);
    }

    private void tryAgain() {
        List<Runnable> now = waiting;
        waiting = tried;
        tried = now;
        pauseNs = Math.min(2 * pauseNs, LONGEST_PAUSE_NS);
        for (int i = 0; i < now.size(); i++) {
            try {
                now.get(i).run();
            } catch (RuntimeException | InternalError e) {
                node.life().failed(e);
            }
        }
        now.clear();
        long waitedNs = System.nanoTime() - sinceNs;
        if (!waiting.isEmpty() && !isSaid && waitedNs > SAID_AFTER_NS) {
            isSaid = true;
            node.log().heldUp(waiting.size(), waitedNs, node.holderOfAccumulateLock());
        }
    }
}

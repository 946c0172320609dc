package org.tributary.client.link;

import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.tributary.client.error.GasException;

/**
 * Sends payload that was left for later while the rank's own threads compute: a daemon thread, started at first use,
 * that sends a piece at a time, each under the lock of {@link Links}, and sleeps when there is nothing to do. It never
 * reads. Whoever takes the lock to flush or to wait sends the rest without it.
 */
final class DeferredSender implements Runnable {
    /** The lock is held for one piece, some ten microseconds. */
    private static final int PIECE = 128 << 10;
    private static final long SPIN_NS = 5_000;
    private static final long PARK_NS = 20_000;
    private static final long MAX_PARK_NS = 1_000_000;

    private final SharedLock lock;
    private final List<ServerLink> links;
    private final JobFailure failure;
    private final Thread thread;
    private boolean started;
    private volatile boolean work;
    private volatile boolean asleep;
    private volatile boolean ended;

    DeferredSender(SharedLock lock, List<ServerLink> links, JobFailure failure, int rank) {
        this.lock = lock;
        this.links = links;
        this.failure = failure;
        this.thread = Thread.ofPlatform().daemon().name("tributary-send-" + rank).unstarted(this);
    }

    /** The thread that will read the payload. */
    Thread thread() {
        return thread;
    }

    /** There is something to send. Called with the lock held. */
    void begin() {
        work = true; // before looking whether the thread sleeps; partner: sleep()
        if (!started) {
            started = true;
            thread.start();
        } else if (asleep) {
            LockSupport.unpark(thread);
        }
    }

    /** There will be nothing to send any more; the thread touches no payload after that. */
    void end(long timeoutMs) throws InterruptedException {
        ended = true; // partner: sleep()
        LockSupport.unpark(thread);
        thread.join(timeoutMs);
    }

    @Override
    public void run() {
        long parkNs = PARK_NS;
        while (!ended) {
            if (!work) {
                awaitWork();
                continue;
            }
            work = false;
            boolean left = false;
            boolean moved = false;
            for (int i = 0; i < links.size(); i++) {
                if (!lock.tryLockForNobody()) {
                    left = true; // who has the lock goes first, and probably sends the rest
                    continue;
                }
                try {
                    ServerLink link = links.get(i);
                    moved |= link.hasDeferred() && link.sendSome(PIECE);
                    left |= link.hasDeferred();
                } catch (GasException e) {
                    failure.hasFailed(); // whoever uses the link hears of it
                } finally {
                    lock.unlock();
                }
            }
            if (left && !failure.hasFailed()) {
                if (!moved) {
                    sleep(parkNs);
                }
                parkNs = moved ? PARK_NS : Math.min(2 * parkNs, MAX_PARK_NS);
                work = true;
            }
        }
    }

    private void awaitWork() {
        long untilNs = System.nanoTime() + SPIN_NS;
        while (System.nanoTime() < untilNs) {
            if (work || ended) {
                return;
            }
            Thread.onSpinWait();
        }
        sleep(Long.MAX_VALUE);
    }

    private void sleep(long ns) {
        asleep = true; // before looking for work; partners: begin(), end()
        if (!work && !ended) {
            LockSupport.parkNanos(this, ns);
        }
        asleep = false;
    }
}

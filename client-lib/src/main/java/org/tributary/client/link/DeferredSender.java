package org.tributary.client.link;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.tributary.client.connection.LinkSet;
import org.tributary.client.connection.ServerLink;
import org.tributary.client.error.GasException;

/**
 * Sends payload that was left for later while the rank's own threads compute: a daemon thread, started at first use,
 * that sends a piece at a time, each under the lock of {@link Links}, and sleeps when there is nothing to do. It never
 * reads. A thread that takes the lock to flush or to wait sends the rest itself.
 */
final class DeferredSender implements Runnable {
    /** The lock is held for one piece, some ten microseconds. */
    private static final int PIECE = 128 << 10;
    /** So many full sockets are tried before others get the lock. */
    private static final int LOOKS = 4;
    private static final long SPIN_NS = 5_000;
    private static final long PARK_NS = 20_000;
    private static final long MAX_PARK_NS = 1_000_000;

    private final SharedLock lock;
    private final LinkSet<ServerLink> deferred;
    private final JobFailure failure;
    private final Thread thread;
    private boolean started;
    private boolean left;
    private int turn;
    private volatile boolean work;
    private volatile boolean asleep;
    private volatile boolean ended;

    /** Sends for the connections that are in {@code deferred}. */
    DeferredSender(SharedLock lock, LinkSet<ServerLink> deferred, JobFailure failure, int rank) {
        this.lock = lock;
        this.deferred = deferred;
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
    void end(long timeoutNs) {
        ended = true; // partner: sleep()
        LockSupport.unpark(thread);
        boolean unused = Uninterrupted.await(timeoutNs, leftNs -> {
            TimeUnit.NANOSECONDS.timedJoin(thread, leftNs);
            return hasEnded();
        });
    }

    /** Whether the thread touches no payload any more. */
    boolean hasEnded() {
        return !thread.isAlive();
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
            boolean moved = sendPiece();
            if (left && !failure.hasFailed()) {
                if (!moved) {
                    sleep(parkNs);
                }
                parkNs = moved ? PARK_NS : Math.min(2 * parkNs, MAX_PARK_NS);
                work = true;
            }
        }
    }

    /** Sends a piece on one connection; false when none took anything. {@link #left} says whether to go on. */
    private boolean sendPiece() {
        if (!lock.tryLockIfUnwanted()) {
            left = true; // the thread that has the lock goes first, and probably sends the rest
            return false;
        }
        try {
            boolean moved = false;
            for (int i = Math.min(deferred.size(), LOOKS); i > 0 && !moved && !deferred.isEmpty(); i--) {
                turn = (turn + 1) % deferred.size();
                moved = deferred.get(turn).sendSome(PIECE);
            }
            left = !deferred.isEmpty();
            return moved;
        } catch (GasException e) {
            left = !deferred.isEmpty(); // users of the link hear of it; it has left the set
            return true;
        } finally {
            lock.unlock();
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

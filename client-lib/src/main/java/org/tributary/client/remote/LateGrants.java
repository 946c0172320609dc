package org.tributary.client.remote;

import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.tributary.client.connection.Awaited;
import org.tributary.client.connection.Contended;
import org.tributary.client.connection.PendingReply;
import org.tributary.client.error.GasException;
import org.tributary.client.error.WaitInterruptedException;
import org.tributary.wire.shm.WaitSlots;

/**
 * Locks for which a rank still stands in a queue, though the call that asked has been interrupted. Each has a thread
 * that waits for the grant and gives it back: the program may make no call that would read the answer, and the next
 * rank in the queue waits for it. When the rank leaves or the job fails, these threads end as all that wait; the server
 * gives what the rank then has to the next. Thread-safe.
 */
final class LateGrants {
    /** By lock, how many are to come. */
    private final Map<Contended, Integer> due = new HashMap<>();

    /**
     * A call that asked for a lock has ended without it.
     *
     * @param isGranted waits for the answer
     * @param giveBack  sends the release
     */
    void expect(Contended what, BooleanSupplier isGranted, Runnable giveBack) {
        synchronized (this) {
            due.merge(what, 1, Integer::sum);
        }
        boolean begun = false;
        try {
            Thread.ofPlatform().daemon().name("tributary-late-grant").start(() -> take(what, isGranted, giveBack));
            begun = true;
        } finally {
            if (!begun) {
                ended(what);
            }
        }
    }

    /** As the answer, but no interrupt ends the wait for it. */
    static Awaited patiently(PendingReply answer) {
        return new Awaited() {
            @Override
            public boolean isDone() {
                return answer.isDone();
            }

            @Override
            public int block(WaitSlots waits, int node) {
                return answer.block(waits, node);
            }
        };
    }

    private void take(Contended what, BooleanSupplier isGranted, Runnable giveBack) {
        try {
            if (isGranted.getAsBoolean()) {
                giveBack.run();
            }
        } catch (GasException ignored) {
            // The job has failed, the rank leaves, or the lock was refused: there is nothing to give back.
        } finally {
            ended(what);
        }
    }

    private synchronized void ended(Contended what) {
        due.computeIfPresent(what, (key, count) -> count == 1 ? null : count - 1);
        notifyAll();
    }

    /** Whether a grant of a lock is to be given back. */
    synchronized boolean isDue(Contended what) {
        return due.containsKey(what);
    }

    /**
     * Waits until all grants of a lock that were due have been given back: for its server, the rank asks until then.
     *
     * @throws WaitInterruptedException when the calling thread is interrupted
     */
    synchronized void await(Contended what) {
        try {
            while (due.containsKey(what)) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw what.interrupted();
        }
    }
}

package org.tributary.client.link;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.tributary.client.connection.Awaited;
import org.tributary.client.connection.LinkSet;
import org.tributary.client.connection.ServerLink;
import org.tributary.client.error.GasException;
import org.tributary.wire.shm.Backoff;
import org.tributary.wire.shm.TraceLayout;
import org.tributary.wire.shm.WaitKind;
import org.tributary.wire.shm.WaitSlots;

/**
 * How threads of a rank wait for answers: a waiting thread reads, first in a bounded spin, because an answer usually
 * comes within microseconds, then asleep in the kernel. One thread at a time sleeps there; it reads what has come for
 * all and wakes the others when there is news. Only connections are read from which something is awaited or on which
 * something has come, however many others there are.
 */
public final class WaitLoop {
    /** Checks that a waiting thread makes now and then, with the lock held. */
    interface PeriodicCheck {
        void look(long nowNs);
    }

    private static final long FULL_PARK_NS = 20_000;
    private static final int FULL_POLLS_BEFORE_PARK = 30;
    /** A thread that waits for a {@link NetworkAdapter} looks at it this often while it has waited for so long. */
    private static final int NAPS_SHARE = 8;
    private static final long SHORTEST_NAP_NS = 20_000;
    private static final long LONGEST_NAP_NS = 1_000_000;
    /** Up to so many connections it is cheaper to read each than to ask which is ready. */
    static final int FEW = 4;

    private final SharedLock lock;
    private final Condition news;
    private final Readiness readiness;
    private final LinkSet<ServerLink> awaiting;
    private final JobFailure failure;
    private final Backoff backoff;
    private final PeriodicCheck periodicCheck;
    private final WaitSlots waits;
    private final long spinNs;
    private final long blockMs;
    private final LongSupplier clockNs;
    private final Consumer<ServerLink> noteReady = this::noteReady;
    /** Filled by the thread that selects. */
    private ServerLink[] ready = new ServerLink[16];
    /** Null when no network adapter moves data. */
    private NetworkAdapter adapter;
    private int readyCount;
    private boolean selecting;
    private int asleep;
    private int turn;
    private int fullPolls;
    private int slotOfFull = WaitSlots.UNSEEN;

    /**
     * Without a waiting thread.
     *
     * @param lock     guards all connections and this
     * @param awaiting the connections from which answers are due
     * @param waits    where threads that block say what for
     * @param spinNs   how long to look before sleeping
     * @param blockMs  how long to sleep before looking around
     */
    WaitLoop(SharedLock lock, Readiness readiness, LinkSet<ServerLink> awaiting, JobFailure failure,
        PeriodicCheck periodicCheck, WaitSlots waits, Backoff backoff, long spinNs, long blockMs,
        LongSupplier clockNs) {
        this.lock = lock;
        this.news = lock.newCondition();
        this.readiness = readiness;
        this.awaiting = awaiting;
        this.failure = failure;
        this.periodicCheck = periodicCheck;
        this.waits = waits;
        this.backoff = backoff;
        this.spinNs = spinNs;
        this.blockMs = blockMs;
        this.clockNs = clockNs;
    }

    /** From now on waiting threads also make progress with what the network adapter moves. */
    void setAdapter(NetworkAdapter adapter) {
        this.adapter = adapter;
    }

    /**
     * Waits until something has come; reads meanwhile. Call without the lock. An interrupt ends the wait only where
     * {@link Awaited#whenInterrupted} says so: else the caller would leave with its memory in use, or half-way through
     * its work.
     *
     * @param link the only connection that it can come from, or null for any from which an answer is due
     * @throws GasException when the job fails or a connection breaks
     */
    public void await(Awaited what, ServerLink link) {
        if (what.holdsCaller()) {
            failure.calls().goOn();
        } else {
            failure.calls().begin();
        }
        try {
            awaitInside(what, link);
        } finally {
            failure.calls().end();
        }
    }

    private void awaitInside(Awaited what, ServerLink link) {
        int slot = WaitSlots.UNSEEN;
        boolean blocks = false;
        long spinUntilNs = 0;
        long sinceNs = 0;
        long nowNs = 0;
        boolean spins = false;
        try {
            while (true) {
                boolean moved;
                nowNs = lock(spins, nowNs);
                try {
                    if (what.isDone()) {
                        return;
                    }
                    moved = pollAdapter();
                    if (moved && what.isDone()) {
                        return; // without a system call
                    }
                    moved |= link == null ? pollConnections() : link.poll();
                    if (moved && what.isDone()) {
                        return;
                    }
                    if (spins) {
                        periodicCheck.look(nowNs);
                    }
                } finally {
                    lock.unlock();
                }
                checkMayGoOn(what);
                nowNs = clockNs.getAsLong();
                if (!spins || moved) {
                    sinceNs = spins ? sinceNs : nowNs;
                    spins = true;
                    spinUntilNs = nowNs + spinNs;
                } else if (nowNs - spinUntilNs > 0) {
                    if (!blocks) {
                        blocks = true;
                        slot = what.block(waits, link == null ? -1 : link.node());
                    }
                    block(what, nowNs - sinceNs);
                } else {
                    nowNs += backoff.yield();
                }
            }
        } finally {
            if (blocks) {
                waits.end(slot, sinceNs);
            } else if (spins && waits.trace() != null) {
                recordPolling(what, link, sinceNs, nowNs);
            }
        }
    }

    /** Returns the time if the thread records and has waited for the lock: another one may have read its answer. */
    private long lock(boolean spins, long nowNs) {
        if (lock.tryLock()) {
            return nowNs;
        }
        lock.lock();
        return spins && waits.trace() != null ? clockNs.getAsLong() : nowNs;
    }

    private void checkMayGoOn(Awaited what) {
        if (what.holdsCaller()) {
            failure.checkJob();
            failure.calls().checkNotLeft();
        } else {
            failure.check();
        }
    }

    /** The thread has waited without blocking, so that it has said nowhere what for; it saw the clock last then. */
    private void recordPolling(Awaited what, ServerLink link, long sinceNs, long seenNs) {
        if (seenNs - sinceNs >= TraceLayout.LEAST_SEEN_NS
            && clockNs.getAsLong() - sinceNs >= TraceLayout.LEAST_WAIT_NS) {
            waits.end(what.block(waits, link == null ? -1 : link.node()), sinceNs);
        }
    }

    private boolean pollAdapter() {
        return adapter != null && adapter.isBusy() && adapter.poll();
    }

    /** Reads what has come of the answers that are due; false when nothing had. Call with the lock held. */
    public boolean pollAwaiting() {
        return pollAdapter() | pollConnections();
    }

    private boolean pollConnections() {
        int count = awaiting.size();
        if (count > FEW && !selecting) {
            try {
                readiness.select(0, noteReady);
            } catch (IOException e) {
                throw new GasException("looking for answers failed", e);
            }
            return readReady();
        }
        boolean moved = false;
        // When many are due, somebody sleeps in the kernel and reads for all: a few in turn are enough. Downwards,
        // because reading may end membership, and the last one takes the free place.
        for (int i = Math.min(count, FEW); i > 0 && !awaiting.isEmpty(); i--) {
            turn = (turn + awaiting.size() - 1) % awaiting.size();
            moved |= awaiting.get(turn).poll();
        }
        return moved;
    }

    private void noteReady(ServerLink link) {
        if (readyCount == ready.length) {
            ready = Arrays.copyOf(ready, 2 * readyCount);
        }
        ready[readyCount++] = link;
    }

    private boolean readReady() {
        boolean moved = false;
        try {
            for (int i = 0; i < readyCount; i++) {
                moved |= ready[i].poll();
            }
        } finally {
            forgetReady();
        }
        return moved;
    }

    private void forgetReady() {
        Arrays.fill(ready, 0, readyCount, null);
        readyCount = 0;
    }

    /** Sleeps until any connection has something, not for ever. */
    private void block(Awaited what, long waitedNs) {
        boolean isInterrupted = Thread.interrupted(); // or else the kernel would not let the thread sleep
        try {
            GasException why = isInterrupted ? what.whenInterrupted() : null;
            if (why != null) {
                throw why;
            }
            if (!isToNap(what)) {
                sleep(what);
            } else {
                adapter.nap(Math.clamp(waitedNs / NAPS_SHARE, SHORTEST_NAP_NS, LONGEST_NAP_NS));
            }
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Whether the kernel cannot tell when to go on, because something is under way by the network adapter. */
    private boolean isToNap(Awaited what) {
        if (adapter == null) {
            return false;
        }
        lock.lock();
        try {
            boolean naps = adapter.isBusy() && !what.isDone();
            if (naps) {
                adapter.lookAtServers();
            }
            return naps;
        } finally {
            lock.unlock();
        }
    }

    private void sleep(Awaited what) {
        lock.lock();
        try {
            if (what.isDone() || adapter != null && adapter.isBusy()) {
                return;
            }
            asleep++;
            if (selecting) {
                try {
                    news.await(blockMs, TimeUnit.MILLISECONDS);
                } finally {
                    asleep--;
                }
                return;
            }
            selecting = true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // looked at when what has come meanwhile has been
            return;
        } finally {
            lock.unlock();
        }
        try {
            readiness.select(blockMs, noteReady);
        } catch (IOException e) {
            throw new GasException("waiting for an answer failed", e);
        } finally {
            lock.lock();
            try {
                selecting = false;
                asleep--;
                if (failure.hasFailed()) {
                    forgetReady();
                } else {
                    readReady();
                }
            } finally {
                news.signalAll();
                lock.unlock();
            }
        }
    }

    /**
     * A socket takes nothing more, and nothing has come on it: waits a moment, with the lock held, because half a
     * request is on its way. {@link #socketTakesAgain} follows.
     *
     * @param node of the server that reads it
     */
    void awaitRoom(int node) {
        failure.checkJob(); // half a request left behind breaks the connection
        if (++fullPolls > FULL_POLLS_BEFORE_PARK) {
            fullPolls = 0;
            periodicCheck.look(clockNs.getAsLong());
            if (slotOfFull == WaitSlots.UNSEEN) {
                slotOfFull = waits.begin(WaitKind.ROOM, node, 0, 0);
            }
            LockSupport.parkNanos(FULL_PARK_NS);
        } else {
            Thread.onSpinWait();
        }
    }

    /** The socket takes something again, or nothing ever; also when nobody has waited. Call with the lock held. */
    void socketTakesAgain() {
        if (slotOfFull != WaitSlots.UNSEEN) {
            waits.end(slotOfFull);
            slotOfFull = WaitSlots.UNSEEN;
        }
    }

    /** Something has been read; it may be what another thread sleeps for. Call with the lock held. */
    void arrived() {
        if (asleep > 0) {
            if (selecting) {
                readiness.wakeUp();
            }
            news.signalAll();
        }
    }

    /** Where threads of this rank that block say what for. */
    WaitSlots waits() {
        return waits;
    }

    /** Wakes the thread that sleeps in the kernel, which finds that the job has failed and wakes the others. */
    public void wakeUp() {
        readiness.wakeUp();
    }
}

package org.tributary.client.link;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.tributary.client.connection.ServerLink;
import org.tributary.client.error.GasException;
import org.tributary.wire.Deadline;
import org.tributary.wire.Frames;

/**
 * The end of a rank's connections: none touches memory of callers any more, each server hears a goodbye, all are
 * closed. A thread that is stuck in a call, or opens a connection, delays this for a bounded time only; an interrupt
 * ends nothing of it. Thread-safe.
 */
public final class Farewell {
    private static final long CLOSE_MS = 1000;
    private static final long CLOSE_NS = TimeUnit.MILLISECONDS.toNanos(CLOSE_MS);
    private static final long PARK_NS = 20_000;

    private final SharedLock lock;
    private final List<ServerLink> all;
    private final Router router;
    private final WaitLoop waitLoop;
    private final Readiness readiness;
    private final DeferredSender deferredSender;
    private final JobFailure failure;
    private final int rank;
    /** Null when no network adapter moves data. */
    private NetworkAdapter adapter;
    private volatile boolean begun;
    /** Whether the lock could not be had once: who has it may be stuck. */
    private volatile boolean hasMissedLock;
    /** Whether nobody had the lock at some look while calls were awaited. */
    private volatile boolean hasSeenLockFree;

    /** Of the connections of {@code all}, of which the first is that to the own server. */
    Farewell(SharedLock lock, List<ServerLink> all, Router router, WaitLoop waitLoop, Readiness readiness,
        DeferredSender deferredSender, JobFailure failure, int rank) {
        this.lock = lock;
        this.all = all;
        this.router = router;
        this.waitLoop = waitLoop;
        this.readiness = readiness;
        this.deferredSender = deferredSender;
        this.failure = failure;
        this.rank = rank;
    }

    /** From now on the network adapter moves data. */
    void setAdapter(NetworkAdapter adapter) {
        this.adapter = adapter;
    }

    /** Whether connections may end without anything having failed. */
    boolean hasBegun() {
        return begun;
    }

    /**
     * Takes the lock of all connections, without which nobody hears a goodbye, and the job fails. A thread that is
     * stuck with it holds up the rank's end for 5 s once, those for calls included, and then for a second each time.
     */
    private boolean lockInTime() {
        boolean locked = lock.tryLockFor(lockPatienceNs());
        hasMissedLock |= !locked;
        return locked;
    }

    /** How long to wait for the lock. */
    long lockPatienceNs() {
        return hasMissedLock || failure.hasFailed() ? CLOSE_NS : Calls.PATIENCE_NS;
    }

    /** To be called often while calls are awaited. */
    public void lookAtLock() {
        if (!hasSeenLockFree && lock.tryLock()) {
            lock.unlock();
            hasSeenLockFree = true;
        }
    }

    /** Calls have been awaited in vain: who has kept the lock all the time is one of them, and has had its time. */
    public void haveAwaitedCalls() {
        hasMissedLock |= !hasSeenLockFree;
    }

    /**
     * Has no connection touch memory of callers, unless another thread keeps the lock.
     *
     * @return whether that is so within the time
     */
    public boolean letGoInTime() {
        return withLock(this::letGo);
    }

    /** The same when the process ends. It waits for no server that takes nothing of what is still to be sent. */
    public void letGoAtExit() {
        failure.calls().endWithProcess();
        failure.beginLeaving();
        begun = true;
        withLock(() -> {
            all.forEach(link -> link.limitStalls(Calls.PATIENCE_NS));
            letGo();
        });
    }

    /** Does something with the lock of all connections; false when that cannot be had within seconds. */
    public boolean withLock(Runnable act) {
        if (!lockInTime()) {
            return false;
        }
        try {
            act.run();
        } finally {
            lock.unlock();
        }
        return true;
    }

    /** Has no connection touch memory of callers. */
    void letGo() {
        lock.lock();
        try {
            GasException why = failure.calls().whyLeaving();
            for (ServerLink link : all) {
                link.letGo(why);
            }
            if (adapter != null) {
                adapter.letGo(why);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits until what was on its way when the rank has let go has come. */
    public void awaitDropped() {
        for (ServerLink link : all) {
            waitLoop.await(link::hasReadDropped, link);
        }
    }

    /**
     * Says goodbye on every connection, unless the job has failed, and closes them.
     *
     * @param announce tells the own server, on another way, once it has been given the goodbye; not when it takes none
     * @param isHeard whether the own server has read the goodbye; until then, for a bounded time, nothing is closed
     * @return whether no thread uses connections any more, or what it sends from
     */
    public boolean leave(Runnable announce, BooleanSupplier isHeard) {
        return close(rank, announce, isHeard);
    }

    /** Closes connections of a rank that could not attach: its server goes on expecting it. */
    public void withdraw() {
        close(Frames.NO_RANK, () -> { }, () -> true);
    }

    private boolean close(int leaving, Runnable announce, BooleanSupplier isHeard) {
        boolean locked = false;
        failure.beginLeaving(); // a thread that waits for the reason of a failure has the lock
        try {
            locked = lockInTime();
            begun = true;
            if (locked) {
                router.close(CLOSE_NS);
                all.forEach(link -> link.limitStalls(Calls.PATIENCE_NS));
                settle();
            }
            for (int i = all.size() - 1; i >= 0 && locked && !failure.hasFailed(); i--) {
                all.get(i).tryLeaveChannel(); // while there is an adapter
            }
            if (locked && adapter != null) {
                adapter.close();
            }
            deferredSender.end(Calls.PATIENCE_NS);
            // The own server last: when it has heard from all of its ranks, the job may end.
            for (int i = all.size() - 1; i >= 0 && locked && !failure.hasFailed(); i--) {
                all.get(i).trySayGoodbye(leaving, i == 0 ? announce : () -> { });
            }
            if (locked) {
                readUntil(isHeard);
            }
            all.forEach(ServerLink::close);
            readiness.close();
            return locked && deferredSender.hasEnded();
        } catch (IOException e) {
            throw new GasException("closing failed", e);
        } finally {
            if (locked) {
                lock.unlock();
            }
        }
    }

    /**
     * Waits until everything that was sent is executed and answered, while no other thread sends. Gives up when nothing
     * has come for a while. What a socket has not read when it is closed may keep what it has sent from arriving.
     */
    private void settle() {
        all.forEach(this::askExecuted);
        Deadline deadline = Deadline.in(Calls.PATIENCE_NS);
        for (ServerLink link : all) {
            while (!failure.hasFailed() && !link.isSettled() && !deadline.isOver()) {
                if (isMoved(link)) {
                    deadline = Deadline.in(Calls.PATIENCE_NS);
                } else {
                    Uninterrupted.park(PARK_NS);
                }
            }
        }
    }

    private void askExecuted(ServerLink link) {
        try {
            if (!failure.hasFailed()) {
                link.askExecuted();
            }
        } catch (GasException ignored) {
            // It is broken, and so nothing is to come.
        }
    }

    private static boolean isMoved(ServerLink link) {
        try {
            return link.poll();
        } catch (GasException ignored) {
            return false; // it is broken, and so nothing is to come
        }
    }

    /** A server that cannot get rid of answers does not read on; and what is unread when it closes breaks a socket. */
    private void readUntil(BooleanSupplier isHeard) {
        Deadline deadline = Deadline.in(Calls.PATIENCE_NS);
        try {
            while (!isHeard.getAsBoolean() && !deadline.isOver()) {
                if (!all.getFirst().poll()) {
                    Uninterrupted.park(PARK_NS);
                }
            }
        } catch (GasException ignored) {
            // The server is gone; it hears nothing.
        }
    }
}

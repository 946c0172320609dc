package org.tributary.server.memory;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.function.IntPredicate;
import org.agrona.collections.IntHashSet;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.shm.WindowLock;

/**
 * Who waits for the locks of windows on this node, first in first out, consecutive readers together, and which ranks of
 * other nodes hold them shared. The words are in shared memory ({@link WindowLock}) and say who holds one exclusively;
 * ranks of the node take and release them without the server, so that of those who hold one shared only the number is
 * known. No I/O: grants go to {@link Waiter#granted()}. Owned by the event loop.
 */
public final class WindowLocks {
    /** Someone who waits for a lock. */
    public interface Waiter {
        int rank();

        LockMode mode();

        /** Whether the lock stays with the rank; if not, it is released as soon as {@link #granted()} returns. */
        boolean keepsLock();

        /** Takes what it needs beside the lock; when that is not free, has {@link #passOn} called later. */
        default boolean prepare() {
            return true;
        }

        /** Gives back what {@link #prepare} has taken: the lock is not granted yet. */
        default void postpone() {
            // nothing was taken
        }

        /** The lock is held, and what it needs beside it. */
        void granted();

        /** The rank is gone: nothing will be granted. */
        void dropped();
    }

    /** What the server knows of one lock beyond its word. */
    static final class State {
        private final ArrayDeque<Waiter> queue = new ArrayDeque<>();
        private final IntHashSet sharedByOthers = new IntHashSet();

        boolean isAwaited() {
            return !queue.isEmpty();
        }
    }

    private final IntPredicate isLocal;
    private final int ranks;
    /** What ranks wait for, and what those of other nodes hold. */
    private final RankIndex ofRanks = new RankIndex();
    private int waiting;

    /** The locks of a node; {@code isLocal} tells its ranks from others, of {@code ranks} in the job. */
    public WindowLocks(IntPredicate isLocal, int ranks) {
        this.isLocal = isLocal;
        this.ranks = ranks;
    }

    /** Whether a rank is known to hold the lock, or waits to keep it. */
    public boolean isHeld(NodeSegment window, int home, int rank) {
        State state = window.lock(home);
        if (state.sharedByOthers.contains(rank) || WindowLock.exclusiveHolder(window.part(home)) == rank) {
            return true;
        }
        for (Waiter waiter : state.queue) {
            if (waiter.rank() == rank && waiter.keepsLock()) {
                return true;
            }
        }
        return false;
    }

    /** Takes the lock if nobody has to wait for that. */
    public boolean tryLock(NodeSegment window, int home, LockMode mode, int rank) {
        boolean taken = WindowLock.tryAcquire(window.part(home), mode, rank);
        if (taken) {
            taken(window, home, mode, rank);
        }
        return taken;
    }

    /** Takes the lock for an operation that ends with {@link #leave} before anything else happens. */
    public boolean tryEnter(NodeSegment window, int home, LockMode mode, int rank) {
        return WindowLock.tryAcquire(window.part(home), mode, rank);
    }

    public void leave(NodeSegment window, int home, LockMode mode, int rank) {
        release(window.part(home), mode, rank);
    }

    /** Grants the lock at once if that is possible, else queues. */
    public void lock(NodeSegment window, int home, Waiter waiter) {
        State state = window.lock(home);
        MemorySegment words = window.part(home);
        check(window, home);
        boolean isPrepared = waiter.prepare();
        if (!isPrepared) {
            WindowLock.contend(words);
        } else if (WindowLock.acquireOrContend(words, waiter.mode(), waiter.rank())) {
            granted(window, home, waiter);
            return;
        } else {
            waiter.postpone();
        }
        state.queue.addLast(waiter);
        ofRanks.add(waiter.rank(), window.id(), home);
        waiting++;
    }

    private void check(NodeSegment window, int home) {
        WindowLock.check(window.part(home), window.lock(home).isAwaited(), ranks,
            () -> "the lock of rank " + home + " in " + window.path());
    }

    /**
     * Looks whether the words of all locks for which somebody waits are as they must be: of one that has been
     * overwritten nobody would tell.
     *
     * @throws org.tributary.wire.shm.DamagedMemoryException when one is not
     */
    void check(SegmentRegistry segments) {
        segments.forEach(segment -> {
            if (segment.kind() == SegmentKind.WINDOW) {
                for (int part = 0; part < segment.layout().partCount(); part++) {
                    check(segment, segment.layout().rank(part));
                }
            }
        });
    }

    private void taken(NodeSegment window, int home, LockMode mode, int rank) {
        if (!isLocal.test(rank)) {
            ofRanks.add(rank, window.id(), home);
            if (mode == LockMode.SHARED) {
                window.lock(home).sharedByOthers.add(rank);
            }
        }
    }

    private void granted(NodeSegment window, int home, Waiter waiter) {
        if (waiter.keepsLock()) {
            taken(window, home, waiter.mode(), waiter.rank());
            waiter.granted();
            return;
        }
        try {
            waiter.granted();
        } finally {
            release(window.part(home), waiter.mode(), waiter.rank());
        }
    }

    /** Releases the lock that a rank holds and passes it on; false when the rank does not hold it in this mode. */
    public boolean unlock(NodeSegment window, int home, LockMode mode, int rank) {
        if (!holds(window, home, mode, rank)) {
            return false;
        }
        State state = window.lock(home);
        if (!isLocal.test(rank)) {
            ofRanks.remove(rank, window.id(), home);
            state.sharedByOthers.remove(rank);
        }
        release(window.part(home), mode, rank);
        passOn(window, home, state);
        return true;
    }

    private boolean holds(NodeSegment window, int home, LockMode mode, int rank) {
        MemorySegment words = window.part(home);
        if (mode == LockMode.EXCLUSIVE) {
            return WindowLock.exclusiveHolder(words) == rank;
        }
        IntHashSet others = window.lock(home).sharedByOthers;
        return isLocal.test(rank) ? WindowLock.sharedHolders(words) > others.size() : others.contains(rank);
    }

    private static void release(MemorySegment words, LockMode mode, int rank) {
        if (!WindowLock.tryRelease(words, mode, rank)) {
            WindowLock.releaseContended(words, mode);
        }
    }

    /** Grants to those who wait, if that is possible now. */
    public void passOn(NodeSegment window, int home) {
        passOn(window, home, window.lock(home));
    }

    /** Grants to the head of the queue, and to those behind it, as long as holders allow it. */
    public void passOn(NodeSegment window, int home, State state) {
        MemorySegment words = window.part(home);
        Waiter head = state.queue.peekFirst();
        while (head != null && WindowLock.admits(words, head.mode()) && head.prepare()) {
            WindowLock.handOver(words, head.mode(), head.rank(), state.queue.size() > 1);
            state.queue.pollFirst();
            waiting--;
            ofRanks.remove(head.rank(), window.id(), home);
            granted(window, home, head);
            head = state.queue.peekFirst();
        }
    }

    /**
     * A rank is gone: it waits for nothing any more, and what it is known to hold goes to the next. The time depends on
     * what it has, and, for a rank of the node, on how many locks the node has: those it takes without the server.
     */
    public void rankGone(int rank, SegmentRegistry segments) {
        if (isLocal.test(rank)) {
            forgetEverywhere(rank, segments);
        } else {
            for (long id : ofRanks.segments(rank)) {
                NodeSegment window = segments.find(id);
                ofRanks.forEach(rank, id, home -> forget(window, (int) home, rank));
            }
        }
        ofRanks.forgetRank(rank);
    }

    /** A window is freed. */
    public void removed(long window) {
        ofRanks.forgetSegment(window);
    }

    private void forgetEverywhere(int rank, SegmentRegistry segments) {
        segments.forEach(segment -> {
            if (segment.kind() == SegmentKind.WINDOW) {
                for (int part = 0; part < segment.layout().partCount(); part++) {
                    forget(segment, segment.layout().rank(part), rank);
                }
            }
        });
    }

    private void forget(NodeSegment window, int home, int rank) {
        State state = window.lock(home);
        boolean wasAwaited = state.isAwaited();
        for (Iterator<Waiter> waiters = state.queue.iterator(); waiters.hasNext();) {
            Waiter waiter = waiters.next();
            if (waiter.rank() == rank) {
                waiters.remove();
                waiting--;
                waiter.dropped();
            }
        }
        if (wasAwaited && !state.isAwaited()) {
            WindowLock.settle(window.part(home));
        }
        if (state.sharedByOthers.contains(rank)) {
            unlock(window, home, LockMode.SHARED, rank);
        } else if (!unlock(window, home, LockMode.EXCLUSIVE, rank)) {
            passOn(window, home, state); // a writer that waited no longer keeps out the readers behind it
        }
    }

    /** Whether somebody waits for a lock of a window. */
    public boolean isAwaited(NodeSegment window) {
        for (int part = 0; part < window.layout().partCount(); part++) {
            if (window.lock(window.layout().rank(part)).isAwaited()) {
                return true;
            }
        }
        return false;
    }

    /** Requests that wait. */
    int waiting() {
        return waiting;
    }
}

package org.tributary.server.memory;

import java.lang.foreign.MemorySegment;
import java.util.function.IntPredicate;
import org.agrona.collections.IntHashSet;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.shm.SegmentKind;
import org.tributary.wire.shm.WindowLock;

/**
 * The queues of the locks of RMA windows on this node, first in first out, consecutive readers together, and the ranks
 * of other nodes that hold them shared. A reader that holds another lock of the window goes first: a writer that waits
 * may wait for that one, through other writers and readers in a circle. The words are in shared memory ({@link
 * WindowLock}) and name the exclusive holder. Ranks of the node take and release them without the server, so only the
 * number of those that hold one shared is known. Other event loops do so for ranks of other nodes, and tell what is
 * held before anything is decided about it here ({@link TakenWindowLocks}). No I/O: grants go to {@link
 * Waiter#granted()}. Owned by the main event loop.
 */
public final class WindowLocks {
    public interface Waiter extends WaiterQueues.Waiter {
        LockMode mode();

        /** Whether the lock stays with the rank; if not, it is released as soon as {@link #granted()} returns. */
        boolean keepsLock();

        /** Whether it reads, and its rank holds another lock of the window. */
        default boolean goesFirst() {
            return false;
        }

        /** Takes what it needs beside the lock; when that is not free, has {@link #passOn} called later. */
        default boolean prepare() {
            return true;
        }

        /** Gives back what {@link #prepare} has taken: the lock is not granted yet. */
        default void postpone() {
            // nothing was taken
        }

        /** The lock is held, and what it needs beside it. */
        @Override
        void granted();

        /** The rank is gone: nothing will be granted. */
        void dropped();
    }

    private final int ranks;
    private final WaiterQueues<Waiter> queues;

    /** The locks of a node; {@code isLocal} tells its ranks from others, of {@code ranks} in the job. */
    public WindowLocks(IntPredicate isLocal, int ranks) {
        this.ranks = ranks;
        queues = new WaiterQueues<>(isLocal);
    }

    /** Whether a rank is known to hold the lock, or waits to keep it. */
    public boolean isHeld(NodeSegment window, int home, int rank) {
        if (window.sharedByOthers(home).contains(rank) || WindowLock.exclusiveHolder(window.part(home)) == rank) {
            return true;
        }
        for (Waiter waiter : queues.waiters(window.id(), home)) {
            if (waiter.rank() == rank && waiter.keepsLock()) {
                return true;
            }
        }
        return false;
    }

    /** Takes the lock if that needs no wait. */
    public boolean tryLock(NodeSegment window, int home, LockMode mode, int rank) {
        boolean taken = WindowLock.tryAcquire(window.part(home), mode, rank);
        if (taken) {
            held(window, home, mode, rank);
        }
        return taken;
    }

    /** Takes the lock for an operation that ends with {@link #release} before anything else happens. */
    public boolean tryEnter(NodeSegment window, int home, LockMode mode, int rank) {
        return WindowLock.tryAcquire(window.part(home), mode, rank);
    }

    /** Releases what {@link #tryEnter} has taken. */
    public void release(NodeSegment window, int home, LockMode mode, int rank) {
        release(window.part(home), mode, rank);
    }

    /** Grants the lock at once if that is possible, else queues. */
    public void lock(NodeSegment window, int home, Waiter waiter) {
        MemorySegment words = window.part(home);
        check(window, home);
        boolean isPrepared = waiter.prepare();
        if (!isPrepared) {
            WindowLock.contend(words);
        } else if (waiter.goesFirst() && WindowLock.join(words)
            || WindowLock.acquireOrContend(words, waiter.mode(), waiter.rank())) {
            granted(window, home, waiter);
            return;
        } else {
            waiter.postpone();
        }
        if (waiter.goesFirst()) {
            queues.addFirst(window.id(), home, waiter);
        } else {
            queues.add(window.id(), home, waiter);
        }
    }

    private void check(NodeSegment window, int home) {
        WindowLock.check(window.part(home), isAwaited(window, home), ranks,
            () -> "the lock of rank " + home + " in " + window.path());
    }

    /**
     * Looks whether the words of all locks for which somebody waits are as they must be: of one that has been
     * overwritten nobody would tell. The time depends on how many locks are waited for.
     *
     * @throws org.tributary.wire.shm.DamagedMemoryException when one is not
     */
    void check(SegmentRegistry segments) {
        queues.forEach((id, home) -> check(segments.find(id), (int) home));
    }

    /** A rank has taken a lock, here or, being of another node, on another event loop. */
    void held(NodeSegment window, int home, LockMode mode, int rank) {
        queues.held(window.id(), home, rank);
        if (mode == LockMode.SHARED && !queues.isLocal(rank)) {
            window.sharedByOthers(home).add(rank);
        }
    }

    private void granted(NodeSegment window, int home, Waiter waiter) {
        if (waiter.keepsLock()) {
            held(window, home, waiter.mode(), waiter.rank());
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
        queues.released(window.id(), home, rank);
        window.sharedByOthers(home).remove(rank);
        release(window.part(home), mode, rank);
        passOn(window, home);
        return true;
    }

    private boolean holds(NodeSegment window, int home, LockMode mode, int rank) {
        MemorySegment words = window.part(home);
        if (mode == LockMode.EXCLUSIVE) {
            return WindowLock.exclusiveHolder(words) == rank;
        }
        IntHashSet others = window.sharedByOthers(home);
        if (!queues.isLocal(rank)) {
            return others.contains(rank);
        }
        // Those who leave are counted before they release the word, and those who enter after they have taken it. So
        // too few of them are counted here rather than too many, and nobody who holds the lock is refused.
        int entered = window.enteredOnLoops(home);
        int holders = WindowLock.sharedHolders(words);
        return holders > others.size() + entered - window.leftOnLoops(home);
    }

    /** A word whose last holder a faulty client of the node has released by mistake is left alone. */
    private static void release(MemorySegment words, LockMode mode, int rank) {
        if (!WindowLock.tryRelease(words, mode, rank) && WindowLock.isContended(words)
            && (mode == LockMode.EXCLUSIVE || WindowLock.sharedHolders(words) > 0)) {
            WindowLock.releaseContended(words, mode);
        }
    }

    /** Grants to the head of the queue, and to those behind it, as long as holders allow it. */
    public void passOn(NodeSegment window, int home) {
        MemorySegment words = window.part(home);
        Waiter head = queues.peek(window.id(), home);
        while (head != null && WindowLock.admits(words, head.mode()) && head.prepare()) {
            queues.poll(window.id(), home);
            WindowLock.handOver(words, head.mode(), head.rank(), isAwaited(window, home));
            granted(window, home, head);
            head = queues.peek(window.id(), home);
        }
    }

    /**
     * A rank is gone: it waits for nothing any more, and what it is known to hold goes to the next. The time depends on
     * what it has, and, for a rank of the node, on how many locks the node has: those it takes without the server.
     */
    public void rankGone(int rank, SegmentRegistry segments) {
        queues.rankGone(rank, segments, SegmentKind.WINDOW, (window, home) -> forget(window, home, rank),
            (id, home) -> forget(segments.find(id), (int) home, rank));
    }

    /** A window is freed, whoever waits for one of its locks. */
    public void removed(long window) {
        queues.forgetSegment(window);
    }

    private void forget(NodeSegment window, int home, int rank) {
        boolean wasAwaited = isAwaited(window, home);
        queues.drop(window.id(), home, rank, Waiter::dropped);
        if (wasAwaited && !isAwaited(window, home)) {
            WindowLock.settle(window.part(home));
        }
        if (window.sharedByOthers(home).contains(rank)) {
            unlock(window, home, LockMode.SHARED, rank);
        } else if (!unlock(window, home, LockMode.EXCLUSIVE, rank)) {
            passOn(window, home); // a writer that waited no longer keeps out the readers behind it
        }
    }

    private boolean isAwaited(NodeSegment window, int home) {
        return queues.isAwaited(window.id(), home);
    }

    int waiting() {
        return queues.waiting();
    }
}

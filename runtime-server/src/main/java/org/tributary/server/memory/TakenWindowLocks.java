package org.tributary.server.memory;

import org.agrona.collections.Int2IntHashMap;
import org.agrona.collections.Long2ObjectHashMap;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.shm.WindowLock;

/**
 * Locks of RMA windows of this node that a rank of another one holds, and has taken on an event loop that is not the
 * main one: by compare-and-swap, as ranks of the node do without a server. For the rank, a lock is in one of these
 * states, which this knows, and {@link WindowLocks} those of the last two in detail:
 *
 * <pre>
 *   nothing  -- tryLock, own loop ----------> here, shared or exclusive     nobody waits, no holder excludes the mode
 *   here     -- tryUnlock, own loop --------> nothing                       nobody waits
 *   here     -- tellMain, main loop --------> of the main loop              any request about it that was handed over;
 *                                                                           the rank's departure
 *   nothing  -- asks, main loop ------------> of the main loop              held, or waited for
 *   of the main loop -- forgets, main loop -> nothing                       released
 * </pre>
 *
 * <p>Only the word is shared, and the counts of readers that the main loop does not know ({@link
 * NodeSegment#enteredOnLoop}). Whoever waits has made the word contended, and then no compare-and-swap here succeeds:
 * nobody is overtaken, and the release goes to the main loop, which passes the lock on. That compare-and-swap succeeds
 * says enough for an exclusive lock: a free word is one that this rank neither holds nor waits for. A reader could take
 * one twice, so a lock that is the main loop's is not taken here. Owned by the loop of the rank's connection; the main
 * one has it while it does work for the connection, and after its end.
 */
public final class TakenWindowLocks {
    private static final int NOTHING = 0;
    private static final int SHARED = 1;
    private static final int EXCLUSIVE = 2;
    private static final int OF_MAIN = 3;

    /** The states of a window's locks, by the rank of the part. */
    private record OfWindow(NodeSegment window, Int2IntHashMap states) {
    }

    private final int rank;
    private final Long2ObjectHashMap<OfWindow> windows = new Long2ObjectHashMap<>();

    /** None yet, of that rank. */
    public TakenWindowLocks(int rank) {
        this.rank = rank;
    }

    private int state(NodeSegment window, int home) {
        OfWindow known = windows.get(window.id());
        return known == null || known.window != window ? NOTHING : known.states.get(home);
    }

    private void set(NodeSegment window, int home, int state) {
        OfWindow known = windows.get(window.id());
        if (known == null || known.window != window) {
            if (state == NOTHING) {
                return;
            }
            windows.values().removeIf(other -> other.window.isRemoved());
            known = new OfWindow(window, new Int2IntHashMap(NOTHING));
            windows.put(window.id(), known);
        }
        if (state == NOTHING) {
            known.states.remove(home);
        } else {
            known.states.put(home, state);
        }
    }

    private static int of(LockMode mode) {
        return mode == LockMode.SHARED ? SHARED : EXCLUSIVE;
    }

    /** Takes a lock that this rank has nothing to do with, if nobody waits for it and no holder excludes the mode. */
    public boolean tryLock(NodeSegment window, int home, LockMode mode) {
        boolean isTaken = tryEnter(window, home, mode);
        if (isTaken) {
            set(window, home, of(mode));
        }
        return isTaken;
    }

    /** Releases a lock that was taken here in this mode, if nobody waits for it; false for the main loop to do so. */
    public boolean tryUnlock(NodeSegment window, int home, LockMode mode) {
        if (state(window, home) != of(mode) || !tryLeave(window, home, mode)) {
            return false;
        }
        set(window, home, NOTHING);
        return true;
    }

    /** As {@link #tryLock}, for an operation that ends with {@link #tryLeave} before anything else happens. */
    public boolean tryEnter(NodeSegment window, int home, LockMode mode) {
        if (state(window, home) != NOTHING || !WindowLock.tryAcquire(window.part(home), mode, rank)) {
            return false;
        }
        if (mode == LockMode.SHARED) {
            window.enteredOnLoop(home);
        }
        return true;
    }

    /** Releases what {@link #tryEnter} has taken; false for {@link #leave}. */
    public boolean tryLeave(NodeSegment window, int home, LockMode mode) {
        if (mode == LockMode.EXCLUSIVE) {
            return WindowLock.tryRelease(window.part(home), mode, rank);
        }
        // Before the word: a reader of the node that gives back what it does not hold may be believed for a moment,
        // and none that does is refused.
        window.leftOnLoop(home);
        boolean isReleased = WindowLock.tryRelease(window.part(home), mode, rank);
        if (!isReleased) {
            window.enteredOnLoop(home);
        }
        return isReleased;
    }

    /** Releases what {@link #tryEnter} has taken, since somebody waits by now. On the main loop. */
    public void leave(WindowLocks locks, NodeSegment window, int home, LockMode mode) {
        if (mode == LockMode.SHARED) {
            window.leftOnLoop(home);
        }
        locks.release(window, home, mode, rank);
        locks.passOn(window, home);
    }

    /** The main loop is to decide about a lock, and has to know first whether the rank holds it. On that loop. */
    public void tellMain(WindowLocks locks, NodeSegment window, int home) {
        int state = state(window, home);
        if (state == SHARED || state == EXCLUSIVE) {
            set(window, home, OF_MAIN);
            tell(locks, window, home, state);
        }
    }

    private void tell(WindowLocks locks, NodeSegment window, int home, int state) {
        if (state == SHARED) {
            window.leftOnLoop(home);
        }
        locks.held(window, home, state == SHARED ? LockMode.SHARED : LockMode.EXCLUSIVE, rank);
    }

    /** The rank asks the main loop for a lock, to keep it: nothing of it is decided here. On the main loop. */
    public void asks(NodeSegment window, int home) {
        set(window, home, OF_MAIN);
    }

    /** The rank has nothing to do with a lock any more that was the main loop's. On that loop. */
    public void forgets(NodeSegment window, int home) {
        set(window, home, NOTHING);
    }

    /**
     * The rank leaves, or its connection has ended: the main loop is to know what it holds of the windows that have not
     * been freed meanwhile. On that loop.
     */
    public void tellMain(WindowLocks locks) {
        windows.values().forEach(known -> {
            if (!known.window.isRemoved()) {
                known.states.forEach((home, state) -> {
                    if (state != OF_MAIN) {
                        tell(locks, known.window, home, state);
                    }
                });
            }
        });
        windows.clear();
    }
}

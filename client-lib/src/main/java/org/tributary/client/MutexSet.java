package org.tributary.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.agrona.collections.LongHashSet;
import org.tributary.client.connection.Contended;
import org.tributary.client.connection.ServerLink;
import org.tributary.client.error.InvalidAddressException;
import org.tributary.client.error.MutexStateException;
import org.tributary.client.error.WaitInterruptedException;
import org.tributary.client.link.Links;
import org.tributary.client.remote.RemoteAccess;
import org.tributary.client.segment.SegmentAccess;
import org.tributary.wire.shm.MutexWord;
import org.tributary.wire.shm.Trace;
import org.tributary.wire.shm.TraceOperation;
import org.tributary.wire.shm.WaitKind;

/**
 * Mutexes, some at each rank. They belong to ranks, not to threads, and are not reentrant. A contended mutex goes to
 * the rank that asked first. An uncontended one on the own node is taken and released without any message. A rank that
 * leaves or dies releases what it holds. Locking orders memory of the own node; for memory elsewhere, fence before
 * unlocking.
 *
 * <p>Thread-safe.
 */
public final class MutexSet implements AutoCloseable {
    private final RemoteAccess access;
    private final GlobalMemory memory;
    private final SegmentAccess words;
    private final LongHashSet heldElsewhere = new LongHashSet();
    /** Contended mutexes of this node that this rank has released; their words may still name it as the holder. */
    private final LongHashSet released = new LongHashSet();
    private volatile boolean anyReleased;

    MutexSet(RemoteAccess access, GlobalMemory memory) {
        this.access = access;
        this.memory = memory;
        this.words = memory.segment();
    }

    /** Mutexes at a rank. */
    public int count(int rank) {
        return (int) (words.bytes(rank) / MutexWord.STRIDE);
    }

    /**
     * Acquires a mutex, waiting as long as it takes.
     *
     * @throws MutexStateException      when this rank holds it already
     * @throws InvalidAddressException  when there is no such mutex
     * @throws WaitInterruptedException when the calling thread is interrupted while it waits; when the turn of this
     *                                  rank comes all the same, the mutex goes on to the next
     */
    public void lock(int rank, int index) {
        lock(rank, index, false);
    }

    /** Acquires a mutex if it is free; false when it is not. May throw what {@link #lock} does. */
    public boolean tryLock(int rank, int index) {
        return lock(rank, index, true);
    }

    private boolean lock(int rank, int index, boolean attempt) {
        long offset = check(rank, index);
        try {
            MemorySegment local = words.part(rank);
            if (local == null || !MutexWord.tryAcquire(local, offset, access.rank())) {
                if (!contend(local, rank, index, offset, attempt)) {
                    return false;
                }
            }
            acquired(local, rank, index);
            return true;
        } catch (IllegalStateException e) {
            throw words.translate(e);
        }
    }

    /** The mutex is not free, or of another node. */
    private boolean contend(MemorySegment local, int rank, int index, long offset, boolean attempt) {
        Contended what = new Contended(WaitKind.MUTEX, rank, words.id(), index);
        if (access.isGrantDue(what)) { // then the word does not tell whether the program holds the mutex
            if (local == null) {
                refuseIfHeld(rank, index, null, offset);
            }
            if (attempt) {
                return false;
            }
            access.awaitGiveBack(what);
        }
        refuseIfHeld(rank, index, local, offset);
        return !(attempt && local != null) && request(what, local != null, offset, attempt);
    }

    /** After a release that the server has not seen yet, this comes to it on the same connection, and so later. */
    private boolean request(Contended what, boolean isHere, long offset, boolean attempt) {
        long beganNs = Trace.now(access.node().trace());
        int rank = what.rank();
        boolean granted = access.request(what,
            (link, reply) -> link.writer().lock(reply, words.id(), rank, offset, attempt),
            () -> giveBack(what, isHere, offset));
        recordLock(beganNs, rank, offset);
        return granted;
    }

    /** The rank has been granted a mutex for which no call waits any more; the set may be closed here meanwhile. */
    private void giveBack(Contended what, boolean isHere, long offset) {
        if (isHere) {
            synchronized (heldElsewhere) {
                released.add(key(what.rank(), (int) what.index()));
                anyReleased = true;
            }
        }
        release(what.rank(), offset, true);
    }

    private void recordLock(long beganNs, int rank, long offset) {
        Trace trace = access.node().trace();
        if (trace != null) {
            trace.answered(TraceOperation.LOCK, beganNs, System.nanoTime() - beganNs, rank, 0, words.id(),
                offset / MutexWord.STRIDE);
        }
    }

    /**
     * Releases a mutex.
     *
     * @throws MutexStateException when this rank does not hold it
     */
    public void unlock(int rank, int index) {
        long offset = check(rank, index);
        try {
            unlock(rank, index, offset);
        } catch (IllegalStateException e) {
            throw words.translate(e);
        }
    }

    private void unlock(int rank, int index, long offset) {
        MemorySegment local = words.part(rank);
        if (local != null && MutexWord.tryRelease(local, offset, access.rank())) {
            return;
        }
        if (!giveUp(local, rank, index, offset)) {
            throw new MutexStateException("rank " + access.rank() + " does not hold mutex " + index + " of rank " + rank
                + (local == null ? "" : ", " + (MutexWord.holder(local, offset) < 0 ? "nobody does"
                    : "rank " + MutexWord.holder(local, offset) + " does")));
        }
        release(rank, offset, false);
    }

    /** Has the server release a mutex; {@code isLate}: one that no call waited for any more. */
    private void release(int rank, long offset, boolean isLate) {
        Trace trace = access.node().trace();
        long beganNs = trace == null ? 0 : trace.beginOneWay(TraceOperation.UNLOCK, 0);
        Links links = access.links();
        links.lock().lock();
        try {
            ServerLink link = links.connectTo(access.topology().nodeOf(rank), 0);
            try {
                link.writer().unlock(words.id(), rank, offset);
            } catch (IOException e) {
                throw link.broke(e);
            }
            if (isLate) {
                link.issuedGiveBack(words.id());
            } else {
                link.issuedOneWay(false, true);
            }
            link.flush();
            if (trace != null) {
                trace.endOneWay(TraceOperation.UNLOCK, beganNs, rank, 0, words.id(), offset / MutexWord.STRIDE);
            }
        } finally {
            links.lock().unlock();
        }
    }

    /**
     * Closes the mutexes; collective over the group that created them, but waits for no other member, as {@link
     * GlobalMemory#close}. A mutex that this rank holds then stays locked: no other rank gets it any more.
     */
    @Override
    public void close() {
        memory.close();
    }

    private long check(int rank, int index) {
        long offset = MutexWord.offset(index);
        if (index < 0 || offset >= words.bytes(rank)) {
            throw new InvalidAddressException("no such mutex", rank, words.id(), offset, Long.BYTES, count(rank));
        }
        words.checkNotClosed();
        return offset;
    }

    private void refuseIfHeld(int rank, int index, MemorySegment local, long offset) {
        if (isHeld(local, rank, index, offset)) {
            throw new MutexStateException("rank " + access.rank() + " holds mutex " + index + " of rank " + rank
                + " already");
        }
    }

    private boolean isHeld(MemorySegment local, int rank, int index, long offset) {
        synchronized (heldElsewhere) {
            return local == null ? heldElsewhere.contains(key(rank, index))
                : MutexWord.holder(local, offset) == access.rank() && !released.contains(key(rank, index));
        }
    }

    private void acquired(MemorySegment local, int rank, int index) {
        if (local != null && !anyReleased) {
            return; // the usual case on the node costs no lock
        }
        synchronized (heldElsewhere) {
            if (local == null) {
                heldElsewhere.add(key(rank, index));
            } else {
                released.remove(key(rank, index));
                anyReleased = !released.isEmpty();
            }
        }
    }

    /** Notes the release of a mutex that only its server can pass on; false when it was not held. */
    private boolean giveUp(MemorySegment local, int rank, int index, long offset) {
        synchronized (heldElsewhere) {
            if (local == null) {
                return heldElsewhere.remove(key(rank, index));
            }
            if (MutexWord.holder(local, offset) != access.rank() || !released.add(key(rank, index))) {
                return false;
            }
            anyReleased = true;
            return true;
        }
    }

    private static long key(int rank, int index) {
        return (long) rank << 32 | index;
    }
}

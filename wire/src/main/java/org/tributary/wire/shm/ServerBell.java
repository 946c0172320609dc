package org.tributary.wire.shm;

import java.lang.foreign.MemorySegment;

/**
 * How ranks tell their server that there is something in a {@link RequestRing}: one count for all of them, so that a
 * server that polls looks at one word. A server that is about to block says so; a rank that rings then has to wake it.
 *
 * <pre>
 *   0          4         8
 *   +----------+---------+----
 *   | bell     | asleep  | unused to the end of the cache line
 *   | int32    | int32   |
 *   +----------+---------+----
 * </pre>
 *
 * <p>No wake-up is lost: the server says that it sleeps (full fence) before it looks at the bell a last time; a
 * rank publishes, adds to the bell (full fence), then looks whether the server sleeps. One of the two sees the
 * other (Dekker's argument, as in {@link Doorbell}). Each sleep has a number, and each rank that finds the server
 * asleep wakes it, once a sleep: no rank relies on another one that may have been stopped before it did so.
 *
 * <p>Each side has an object of its own. Not thread-safe.
 */
public final class ServerBell {
    static final long BELL = 0;
    static final long ASLEEP = 4;

    private final MemorySegment memory;
    /** The server's latest sleep. */
    private int sleeps;
    /** The latest sleep that this rank has ended. */
    private int woken;

    /** A bell at the beginning of {@code memory}, which is cache-line aligned. */
    public ServerBell(MemorySegment memory) {
        this.memory = memory;
    }

    /** A rank has published something; true when the caller has to wake the server. */
    public boolean ring() {
        SharedWord.getAndAdd(memory, BELL, 1); // full fence between publishing and looking; partner: sleep()
        int sleep = SharedWord.getVolatile(memory, ASLEEP);
        if (sleep == 0 || sleep == woken) {
            return false;
        }
        woken = sleep;
        return true;
    }

    /** Whether the server waits to be woken. */
    public boolean isAsleep() {
        return SharedWord.getVolatile(memory, ASLEEP) != 0;
    }

    /**
     * How often it has been rung, modulo 2^32; a reader that sees a ring sees the requests that were published before
     * it.
     */
    public int rings() {
        return SharedWord.getAcquire(memory, BELL); // partner: getAndAdd in ring()
    }

    /** The server is about to block, unless the bell has been rung since it read {@code seen}; true when it may. */
    public boolean sleep(int seen) {
        sleeps = sleeps == Integer.MAX_VALUE ? 1 : sleeps + 1;
        SharedWord.getAndSet(memory, ASLEEP, sleeps); // full fence; partner: ring()
        if (SharedWord.getVolatile(memory, BELL) == seen) {
            return true;
        }
        awake();
        return false;
    }

    /** The server looks at the bell again by itself. */
    public void awake() {
        SharedWord.setRelease(memory, ASLEEP, 0);
    }
}

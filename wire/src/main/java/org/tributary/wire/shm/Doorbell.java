package org.tributary.wire.shm;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.function.BooleanSupplier;

/**
 * One rank's place to sleep. A rank that waits for something in shared memory sleeps on its own doorbell, and a process
 * that changes something for which the rank may wait rings it afterwards. Ringing costs no system call while nobody
 * sleeps.
 *
 * <pre>
 *   0          4         8
 *   +----------+---------+----
 *   | bell     | sleepers| unused to the end of the cache line
 *   | int32    | int32   |
 *   +----------+---------+----
 * </pre>
 *
 * <p>No wake-up is lost: a sleeper counts itself in (full fence) before it looks at its condition a last time; a ringer
 * changes the condition, then fences, then looks at the count. One of the two sees the other (Dekker's argument). A
 * sleeper that dies leaves the count too high, which costs later ringers a system call and nothing else.
 *
 * <p>Thread-safe; several threads of a rank may sleep at once.
 */
public final class Doorbell {
    public static final int BYTES = 64;
    static final long BELL = 0;
    static final long SLEEPERS = 4;

    private final MemorySegment memory;
    private final MemorySegment bell;

    /** A doorbell at the beginning of {@code memory}, which is cache-line aligned. */
    public Doorbell(MemorySegment memory) {
        this.memory = memory.asSlice(0, BYTES);
        this.bell = memory.asSlice(BELL, Integer.BYTES);
    }

    /** Wakes the sleepers. Call after the change that they may wait for has been stored. */
    public void ring() {
        VarHandle.fullFence(); // orders the caller's store before the load of SLEEPERS; partner: getAndAdd in sleep()
        if (SharedWord.getVolatile(memory, SLEEPERS) != 0) {
            SharedWord.getAndAdd(memory, BELL, 1);
            Futex.ofThread().wakeAll(bell);
        }
    }

    /** Sleeps until rung, at most {@code timeoutNs}, unless the condition holds already; may return early. */
    public void sleep(BooleanSupplier condition, long timeoutNs) {
        SharedWord.getAndAdd(memory, SLEEPERS, 1); // full fence; partner: ring()
        try {
            int ticket = SharedWord.getVolatile(memory, BELL);
            if (!condition.getAsBoolean()) {
                Futex.ofThread().await(bell, ticket, timeoutNs);
            }
        } finally {
            SharedWord.getAndAdd(memory, SLEEPERS, -1);
        }
    }
}

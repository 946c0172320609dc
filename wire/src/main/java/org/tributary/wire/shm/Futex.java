package org.tributary.wire.shm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.tributary.wire.libc.CFunction;

/**
 * Waiting in the kernel for a 4-byte word of shared memory to change (futex(2), process-shared form). Waking is
 * thread-safe and stateless; each waiting thread uses its own {@code Futex}.
 */
public final class Futex {
    private static final int WAIT = 0;
    private static final int WAKE = 1;
    private static final ThreadLocal<Futex> OF_THREAD = ThreadLocal.withInitial(Futex::new);

    private final MemorySegment timeout;
    private final MemorySegment errno;

    private Futex() {
        Arena arena = Arena.ofAuto();
        timeout = arena.allocate(2 * Long.BYTES, Long.BYTES);
        errno = arena.allocate(CFunction.errnoBytes(), Long.BYTES);
    }

    /** The calling thread's own instance. */
    public static Futex ofThread() {
        return OF_THREAD.get();
    }

    /**
     * Blocks while the word holds {@code expected}, at most {@code timeoutNs}; may return early.
     *
     * @param word 4 bytes, 4-byte aligned, of mapped memory
     */
    public void await(MemorySegment word, int expected, long timeoutNs) {
        timeout.set(ValueLayout.JAVA_LONG, 0, timeoutNs / 1_000_000_000L);
        timeout.set(ValueLayout.JAVA_LONG, Long.BYTES, timeoutNs % 1_000_000_000L);
        int result = SystemCalls.futex(word, WAIT, expected, timeout, errno);
        if (result < 0 && result != -SystemCalls.EAGAIN && result != -SystemCalls.EINTR
            && result != -SystemCalls.ETIMEDOUT) {
            throw new IllegalStateException("futex wait failed with errno " + -result);
        }
    }

    public void wakeAll(MemorySegment word) {
        int result = SystemCalls.futex(word, WAKE, Integer.MAX_VALUE, MemorySegment.NULL, errno);
        if (result < 0) {
            throw new IllegalStateException("futex wake failed with errno " + -result);
        }
    }
}

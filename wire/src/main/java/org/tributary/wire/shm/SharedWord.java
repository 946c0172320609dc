package org.tributary.wire.shm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Ordered and atomic access to words of mapped memory. Offsets must be multiples of the word's size. An access to
 * memory whose file has been truncated throws an {@link InternalError}. A compare-and-swap that the JVM interprets
 * would end the process instead, unlike a load: each is preceded by one.
 */
public final class SharedWord {
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private SharedWord() {
    }

    /** Acquire load; partner: {@link #setRelease(MemorySegment, long, int)}. */
    public static int getAcquire(MemorySegment memory, long offset) {
        return (int) INT.getAcquire(memory, offset);
    }

    /** Release store; partner: {@link #getAcquire(MemorySegment, long)}. */
    public static void setRelease(MemorySegment memory, long offset, int value) {
        INT.setRelease(memory, offset, value);
    }

    /** Sequentially consistent load. */
    public static int getVolatile(MemorySegment memory, long offset) {
        return (int) INT.getVolatile(memory, offset);
    }

    /** Full-fence compare-and-swap of an int; true when it took place. */
    public static boolean compareAndSet(MemorySegment memory, long offset, int expected, int value) {
        probe(memory, offset);
        return INT.compareAndSet(memory, offset, expected, value);
    }

    /** Full-fence compare-and-swap of an int; returns what was there. */
    public static int compareAndExchange(MemorySegment memory, long offset, int expected, int value) {
        probe(memory, offset);
        return (int) INT.compareAndExchange(memory, offset, expected, value);
    }

    /** Full-fence addition; returns what was there. */
    public static int getAndAdd(MemorySegment memory, long offset, int delta) {
        return (int) INT.getAndAdd(memory, offset, delta);
    }

    /** Full-fence exchange; returns what was there. */
    public static int getAndSet(MemorySegment memory, long offset, int value) {
        return (int) INT.getAndSet(memory, offset, value);
    }

    /** Acquire load; partner: {@link #setLongRelease}. */
    public static long getLongAcquire(MemorySegment memory, long offset) {
        return (long) LONG.getAcquire(memory, offset);
    }

    /** Release store; partner: {@link #getLongAcquire}. */
    public static void setLongRelease(MemorySegment memory, long offset, long value) {
        LONG.setRelease(memory, offset, value);
    }

    /** Full-fence compare-and-swap of a long; true when it took place. */
    public static boolean compareAndSetLong(MemorySegment memory, long offset, long expected, long value) {
        probeLong(memory, offset);
        return LONG.compareAndSet(memory, offset, expected, value);
    }

    /** Full-fence compare-and-swap of a long; returns what was there. */
    public static long compareAndExchangeLong(MemorySegment memory, long offset, long expected, long value) {
        probeLong(memory, offset);
        return (long) LONG.compareAndExchange(memory, offset, expected, value);
    }

    /** Full-fence addition; returns what was there. */
    public static long getAndAddLong(MemorySegment memory, long offset, long delta) {
        return (long) LONG.getAndAdd(memory, offset, delta);
    }

    /** Full-fence exchange; returns what was there. */
    public static long getAndSetLong(MemorySegment memory, long offset, long value) {
        return (long) LONG.getAndSet(memory, offset, value);
    }

    /** In a method of its own: at its end the JVM throws what it has noted about the load. */
    private static int probe(MemorySegment memory, long offset) {
        return (int) INT.getOpaque(memory, offset);
    }

    private static long probeLong(MemorySegment memory, long offset) {
        return (long) LONG.getOpaque(memory, offset);
    }
}

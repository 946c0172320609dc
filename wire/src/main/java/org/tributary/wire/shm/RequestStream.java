package org.tributary.wire.shm;

import java.lang.foreign.MemorySegment;

/**
 * Requests that a rank writes to memory, as its server reads them: a stream of bytes. Others may write to the memory at
 * any time, so a reader copies bytes before it looks at them. Not thread-safe.
 */
public interface RequestStream {
    /**
     * How many bytes there are to take at least; 0 when there are none.
     *
     * @throws DamagedMemoryException when the memory holds what no rank writes
     */
    int available();

    /** Copies bytes that are {@linkplain #available available}, without taking them. */
    void copy(MemorySegment target, int length);

    /** Gives the room of so many bytes back to the writer. */
    void take(int length);
}

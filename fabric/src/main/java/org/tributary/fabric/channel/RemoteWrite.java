package org.tributary.fabric.channel;

import java.lang.foreign.MemorySegment;

/** Network of a channel: writes into the memory of the other side. One thread at a time uses it. */
public interface RemoteWrite {
    /** Memory that can be written from. */
    interface Source {
        /** The memory, aligned to 8 bytes. */
        MemorySegment memory();
    }

    /** Memory for one message, until {@link #release}; null when there is none before others are written. */
    Source claim(int bytes);

    /**
     * Writes part of a source to that offset of the other side's memory. The source keeps its content until the other
     * side has taken it. Writes of a channel begin in the order of the calls. A network that fails says so elsewhere.
     */
    void write(Source source, int from, int length, int at);

    /** Writes, and tells the other side 16 bits when it has all bytes, even if it also gets others before or twice. */
    void writeWithData(Source source, int from, int length, int at, int data);

    /**
     * Throws what has broken the network to the other side, of which nothing more can come: who waits for credit or
     * messages waits in vain.
     */
    void check();

    /** No more writes from a claimed source: when those before are complete, it is for others. */
    void release(Source source);
}

package org.tributary.client.link;

import java.lang.foreign.MemorySegment;

/** Takes the concatenated answer to a vector get apart. Guarded by the lock of {@link Links}. */
public interface RangeCursor {
    /** Copies the next {@code length} bytes of the answer to where they belong. */
    void scatter(MemorySegment source, long offset, long length);

    /** Bytes still to come. */
    long remaining();
}

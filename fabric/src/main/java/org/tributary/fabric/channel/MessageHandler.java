package org.tributary.fabric.channel;

import java.lang.foreign.MemorySegment;

/** Is given messages by {@link Channel#poll}. It may send, but must not poll. */
@FunctionalInterface
public interface MessageHandler {
    /** A message: {@code length} bytes from {@code offset} on, only until the method returns. */
    void message(MemorySegment memory, long offset, int length);
}

package org.tributary.server;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;

/** Buffers for replies, shared by all connections of a loop: idle connections hold none. Owned by the event loop. */
final class ReplyBufferPool {
    static final int BUFFER_BYTES = 64 * 1024;

    private final Arena arena;
    private final ArrayDeque<ReplyBuffer> free = new ArrayDeque<>();
    private final ArrayDeque<ReplyBuffer> sending = new ArrayDeque<>();
    private int count;

    ReplyBufferPool(Arena arena) {
        this.arena = arena;
    }

    ReplyBuffer take() {
        reclaim();
        ReplyBuffer buffer = free.pollFirst();
        if (buffer == null) {
            count++;
            buffer = new ReplyBuffer(BUFFER_BYTES, arena);
        }
        return buffer;
    }

    /** Gives back a buffer whose bytes may still be on their way to a socket. */
    void giveBack(ReplyBuffer buffer) {
        if (buffer.isFree()) {
            free.addFirst(buffer);
        } else {
            sending.addLast(buffer);
        }
    }

    private void reclaim() {
        for (int i = sending.size(); i > 0; i--) {
            giveBack(sending.pollFirst());
        }
    }

    /** Buffers made so far. */
    int count() {
        return count;
    }
}

package org.tributary.server.io;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Buffers for replies, shared by all connections of a loop: idle connections hold none. A buffer whose bytes are still
 * on their way to a socket comes back by itself when they have left, so that nobody looks for it. Owned by the event
 * loop.
 */
public final class ReplyBufferPool {
    static final int BUFFER_BYTES = 64 * 1024;

    /** From so many on that wait for sockets, 32 MiB on all loops, each connection keeps few. */
    static final int MANY = 512;

    private final Arena arena;
    private final int loop;
    private final AtomicInteger sendingOfAll;
    private final ArrayDeque<ReplyBuffer> free = new ArrayDeque<>();
    private int sending;
    private int count;

    /** That of a server's only loop. */
    public ReplyBufferPool(Arena arena) {
        this(arena, 0, new AtomicInteger());
    }

    /** That of one of several loops, which together have so many buffers that wait for sockets. */
    public ReplyBufferPool(Arena arena, int loop, AtomicInteger sendingOfAll) {
        this.arena = arena;
        this.loop = loop;
        this.sendingOfAll = sendingOfAll;
    }

    /** The number of the loop whose connections share it. */
    int loop() {
        return loop;
    }

    public ReplyBuffer take() {
        ReplyBuffer buffer = free.pollFirst();
        if (buffer == null) {
            count++;
            buffer = new ReplyBuffer(BUFFER_BYTES, arena, this::sent);
        }
        return buffer;
    }

    /** Gives back a buffer whose bytes may still be on their way to a socket. */
    public void giveBack(ReplyBuffer buffer) {
        if (buffer.giveBack()) {
            free.addFirst(buffer);
        } else {
            sending++;
            sendingOfAll.incrementAndGet();
        }
    }

    private void sent(ReplyBuffer buffer) {
        sending--;
        sendingOfAll.decrementAndGet();
        free.addFirst(buffer);
    }

    /** Whether so many wait for sockets that a connection whose answers are not taken should hold few. */
    boolean isScarce() {
        return sendingOfAll.get() > MANY;
    }

    /** Buffers made so far; any thread, to which it may be a moment old. */
    public int count() {
        return count;
    }

    /** Buffers that wait for a socket to take them; any thread, to which it may be a moment old. */
    public int sending() {
        return sending;
    }
}

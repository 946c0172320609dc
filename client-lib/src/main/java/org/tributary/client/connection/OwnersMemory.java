package org.tributary.client.connection;

import java.lang.foreign.MemorySegment;

/**
 * Memory of one thread, such as that of a confined arena, in which another thread stores an answer that its owner waits
 * for: whichever thread waits reads for all. The owner must keep it until it has waited; memory that is closed is found
 * here unless that happens at the very moment.
 */
public final class OwnersMemory {
    private static final Thread NOBODY = Thread.ofPlatform().unstarted(() -> { });

    private OwnersMemory() {
    }

    /**
     * The memory as the calling thread may use it.
     *
     * @throws IllegalStateException when it has been closed
     */
    public static MemorySegment reachable(MemorySegment memory) {
        return memory.isAccessibleBy(Thread.currentThread()) ? memory : view(memory);
    }

    /** The same for threads of which none is known yet. */
    static MemorySegment reachableByAll(MemorySegment memory) {
        return isOwned(memory) ? view(memory) : memory;
    }

    /** Whether it belongs to one thread, which alone can close it. */
    public static boolean isOwned(MemorySegment memory) {
        return !memory.isAccessibleBy(NOBODY);
    }

    @SuppressWarnings("restricted") // of the same memory, and no longer than that
    private static MemorySegment view(MemorySegment memory) {
        checkOpen(memory);
        MemorySegment view = MemorySegment.ofAddress(memory.address()).reinterpret(memory.byteSize());
        return memory.isReadOnly() ? view.asReadOnly() : view;
    }

    /** Throws when it has been closed. */
    static void checkOpen(MemorySegment memory) {
        if (!memory.scope().isAlive()) {
            throw new IllegalStateException("memory has been closed before its operation was complete");
        }
    }
}

package org.tributary.client.adapter;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.tributary.client.connection.OwnersMemory;

/** Memory that callers pass. */
final class CallersMemory {
    private CallersMemory() {
    }

    /**
     * Whether nobody can free it while this thread, which may use it, is in a call. Memory of a shared arena can be
     * freed by any thread, and that of an automatic one looks the same.
     */
    static boolean stays(MemorySegment memory) {
        return memory.isNative() && memory.isAccessibleBy(Thread.currentThread())
            && (OwnersMemory.isOwned(memory) || memory.scope().equals(Arena.global().scope()));
    }
}

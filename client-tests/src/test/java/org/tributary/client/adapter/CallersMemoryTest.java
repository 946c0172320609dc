package org.tributary.client.adapter;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** Whose memory the adapter may use while the caller waits. */
class CallersMemoryTest {
    private static final int BYTES = 100;

    @Test
    void shouldStayWhenOnlyTheCallerCanFreeIt() throws Exception {
        try (Arena arena = Arena.ofConfined(); ExecutorService other = Executors.newSingleThreadExecutor()) {
            MemorySegment own = arena.allocate(BYTES);
            assertTrue(CallersMemory.stays(own));
            assertTrue(CallersMemory.stays(own.asSlice(5, 7)));
            assertFalse(other.submit(() -> CallersMemory.stays(own)).get());
        }
    }

    @Test
    void shouldStayWhenNobodyCanFreeIt() {
        assertTrue(CallersMemory.stays(Arena.global().allocate(BYTES)));
    }

    @Test
    void shouldNotStayWhenOthersCanFreeItOrItMoves() {
        try (Arena arena = Arena.ofShared()) {
            assertFalse(CallersMemory.stays(arena.allocate(BYTES)));
        }
        assertFalse(CallersMemory.stays(Arena.ofAuto().allocate(BYTES)));
        assertFalse(CallersMemory.stays(MemorySegment.ofArray(new byte[BYTES])));
    }
}

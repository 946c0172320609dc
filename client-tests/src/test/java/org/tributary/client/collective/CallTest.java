package org.tributary.client.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.tributary.wire.shm.CallLayout;
import org.tributary.wire.shm.Purpose;

class CallTest {
    private final MemorySegment memory = Arena.ofAuto().allocate(CallLayout.BYTES, Long.BYTES);
    private final Call own = new Call(memory);

    private String seenByOthers() {
        Call seen = new Call(memory);
        assertTrue(seen.read());
        return seen.describe();
    }

    @Test
    void shouldBeNamedInFullWhenItHasFailedHereBeforeOthersLook() {
        own.during(Purpose.ALLOCATE, 0, "array of LONG [5]");
        own.set(CallLayout.ALLGATHER, null, -1, 16);
        own.begin(4);
        own.itself();
        assertEquals("allocate array of LONG [5] (allgather of 16 bytes each), call 4", seenByOthers());
    }

    @Test
    void shouldBeNamedAsWhatItIsWhenItIsNoStepOfAnything() {
        own.during(Purpose.ALLOCATE, 0, "array of LONG [5]");
        own.set(CallLayout.ALLGATHER, null, -1, 16);
        own.begin(4);
        own.itself();
        own.set(CallLayout.BARRIER, null, -1, 0);
        own.begin(5);
        assertEquals("barrier, call 5", seenByOthers());
    }
}

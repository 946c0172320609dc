package org.tributary.client.connection;

import org.tributary.client.error.GasException;
import org.tributary.wire.shm.WaitKind;
import org.tributary.wire.shm.WaitSlots;

/** Something that a thread waits for. */
public interface Awaited {
    /** Asked with the lock of the links held. */
    boolean isDone();

    /** Whether the caller must not leave before it is done, as its memory may be in use. Asked without the lock. */
    default boolean holdsCaller() {
        return false;
    }

    /** What an interrupted thread throws; null when it goes on waiting. Asked without the lock, by that thread. */
    default GasException whenInterrupted() {
        return null;
    }

    /**
     * Says in the slots of this rank that the calling thread blocks for it.
     *
     * @param node whose server is to answer, or -1 for several
     */
    default int block(WaitSlots waits, int node) {
        return waits.begin(WaitKind.OPERATIONS, node, 0, 0);
    }
}

package org.tributary.client.adapter;

import org.tributary.fabric.LocalMemory;

/**
 * How the adapter uses memory of a caller itself.
 *
 * @param memory whose offsets are addresses
 * @param isOwn  whether it is the transfer's alone, and ends with it
 */
record Direct(LocalMemory memory, boolean isOwn) {
    /** The transfer has ended. */
    void release() {
        if (isOwn) {
            memory.close();
        }
    }
}

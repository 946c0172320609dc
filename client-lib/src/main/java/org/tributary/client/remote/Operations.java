package org.tributary.client.remote;

import org.tributary.client.connection.Awaited;

/**
 * The non-blocking operations of a process that are not complete, so that one can wait for all that were issued before,
 * whatever other threads go on issuing. They are counted in phases, two of which can be under way: a phase ends when
 * somebody waits for it and the one before it is complete. Guarded by the lock of the links.
 */
final class Operations {
    private final long[] pending = new long[2];
    private long phase;

    /** One more is on its way; what to end it with. */
    int begin() {
        int parity = (int) (phase & 1);
        pending[parity]++;
        return parity;
    }

    /** One is complete. */
    public void end(int parity) {
        pending[parity]--;
    }

    /** All that have begun so far. */
    public Awaited allSoFar() {
        long last = phase;
        return () -> endPhase(last);
    }

    /** Ends a phase if it can end; whether everything of it, and of those before it, is complete. */
    private boolean endPhase(long last) {
        if (phase == last && pending[(int) (last + 1 & 1)] == 0) {
            phase++; // its other count is free for what begins from now on
        }
        // Beyond the next phase nobody comes before this one is complete.
        return phase > last + 1 || phase == last + 1 && pending[(int) (last & 1)] == 0;
    }
}

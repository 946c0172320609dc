package org.tributary.client.remote;

import org.tributary.client.connection.Awaited;

/**
 * The non-blocking operations of a process that are not complete, so that one can wait for all that were issued before,
 * whatever other threads go on issuing. They are counted in phases, two of which can be under way: a phase ends when
 * somebody waits for it and the one before it is complete. Who ends it hands over what was issued in it, as nobody else
 * may: others can leave something in a buffer until they wait for it themselves. Guarded by the lock of the links.
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
    void end(int parity) {
        pending[parity]--;
    }

    /** The phase of what begins now. */
    long phase() {
        return phase;
    }

    /** Done when a phase has ended, or can end because the one before it is complete. */
    Awaited canEnd(long which) {
        return () -> phase > which || pending[(int) (which + 1 & 1)] == 0;
    }

    /**
     * Ends a phase if it can end and has not. The caller hands over what was issued in it, before it gives the lock
     * away.
     *
     * @return whether it has ended
     */
    boolean tryEndPhase(long which) {
        if (phase == which && pending[(int) (which + 1 & 1)] == 0) {
            phase++; // its other count is free for what begins from now on
        }
        return phase > which;
    }

    /** Done when everything of a phase that has ended, and of those before it, is complete. */
    Awaited complete(long which) {
        // Beyond the next phase nobody comes before this one is complete.
        return () -> phase > which + 1 || pending[(int) (which & 1)] == 0;
    }
}

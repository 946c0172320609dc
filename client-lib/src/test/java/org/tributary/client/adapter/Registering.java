package org.tributary.client.adapter;

import org.tributary.fabric.FabricException;

/**
 * Has a rank register memory of callers with any provider; to be called before its first transfer. Opens what is closed
 * to other packages. Stateless.
 */
public final class Registering {
    private static final int NO_MEMORY = 12;

    private Registering() {
    }

    /** As with an adapter. */
    public static void always(RankAdapter adapter) {
        adapter.registerBy(own -> own);
    }

    /** As with an adapter that refuses so many bytes and more at a time. */
    public static void lessThan(RankAdapter adapter, long bytes) {
        adapter.registerBy(own -> memory -> {
            if (memory.byteSize() >= bytes) {
                throw new FabricException("too many bytes for this test", NO_MEMORY);
            }
            return own.register(memory);
        });
    }

    /** How many transfers have used registered memory. */
    public static long transfers(RankAdapter adapter) {
        return adapter.registrations() == null ? 0 : adapter.registrations().taken();
    }

    /** How often memory has been registered. */
    public static long made(RankAdapter adapter) {
        return adapter.registrations() == null ? 0 : adapter.registrations().made();
    }

    /** How many registrations are kept. */
    public static int kept(RankAdapter adapter) {
        return adapter.registrations() == null ? 0 : adapter.registrations().count();
    }
}

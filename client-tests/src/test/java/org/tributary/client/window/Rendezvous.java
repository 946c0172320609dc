package org.tributary.client.window;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.tributary.client.Gas;
import org.tributary.client.remote.Handle;

/**
 * A barrier of the ranks of a test, which share this process, that sends nothing: what has been promised to be complete
 * must be, and is not brought about by the barrier's own messages.
 */
final class Rendezvous {
    private static final int YIELDS = 200;
    private static final long PARK_NS = 100_000;
    private static final int LOOKS = 1_000;

    private final AtomicLong arrived = new AtomicLong();

    /** As many call this as there are members, always the same ones; throws when the job has failed. */
    void await(Gas gas, int members) {
        Handle none = gas.handle();
        long all = (arrived.getAndIncrement() / members + 1) * members;
        for (int look = 1; arrived.get() < all; look++) {
            if (look < YIELDS) {
                Thread.yield();
            } else { // the processor is for ranks that still come
                LockSupport.parkNanos(PARK_NS);
            }
            if (look % LOOKS == 0) {
                none.test();
            }
        }
    }
}

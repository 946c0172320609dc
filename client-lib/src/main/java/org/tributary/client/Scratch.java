package org.tributary.client;

import org.tributary.wire.shape.StridedRegion;

/** Regions that one thread uses for one transfer at a time, so that transfers cost no garbage. */
final class Scratch {
    private static final ThreadLocal<Scratch> OF_THREAD = ThreadLocal.withInitial(Scratch::new);

    private final StridedRegion local = new StridedRegion();
    private final StridedRegion remote = new StridedRegion();

    private Scratch() {
    }

    static Scratch ofThread() {
        return OF_THREAD.get();
    }

    /** The side of the caller's buffer. */
    StridedRegion local() {
        return local;
    }

    /** The side of global memory. */
    StridedRegion remote() {
        return remote;
    }
}

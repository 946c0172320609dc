package org.tributary.client.shape;

import org.tributary.wire.shape.StridedRegion;

/** Regions that one thread uses for one transfer at a time, so that transfers cost no garbage. */
public final class Scratch {
    private static final ThreadLocal<Scratch> OF_THREAD = ThreadLocal.withInitial(Scratch::new);

    private final StridedRegion local = new StridedRegion();
    private final StridedRegion remote = new StridedRegion();

    private Scratch() {
    }

    public static Scratch ofThread() {
        return OF_THREAD.get();
    }

    /** The side of the caller's buffer. */
    public StridedRegion local() {
        return local;
    }

    /** The side of global memory. */
    public StridedRegion remote() {
        return remote;
    }
}

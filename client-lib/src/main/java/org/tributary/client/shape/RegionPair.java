package org.tributary.client.shape;

import org.tributary.wire.shape.StridedRegion;

/** The two regions that one thread uses for one transfer at a time, so that transfers cost no garbage. */
public final class RegionPair {
    private static final ThreadLocal<RegionPair> OF_THREAD = ThreadLocal.withInitial(RegionPair::new);

    private final StridedRegion local = new StridedRegion();
    private final StridedRegion remote = new StridedRegion();

    private RegionPair() {
    }

    public static RegionPair ofThread() {
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

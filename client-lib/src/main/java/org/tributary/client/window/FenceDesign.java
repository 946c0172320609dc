package org.tributary.client.window;

/** How a fence is made; n members, names as in Santhanaraman et al. (2008). */
public enum FenceDesign {
    /** Chosen for each epoch from a cost model; all members choose alike. */
    AUTO,
    /**
     * Operations are queued and issued at the closing fence, after a reduce-scatter has told each member how many
     * others will access it; the last operation to each target is counted there. No barrier; no overlap.
     */
    DEFERRED,
    /**
     * Operations are issued at once. At the fence a finish message on each channel used, a reduce-scatter, and a flag
     * to every other member; where nothing precedes, a barrier, which notices that a member has left.
     */
    IMMEDIATE_NAIVE,
    /** As naive, with a barrier in place of the flags. */
    IMMEDIATE_OPT,
    /**
     * Operations are issued at once and each is counted at its target as it is executed (Fence-Imm-RI: RDMA write with
     * immediate). At the fence an allreduce of the counts and a barrier; no finish messages.
     */
    IMMEDIATE_NOTIFY;

    /** Whether operations wait for the closing fence. */
    public boolean isDeferred() {
        return this == DEFERRED;
    }
}

package org.tributary.config;

/**
 * Where messages lie in a block of a channel of the network adapter, and how much of it each takes: the designs of
 * Koop, Sampat and Panda, "Veloblock: Efficient and Scalable RDMA Fast Path for InfiniBand".
 */
public enum ChannelDesign {
    /** Slots of one size, each filled from its top. The sender keeps a copy of the block. */
    FIXED_TOP(true, true),
    /** Slots of one size, each filled from its bottom. */
    FIXED_BOTTOM(true, false),
    /** Messages one below the other, from the top. The sender keeps a copy of the block. */
    VARIABLE_TOP(false, true),
    /** Veloblock: messages one above the other, from the bottom. */
    VARIABLE_BOTTOM(false, false);

    private final boolean fixed;
    private final boolean top;

    ChannelDesign(boolean fixed, boolean top) {
        this.fixed = fixed;
        this.top = top;
    }

    /** Whether each message takes a slot, whatever its length. */
    public boolean isFixed() {
        return fixed;
    }

    /** Whether the first byte of a message has the known place, and not the last. */
    public boolean isTop() {
        return top;
    }

    /** Its name in the paper. */
    @Override
    public String toString() {
        return EnumText.hyphenated(this);
    }
}

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

    /** Bytes of a slot in the paper: the most that a message takes. */
    public static final int SLOT_BYTES = 8 << 10;
    /** More slots than these would need more flags than there are. */
    public static final int MAX_SLOTS = 126;
    /** Of a block whose messages take what they need. */
    public static final int MAX_VARIABLE_BYTES = 1 << 16;
    private static final int FIXED_BYTES = 32 * SLOT_BYTES;
    private static final int VARIABLE_BYTES = 4 * SLOT_BYTES;

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

    /** Bytes of a block in the paper. */
    public int usualBlockBytes() {
        return fixed ? FIXED_BYTES : VARIABLE_BYTES;
    }

    /** Bytes of the largest block for requests. */
    public int maxBlockBytes() {
        return fixed ? MAX_SLOTS * SLOT_BYTES : MAX_VARIABLE_BYTES;
    }

    /** Whether a block for requests can have that size: whole slots of the paper, two at least. */
    public boolean fits(long blockBytes) {
        return blockBytes >= 2 * SLOT_BYTES && blockBytes <= maxBlockBytes() && blockBytes % SLOT_BYTES == 0;
    }

    /** Its name in the paper. */
    @Override
    public String toString() {
        return EnumText.hyphenated(this);
    }
}

package org.tributary.fabric.channel;

import org.tributary.config.ChannelDesign;

/**
 * How a block is used; the same on both sides.
 *
 * @param design     where messages lie
 * @param blockBytes of the memory that is written to
 * @param slotBytes  of a slot, or what the largest message takes; a message of n bytes needs n + 16
 */
public record ChannelShape(ChannelDesign design, int blockBytes, int slotBytes) {
    /** Before the block: the {@link Channel}'s word for credit, on a cache line of its own. */
    public static final int HEAD_BYTES = 64;
    static final int WORD = Long.BYTES;
    private static final int MAX_FIXED_BLOCK = 1 << 20;

    /**
     * Checks the sizes.
     *
     * @throws IllegalArgumentException when they do not fit each other
     */
    public ChannelShape {
        if (slotBytes < 3 * WORD || slotBytes % WORD != 0) {
            throw new IllegalArgumentException("a slot has a multiple of 8 bytes, at least 24, not " + slotBytes);
        }
        int limit = design.isFixed() ? MAX_FIXED_BLOCK : ChannelDesign.MAX_VARIABLE_BYTES;
        if (blockBytes < 2 * slotBytes || blockBytes > limit || blockBytes % WORD != 0) {
            throw new IllegalArgumentException("a block of " + design + " has a multiple of 8 bytes, from two slots, "
                + 2 * slotBytes + ", to " + limit + ", not " + blockBytes);
        }
        if (design.isFixed() && (blockBytes % slotBytes != 0 || blockBytes / slotBytes > ChannelDesign.MAX_SLOTS)) {
            throw new IllegalArgumentException("a block of " + design + " has at most " + ChannelDesign.MAX_SLOTS
                + " whole slots: " + blockBytes + " bytes are no such number of slots of " + slotBytes);
        }
    }

    /** The sizes of the paper: 32 slots of 8 KiB, or a block of 32 KiB. */
    public static ChannelShape of(ChannelDesign design) {
        return of(design, design.usualBlockBytes());
    }

    /** With slots of the paper. */
    public static ChannelShape of(ChannelDesign design, int blockBytes) {
        return new ChannelShape(design, blockBytes, ChannelDesign.SLOT_BYTES);
    }

    /** Bytes that the largest message has. */
    public int maxMessage() {
        return slotBytes - 2 * WORD;
    }

    /** Bytes of memory that the side that is written to registers. */
    public int inboundBytes() {
        return HEAD_BYTES + blockBytes;
    }

    /** Bytes that the sender keeps for the channel alone. */
    public int keptBytes() {
        return design.isTop() ? blockBytes : 0;
    }

    /** Bytes of the block that a message uses: itself, in whole words, and its word. */
    int used(int length) {
        return padded(length) + WORD;
    }

    /** Bytes of the block that later messages cannot use before this one has been taken. */
    int taken(int length) {
        return design.isFixed() ? slotBytes : used(length);
    }

    /** The unit of {@link #taken} and of credit. */
    int grain() {
        return design.isFixed() ? slotBytes : WORD;
    }

    static int padded(int length) {
        return length + WORD - 1 & -WORD;
    }
}

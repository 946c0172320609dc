package org.tributary.fabric.channel;

import java.util.Locale;

/** Where messages lie in a block, and how much of it each takes. */
public enum Design {
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

    Design(boolean fixed, boolean top) {
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
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}

package org.tributary.wire.shape;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Sums of one number, as counters and histograms take them, by registers: the arrays of {@link Reducer} are for many.
 * Operands travel as their bits. Complex elements have two numbers and do not come here.
 */
final class SingleSum {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    private SingleSum() {
    }

    /** Reads a number, whose memory may have to be paged in or be none at all, and scales it. */
    static long operand(ElementType type, long scale, MemorySegment source, long from) {
        if (type.componentBytes() == Long.BYTES) {
            long bits = source.get(LONG, from);
            return type == ElementType.LONG ? scale * bits
                : Double.doubleToRawLongBits(Double.longBitsToDouble(scale) * Double.longBitsToDouble(bits));
        }
        int bits = source.get(INT, from);
        return type == ElementType.INT ? (int) scale * bits
            : Float.floatToRawIntBits(Float.intBitsToFloat((int) scale) * Float.intBitsToFloat(bits));
    }

    /** Adds an operand where it belongs. The caller holds the lock. */
    static void add(ElementType type, MemorySegment target, long to, long operand) {
        if (type.componentBytes() == Long.BYTES) {
            long bits = target.get(LONG, to);
            target.set(LONG, to, type == ElementType.LONG ? bits + operand
                : Double.doubleToRawLongBits(Double.longBitsToDouble(bits) + Double.longBitsToDouble(operand)));
        } else {
            int bits = target.get(INT, to);
            target.set(INT, to, type == ElementType.INT ? bits + (int) operand
                : Float.floatToRawIntBits(Float.intBitsToFloat(bits) + Float.intBitsToFloat((int) operand)));
        }
    }
}

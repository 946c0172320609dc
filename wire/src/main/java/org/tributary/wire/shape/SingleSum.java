package org.tributary.wire.shape;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Sums of one number, as counters and histograms take them, by registers: the arrays of {@link Reducer} are for many.
 * Operands travel as their bits. Complex elements have two numbers and do not come here. Stateless.
 */
public final class SingleSum {
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
            target.set(LONG, to, sum(type, target.get(LONG, to), operand));
        } else {
            target.set(INT, to, (int) sum(type, target.get(INT, to), operand));
        }
    }

    /** The sum of two numbers of the type, in the low bytes of what it returns. */
    public static long sum(ElementType type, long a, long b) {
        return switch (type) {
            case INT -> (int) a + (int) b;
            case LONG -> a + b;
            case FLOAT -> Float.floatToRawIntBits(Float.intBitsToFloat((int) a) + Float.intBitsToFloat((int) b));
            case DOUBLE -> Double.doubleToRawLongBits(Double.longBitsToDouble(a) + Double.longBitsToDouble(b));
            default -> throw new IllegalArgumentException("elements of type " + type + " have two numbers");
        };
    }
}

package org.tributary.client.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/** Vectors of any type with values whose reductions are exact in any order, and the serial model of reductions. */
final class Vectors {
    private static final double[][] COMPLEX_FACTORS = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}};

    private Vectors() {
    }

    static boolean isComplex(ElementType type) {
        return type.sizeInBytes() != type.componentBytes();
    }

    /** Component c of a member's vector. */
    static double value(ReduceOp op, ElementType type, int member, long c) {
        long at = isComplex(type) ? c / 2 : c;
        long hash = mix(member * 1_000_003L + at);
        if (op == ReduceOp.PRODUCT) {
            return isComplex(type) ? COMPLEX_FACTORS[(int) Long.remainderUnsigned(hash, 5)][(int) (c % 2)]
                : new double[] {1, -1, 2}[(int) Long.remainderUnsigned(hash, 3)];
        }
        double any = mix(hash + (isComplex(type) ? c % 2 : 0)) % 1000;
        boolean isLogical = op == ReduceOp.LOGICAL_AND || op == ReduceOp.LOGICAL_OR || op == ReduceOp.LOGICAL_XOR;
        return isLogical && hash % 4 == 0 ? 0 : any;
    }

    private static long mix(long x) {
        long z = (x + 0x9E3779B97F4A7C15L) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }

    static void set(MemorySegment vector, ElementType type, long c, double value) {
        switch (type) {
            case INT -> vector.set(ValueLayout.JAVA_INT_UNALIGNED, 4 * c, (int) value);
            case LONG -> vector.set(ValueLayout.JAVA_LONG_UNALIGNED, 8 * c, (long) value);
            case FLOAT, COMPLEX_FLOAT -> vector.set(ValueLayout.JAVA_FLOAT_UNALIGNED, 4 * c, (float) value);
            case DOUBLE, COMPLEX_DOUBLE -> vector.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, 8 * c, value);
        }
    }

    static double get(MemorySegment vector, ElementType type, long c) {
        return switch (type) {
            case INT -> vector.get(ValueLayout.JAVA_INT_UNALIGNED, 4 * c);
            case LONG -> vector.get(ValueLayout.JAVA_LONG_UNALIGNED, 8 * c);
            case FLOAT, COMPLEX_FLOAT -> vector.get(ValueLayout.JAVA_FLOAT_UNALIGNED, 4 * c);
            case DOUBLE, COMPLEX_DOUBLE -> vector.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, 8 * c);
        };
    }

    /** A member's vector of that many elements. */
    static MemorySegment of(ReduceOp op, ElementType type, int member, long elements) {
        MemorySegment vector = bytes(elements * type.sizeInBytes());
        for (long c = 0; c < vector.byteSize() / type.componentBytes(); c++) {
            set(vector, type, c, value(op, type, member, c));
        }
        return vector;
    }

    static MemorySegment bytes(long size) {
        return MemorySegment.ofArray(new byte[Math.toIntExact(size)]);
    }

    /** The serial model: all members' elements {@code first} on, combined. */
    static MemorySegment reduced(ReduceOp op, ElementType type, int members, long first, long elements) {
        MemorySegment result = bytes(elements * type.sizeInBytes());
        int width = isComplex(type) ? 2 : 1;
        for (long i = 0; i < elements; i++) {
            double[] sum = element(op, type, 0, first + i, width);
            for (int member = 1; member < members; member++) {
                sum = combine(op, sum, element(op, type, member, first + i, width));
            }
            for (int c = 0; c < width; c++) {
                set(result, type, i * width + c, sum[c]);
            }
        }
        return result;
    }

    private static double[] element(ReduceOp op, ElementType type, int member, long i, int width) {
        double[] element = new double[width];
        for (int c = 0; c < width; c++) {
            element[c] = value(op, type, member, i * width + c);
        }
        return element;
    }

    private static double[] combine(ReduceOp op, double[] a, double[] b) {
        if (op == ReduceOp.PRODUCT && a.length == 2) {
            return new double[] {a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]};
        }
        double[] result = new double[a.length];
        for (int c = 0; c < a.length; c++) {
            result[c] = switch (op) {
                case SUM -> a[c] + b[c];
                case PRODUCT -> a[c] * b[c];
                case MIN -> Math.min(a[c], b[c]);
                case MAX -> Math.max(a[c], b[c]);
                case LOGICAL_AND -> a[c] != 0 && b[c] != 0 ? 1 : 0;
                case LOGICAL_OR -> a[c] != 0 || b[c] != 0 ? 1 : 0;
                case LOGICAL_XOR -> (a[c] == 0) != (b[c] == 0) ? 1 : 0;
                case BITWISE_AND -> (long) a[c] & (long) b[c];
                case BITWISE_OR -> (long) a[c] | (long) b[c];
                case BITWISE_XOR -> (long) a[c] ^ (long) b[c];
                case REPLACE, NO_OP -> throw new AssertionError(op);
            };
        }
        return result;
    }

    /** Equal as numbers: the sign of a zero depends on the order of the operands. */
    static void assertSame(ElementType type, MemorySegment expected, MemorySegment actual, String what) {
        assertEquals(expected.byteSize(), actual.byteSize(), what);
        for (long c = 0; c < expected.byteSize() / type.componentBytes(); c++) {
            double want = get(expected, type, c);
            double got = get(actual, type, c);
            if (want != got) {
                throw new AssertionError(what + ", component " + c + ": " + got + " instead of " + want);
            }
        }
    }

    /** Bytes that tell who sent them to whom, and where in the block they lie. */
    static void mark(MemorySegment buffer, long offset, long length, int from, int to, long salt) {
        for (long i = 0; i < length; i++) {
            buffer.set(ValueLayout.JAVA_BYTE, offset + i, (byte) mix(mix(salt * 1009 + from) + to * 65_537L + i));
        }
    }

    /** Holds bytes against {@link #mark}. */
    static void assertMarked(MemorySegment buffer, long offset, long length, int from, int to, long salt,
        String what) {
        MemorySegment expected = bytes(length);
        mark(expected, 0, length, from, to, salt);
        long at = expected.mismatch(buffer.asSlice(offset, length));
        if (at >= 0) {
            throw new AssertionError(what + ": block of " + length + " bytes from " + from + " to " + to
                + " differs at byte " + at);
        }
    }
}

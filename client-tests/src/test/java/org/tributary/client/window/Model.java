package org.tributary.client.window;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/** What accumulates mean, element by element, and elements with which results do not depend on their order. */
final class Model {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;
    private static final int SMALL = 8;
    private static final long PERIOD = 4_096;

    private Model() {
    }

    /** Combines whole elements into {@code target}. */
    static void combine(ReduceOp op, ElementType type, MemorySegment target, long at, MemorySegment source, long from,
        long bytes) {
        if (op == ReduceOp.NO_OP) {
            return;
        }
        if (op == ReduceOp.REPLACE) {
            MemorySegment.copy(source, from, target, at, bytes);
            return;
        }
        int size = type.sizeInBytes();
        for (long i = 0; i < bytes; i += size) {
            long to = at + i;
            long of = from + i;
            switch (type) {
                case INT -> target.set(INT, to, (int) integer(op, target.get(INT, to), source.get(INT, of)));
                case LONG -> target.set(LONG, to, integer(op, target.get(LONG, to), source.get(LONG, of)));
                case FLOAT -> target.set(FLOAT, to, (float) real(op, target.get(FLOAT, to), source.get(FLOAT, of)));
                case DOUBLE -> target.set(DOUBLE, to, real(op, target.get(DOUBLE, to), source.get(DOUBLE, of)));
                case COMPLEX_FLOAT, COMPLEX_DOUBLE -> complex(op, type, target, to, source, of);
            }
        }
    }

    private static long integer(ReduceOp op, long old, long operand) {
        boolean one = old != 0;
        boolean other = operand != 0;
        return switch (op) {
            case SUM -> old + operand;
            case PRODUCT -> old * operand;
            case MIN -> old < operand ? old : operand;
            case MAX -> old > operand ? old : operand;
            case LOGICAL_AND -> one && other ? 1 : 0;
            case LOGICAL_OR -> one || other ? 1 : 0;
            case LOGICAL_XOR -> one != other ? 1 : 0;
            case BITWISE_AND -> old & operand;
            case BITWISE_OR -> old | operand;
            case BITWISE_XOR -> old ^ operand;
            case REPLACE, NO_OP -> throw new IllegalArgumentException(op.name());
        };
    }

    private static double real(ReduceOp op, double old, double operand) {
        return switch (op) {
            case SUM -> old + operand;
            case PRODUCT -> old * operand;
            case MIN -> Math.min(old, operand);
            case MAX -> Math.max(old, operand);
            default -> throw new IllegalArgumentException(op.name());
        };
    }

    private static void complex(ReduceOp op, ElementType type, MemorySegment target, long to, MemorySegment source,
        long of) {
        double re = component(type, target, to, 0);
        double im = component(type, target, to, 1);
        double otherRe = component(type, source, of, 0);
        double otherIm = component(type, source, of, 1);
        if (op == ReduceOp.SUM) {
            setComplex(type, target, to, re + otherRe, im + otherIm);
        } else {
            setComplex(type, target, to, re * otherRe - im * otherIm, re * otherIm + im * otherRe);
        }
    }

    private static double component(ElementType type, MemorySegment segment, long at, int index) {
        return type == ElementType.COMPLEX_FLOAT ? segment.get(FLOAT, at + 4L * index)
            : segment.get(DOUBLE, at + 8L * index);
    }

    private static void setComplex(ElementType type, MemorySegment segment, long at, double re, double im) {
        if (type == ElementType.COMPLEX_FLOAT) {
            segment.set(FLOAT, at, (float) re);
            segment.set(FLOAT, at + 4, (float) im);
        } else {
            segment.set(DOUBLE, at, re);
            segment.set(DOUBLE, at + 8, im);
        }
    }

    /**
     * Elements that can be combined in any order without rounding: integers are anything, others small or units. They
     * come again every so often.
     */
    static MemorySegment elements(Random random, ElementType type, long bytes, boolean units) {
        MemorySegment segment = MemorySegment.ofArray(new byte[Math.toIntExact(bytes)]);
        MemorySegment period = elementsOfPeriod(random, type, Math.min(bytes, PERIOD), units);
        for (long at = 0; at < bytes; at += PERIOD) {
            MemorySegment.copy(period, 0, segment, at, Math.min(PERIOD, bytes - at));
        }
        return segment;
    }

    private static MemorySegment elementsOfPeriod(Random random, ElementType type, long bytes, boolean units) {
        byte[] contents = new byte[Math.toIntExact(bytes)];
        random.nextBytes(contents);
        MemorySegment segment = MemorySegment.ofArray(contents);
        for (long at = 0; at < bytes; at += type.sizeInBytes()) {
            switch (type) {
                case INT -> {
                    if (random.nextInt(4) == 0) {
                        segment.set(INT, at, 0);
                    }
                }
                case LONG -> {
                    if (random.nextInt(4) == 0) {
                        segment.set(LONG, at, 0);
                    }
                }
                case FLOAT -> segment.set(FLOAT, at, units ? sign(random) : small(random));
                case DOUBLE -> segment.set(DOUBLE, at, units ? sign(random) : small(random));
                case COMPLEX_FLOAT, COMPLEX_DOUBLE -> {
                    boolean real = random.nextBoolean();
                    setComplex(type, segment, at, units ? real ? sign(random) : 0 : small(random),
                        units ? real ? 0 : sign(random) : small(random));
                }
            }
        }
        return segment;
    }

    private static int sign(Random random) {
        return random.nextBoolean() ? 1 : -1;
    }

    private static int small(Random random) {
        return random.nextInt(2 * SMALL + 1) - SMALL;
    }

    /** First byte of the first element that differs, or -1; zeros of either sign are the same. */
    static long mismatch(ElementType type, MemorySegment expected, MemorySegment actual) {
        long at = expected.mismatch(actual);
        if (at < 0 || type == ElementType.INT || type == ElementType.LONG) {
            return at;
        }
        int bytes = type.componentBytes();
        for (at -= at % bytes; at < expected.byteSize(); at += bytes) {
            boolean same = bytes == Float.BYTES ? expected.get(FLOAT, at) == actual.get(FLOAT, at)
                : expected.get(DOUBLE, at) == actual.get(DOUBLE, at);
            if (!same) {
                return at;
            }
        }
        return -1;
    }
}

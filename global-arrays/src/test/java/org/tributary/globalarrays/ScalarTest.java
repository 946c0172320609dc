package org.tributary.globalarrays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.tributary.client.shape.Scale;
import org.tributary.wire.shape.ElementType;

class ScalarTest {
    private static Scalar read(Scale scale) {
        return switch (scale.type()) {
            case INT, LONG -> Scalar.of(scale.re());
            case FLOAT -> Scalar.of((double) Float.intBitsToFloat((int) scale.re()));
            case DOUBLE -> Scalar.of(Double.longBitsToDouble(scale.re()));
            case COMPLEX_FLOAT ->
                Scalar.of(Float.intBitsToFloat((int) scale.re()), Float.intBitsToFloat((int) scale.im()));
            case COMPLEX_DOUBLE -> Scalar.of(Double.longBitsToDouble(scale.re()), Double.longBitsToDouble(scale.im()));
        };
    }

    @Test
    void shouldKeepLongsExactly() {
        long odd = (1L << 60) + 1;
        assertEquals(odd, read(Scalar.of(odd).toScale("A", ElementType.LONG)).asLong());
        assertEquals(7, Scalar.of(7.0).asLong());
    }

    @Test
    void shouldConvertToEveryTypeThatCanHoldIt() {
        for (ElementType type : ElementType.values()) {
            Scalar back = read(Scalar.of(-3).toScale("A", type));
            assertEquals(-3.0, back.asDouble());
        }
        assertEquals(Scalar.of(0.5, -2), read(Scalar.of(0.5, -2).toScale("A", ElementType.COMPLEX_FLOAT)));
        assertEquals(Scalar.of(0.5, -2), read(Scalar.of(0.5, -2).toScale("A", ElementType.COMPLEX_DOUBLE)));
    }

    @Test
    void shouldRefuseWhatATypeCannotHold() {
        assertThrows(ArrayShapeException.class, () -> Scalar.of(0.5).toScale("A", ElementType.LONG));
        assertThrows(ArrayShapeException.class, () -> Scalar.of(1L << 31).toScale("A", ElementType.INT));
        assertThrows(ArrayShapeException.class, () -> Scalar.of(1, 1).toScale("A", ElementType.DOUBLE));
        assertThrows(ArrayShapeException.class, () -> Scalar.of(1e19).toScale("A", ElementType.LONG));
    }

    /** The least double above the longs is 2^63, and the greatest long is as near to it as to itself. */
    @Test
    void shouldRefuseTheLeastNumberAboveTheLongs() {
        assertThrows(ArrayShapeException.class, () -> Scalar.of(0x1p63).toScale("A", ElementType.LONG));
        assertEquals(Long.MIN_VALUE, Scalar.of(-0x1p63).asLong());
        assertEquals((1L << 63) - (1L << 10), Scalar.of(Math.nextDown(0x1p63)).asLong());
    }

    @Test
    void shouldPrintAsWritten() {
        assertEquals("3", Scalar.of(3).toString());
        assertEquals("0.5", Scalar.of(0.5).toString());
        assertEquals("0.5+2.0i", Scalar.of(0.5, 2).toString());
        assertEquals("0.5-2.0i", Scalar.of(0.5, -2).toString());
    }
}

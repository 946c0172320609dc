package org.tributary.benchmarks.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class SizesTest {
    private final Sizes sizes = new Sizes();

    @Test
    void shouldReadUnitsWhenGiven() {
        assertEquals(8L, sizes.convert("8"));
        assertEquals(4L << 10, sizes.convert("4K"));
        assertEquals(4L << 20, sizes.convert("4m"));
    }

    @Test
    void shouldReadBackWhenFormatted() {
        assertEquals("32K", Sizes.format(32 << 10));
        assertEquals(32L << 10, sizes.convert(Sizes.format(32 << 10)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "12", "4x", "-8", "2g"})
    void shouldRefuseWhenNoUsableSize(String text) {
        TypeConversionException refused = assertThrows(TypeConversionException.class, () -> sizes.convert(text));
        assertEquals(true, refused.getMessage().contains("'" + text + "'"), refused.getMessage());
    }
}

package org.tributary.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantityTest {
    @ParameterizedTest
    @CsvSource({"50us, 50000", "2s, 2000000000", "10ms, 10000000", "0, 0", "1 min, 60000000000", "7ns, 7"})
    void shouldReadNanosecondsWhenDuration(String text, long expected) {
        assertEquals(expected, Quantity.DURATION.parse(text));
    }

    @ParameterizedTest
    @CsvSource({"64k, 65536", "16M, 16777216", "1g, 1073741824", "17, 17", "0, 0"})
    void shouldReadBytesWhenSize(String text, long expected) {
        assertEquals(expected, Quantity.SIZE.parse(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "-1s", "2 days", "1.5s", "s", "999999999999999999h"})
    void shouldRefuseWhenNotADuration(String text) {
        assertThrows(ConfigException.class, () -> Quantity.DURATION.parse(text));
    }

    @Property(tries = 300)
    void shouldReadBackWhenWritten(@ForAll @LongRange(min = 0) long value) {
        assertEquals(value, Quantity.DURATION.parse(Quantity.DURATION.format(value)));
        assertEquals(value, Quantity.SIZE.parse(Quantity.SIZE.format(value)));
    }

}

package org.tributary.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ProcessLimitsTest {
    private static final String LIMITS = """
        Max processes             95                   96                   processes
        Max open files            1024                 524288               files
        Max locked memory         unlimited            unlimited            bytes
        """;

    @Test
    void shouldReadBothLimitsWhenThereAreTwo() {
        assertEquals(1024, ProcessLimits.soft(LIMITS, ProcessLimits.OPEN_FILES));
        assertEquals(524288, ProcessLimits.hard(LIMITS, ProcessLimits.OPEN_FILES));
    }

    @Test
    void shouldBeLargeWhenThereIsNoLimit() {
        assertEquals(Long.MAX_VALUE, ProcessLimits.soft(LIMITS, "Max locked memory"));
        assertEquals(Long.MAX_VALUE, ProcessLimits.soft(LIMITS, "Max address space"));
    }
}

package org.tributary.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class OpenFileLimitTest {
    @Test
    void shouldReadTheSoftLimitWhenThereIsOne() {
        assertEquals(1024, OpenFileLimit.in("Max processes             95  96  processes \n"
            + "Max open files            1024                 524288               files     \n"));
        assertEquals(Long.MAX_VALUE, OpenFileLimit.in("Max open files            unlimited   unlimited   files \n"));
    }
}

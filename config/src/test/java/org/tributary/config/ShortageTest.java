package org.tributary.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;

/** The messages are those of the JDK, of Netty and of the C library. */
class ShortageTest {
    @Test
    void shouldSayOneLineWithAdviceWhenAProcessCannotBeStarted() {
        assertEquals("Cannot run program \"java\": posix_spawn failed, error: 11 (Resource temporarily unavailable);"
            + " raise the number of processes and threads (ulimit -u, and pids.max of the control group), or start"
            + " fewer ranks", Shortage.describe(new IOException("Cannot run program \"java\": posix_spawn failed,"
            + " error: 11 (Resource temporarily unavailable) \nPossible reasons:\n  - Spawn helper ran into ...")));
    }

    @Test
    void shouldFindWhatHasRunOutWhenItIsTheCauseOfTheCause() {
        assertEquals(Shortage.FILES, Shortage.of(new UncheckedIOException("jar", new IOException("a.jar",
            new IOException("Too many open files")))));
        assertEquals(Shortage.SPACE, Shortage.of(new IOException("bind(..) failed with error(-28): No space")));
        assertEquals(Shortage.PROCESSES, Shortage.of(new OutOfMemoryError("unable to create native thread: possibly")));
        assertEquals(Shortage.MEMORY, Shortage.of(new OutOfMemoryError("Java heap space")));
    }

    @Test
    void shouldGiveNoAdviceWhenNothingHasRunOut() {
        assertNull(Shortage.of(new IOException("no such file")));
        assertEquals("no such file", Shortage.describe(new IOException("no such file")));
        assertEquals("java.lang.IllegalStateException", Shortage.describe(new IllegalStateException()));
    }
}

package org.tributary.launcher.job;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Something that takes long, second by second of a clock that is not the machine's. */
class WorkProgressTest {
    private static final String ERASE = "\r\033[K";
    private static final long START_S = 5;

    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private WorkProgress progress;

    private void begin(boolean terminal) {
        progress = new WorkProgress(new LineSink(written, terminal), TimeUnit.SECONDS.toNanos(START_S));
    }

    private String after(double seconds, long done) {
        written.reset();
        long nowNs = (long) ((START_S + seconds) * TimeUnit.SECONDS.toNanos(1));
        progress.at(nowNs, "working: " + done + " of 10", done, 10);
        return written.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldWriteALineEveryTenSecondsWhenThereIsNoTerminal() {
        begin(false);
        assertEquals("", after(9.9, 1));
        assertEquals("tributary: working: 0 of 10 after 10 s\n", after(10, 0));
        assertEquals("", after(19.9, 5));
        assertEquals("tributary: working: 5 of 10 after 20 s, about 20 s left\n", after(20, 5));
        written.reset();
        progress.over();
        assertEquals("", written.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldChangeOneLineEachSecondWhenThereIsATerminal() {
        begin(true);
        assertEquals("", after(2.9, 1));
        assertEquals(row("working: 1 of 10 after 3 s, about 27 s left"), after(3, 1));
        assertEquals("", after(3.9, 1));
        assertEquals(ERASE + row("working: 8 of 10 after 4 s, about 1 s left"), after(4, 8));
        written.reset();
        progress.over();
        assertEquals(ERASE, written.toString(StandardCharsets.UTF_8));
    }

    /** What a terminal is shown: cut at the end of its row, which is all that is erased. */
    private static String row(String text) {
        return "\033[?7l" + text + "\033[?7h";
    }
}

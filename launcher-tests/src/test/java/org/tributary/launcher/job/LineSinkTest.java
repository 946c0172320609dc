package org.tributary.launcher.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LineSinkTest {
    private static final long DEADLINE_S = 60;

    /** Takes nothing until it is told to, as a pipe to a pager that shows its first page. */
    private static final class Pager extends OutputStream {
        private final CountDownLatch reads = new CountDownLatch(1);
        private final ByteArrayOutputStream taken = new ByteArrayOutputStream();

        @Override
        public void write(int value) {
            throw new UnsupportedOperationException("a byte alone");
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            try {
                assertTrue(reads.await(DEADLINE_S, TimeUnit.SECONDS), "never told to read");
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            taken.write(bytes, offset, length);
        }

        synchronized String text() {
            return taken.toString(StandardCharsets.UTF_8);
        }
    }

    @Test
    void shouldGoOnAndLoseNothingWhenTheReaderHasStopped() throws InterruptedException {
        Pager pager = new Pager();
        LineSink sink = new LineSink(pager, true);
        Thread launcher = Thread.ofPlatform().daemon().start(() -> {
            sink.say("one");
            sink.show("passing");
            sink.say("two");
            sink.hide();
        });
        launcher.join(TimeUnit.SECONDS.toMillis(DEADLINE_S / 2));
        assertFalse(launcher.isAlive(), "the launcher waits for the reader of what it says");
        pager.reads.countDown();
        JobHarness.await(() -> pager.text().contains("two"));
        assertEquals("tributary: one\npassing\r\033[Ktributary: two\n", pager.text());
    }

    @Test
    void shouldHaveWrittenWhatItSaysWhenTheReaderReads() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        LineSink sink = new LineSink(out);
        for (int i = 0; i < 100; i++) {
            sink.say("line " + i);
            assertTrue(out.toString(StandardCharsets.UTF_8).endsWith("tributary: line " + i + "\n"));
        }
    }
}

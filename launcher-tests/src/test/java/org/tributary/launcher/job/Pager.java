package org.tributary.launcher.job;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Takes nothing until it is told to, as a pipe to a pager that shows its first page. */
public final class Pager extends OutputStream {
    private static final long DEADLINE_S = 60;

    private final CountDownLatch reads = new CountDownLatch(1);
    private final ByteArrayOutputStream taken = new ByteArrayOutputStream();

    /** From now on it takes everything. */
    public void read() {
        reads.countDown();
    }

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

    public String text() {
        return taken.toString(StandardCharsets.UTF_8);
    }
}

package org.tributary.launcher.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of each process is told once, whatever the JDK says of it. */
@Timeout(300)
class EndsTest {
    private final Ends ends = new Ends();
    private final BlockingQueue<Integer> told = new LinkedBlockingQueue<>();

    @BeforeEach
    void begin() {
        ends.begin();
    }

    @AfterEach
    void close() {
        ends.close();
    }

    /** The news of its end comes when a test says so, or never. */
    private static final class FakeProcess extends Process {
        private final CompletableFuture<Process> news = new CompletableFuture<>();
        private volatile boolean isAlive = true;

        @Override
        public OutputStream getOutputStream() {
            return OutputStream.nullOutputStream();
        }

        @Override
        public InputStream getInputStream() {
            return InputStream.nullInputStream();
        }

        @Override
        public InputStream getErrorStream() {
            return InputStream.nullInputStream();
        }

        @Override
        public int waitFor() {
            isAlive = false;
            return 7;
        }

        @Override
        public int exitValue() {
            if (isAlive) {
                throw new IllegalThreadStateException("process hasn't exited");
            }
            return 7;
        }

        @Override
        public void destroy() {
            isAlive = false;
        }

        @Override
        public boolean isAlive() {
            return isAlive;
        }

        @Override
        public CompletableFuture<Process> onExit() {
            return news;
        }
    }

    @Test
    void shouldTellOnceWhenTheNewsIsDroppedWithoutAWord() throws InterruptedException {
        FakeProcess dropped = new FakeProcess();
        ends.of(dropped, told::add);
        dropped.destroy();
        assertEquals(7, told.take());
        dropped.news.complete(dropped); // after all
        FakeProcess other = new FakeProcess();
        ends.of(other, code -> told.add(100 + code));
        other.destroy();
        assertEquals(107, told.take());
        assertTrue(told.isEmpty());
    }

    /** The exit code is not noted yet then. */
    @Test
    void shouldTellWhenThereIsNoThreadForTheNews() throws InterruptedException {
        FakeProcess process = new FakeProcess();
        ends.of(process, told::add);
        process.news.completeExceptionally(new OutOfMemoryError("unable to create native thread"));
        assertEquals(7, told.take());
    }

    @Test
    void shouldTellOnceWhenTheNewsComes() throws InterruptedException {
        FakeProcess process = new FakeProcess();
        ends.of(process, told::add);
        process.destroy();
        process.news.complete(process);
        assertEquals(7, told.take());
        assertTrue(told.isEmpty());
    }
}

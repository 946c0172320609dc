package org.tributary.launcher.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections that come, some of them broken. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AcceptLoopTest {
    private final Deque<Callable<Connection>> coming = new ArrayDeque<>();
    private final List<String> taken = new ArrayList<>();

    private static final class Connection implements Closeable {
        private final String name;
        private boolean isClosed;

        Connection(String name) {
            this.name = name;
        }

        @Override
        public void close() throws IOException {
            isClosed = true;
            throw new IOException("was reset");
        }
    }

    private void accept() {
        AcceptLoop.run(new AcceptLoop.Source<Connection>() {
            @Override
            public Connection accept() throws IOException {
                try {
                    return coming.remove().call();
                } catch (IOException | RuntimeException e) {
                    throw e;
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            }

            @Override
            public boolean isOpen() {
                return !coming.isEmpty();
            }
        }, connection -> {
            taken.add(connection.name);
            if (connection.name.startsWith("bad")) {
                throw new IOException("reset by peer");
            }
        });
    }

    @Test
    void shouldTakeTheNextWhenAcceptFails() {
        coming.add(() -> {
            throw new IOException("Too many open files");
        });
        coming.add(() -> {
            throw new IllegalStateException("whatever");
        });
        coming.add(() -> new Connection("good"));
        accept();
        assertEquals(List.of("good"), taken);
    }

    @Test
    void shouldCloseItAndTakeTheNextWhenOneFails() {
        Connection bad = new Connection("bad");
        Connection good = new Connection("good");
        coming.add(() -> bad);
        coming.add(() -> good);
        accept();
        assertEquals(List.of("bad", "good"), taken);
        assertEquals(true, bad.isClosed);
        assertFalse(good.isClosed, "its taker has it");
    }
}

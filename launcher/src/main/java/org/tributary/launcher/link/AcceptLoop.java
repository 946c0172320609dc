package org.tributary.launcher.link;

import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Takes connections until nobody listens any more: what is wrong with one costs that one only. Stateless. */
public final class AcceptLoop {
    /** Without descriptors each attempt fails at once. */
    private static final long PAUSE_MS = 50;

    private AcceptLoop() {
    }

    /** A socket that listens. */
    public interface Source<C> {
        C accept() throws IOException;

        boolean isOpen();
    }

    /** Takes a connection over, or fails, whereupon it is closed. */
    public interface Taker<C> {
        void take(C connection) throws IOException;
    }

    /** Returns when the source has been closed. */
    public static <C extends Closeable> void run(Source<C> source, Taker<C> taker) {
        while (source.isOpen()) {
            C connection;
            try {
                connection = source.accept();
            } catch (IOException | RuntimeException | OutOfMemoryError e) {
                pause();
                continue;
            }
            try {
                taker.take(connection);
            } catch (IOException | RuntimeException | OutOfMemoryError e) {
                close(connection);
            }
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void close(Closeable connection) {
        try {
            connection.close();
        } catch (IOException e) {
            return; // as good as closed
        }
    }
}

package org.tributary.benchmarks.limits;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;

/**
 * Closes what a measurement waits on when that takes longer than it may: a reader blocked in a channel, or spinning
 * on it, then fails instead of waiting for ever. Timing out the reads themselves would add a system call to each.
 */
public final class Watchdog implements AutoCloseable {
    private final Thread thread;

    /** Guards from now until {@link #close()}. */
    public Watchdog(Closeable guarded, Duration limit) {
        thread = Thread.ofPlatform().daemon().name("watchdog").start(() -> watch(guarded, limit));
    }

    private static void watch(Closeable guarded, Duration limit) {
        try {
            Thread.sleep(limit);
        } catch (InterruptedException e) {
            return; // close(): all went well
        }
        System.err.println("the raw limits took more than " + limit.toSeconds() + " s; closing " + guarded);
        try {
            guarded.close();
        } catch (IOException e) {
            System.err.println("closing " + guarded + ": " + e);
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}

package org.tributary.server.observe;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.tributary.wire.shm.CountsFile;
import org.tributary.wire.status.ServerCounts;
import org.tributary.wire.status.ServerOperation;

/**
 * Writes what a server has counted to the file from which others read it, once a second: some microseconds of the
 * event loop, and nothing for each request. While no request comes, values that are no counts may be some periods old.
 * Owned by the event loop.
 */
public final class CountsWriter {
    private static final long PERIOD_NS = TimeUnit.SECONDS.toNanos(1);
    /** Counts that have not changed are collected again only now and then: an idle server costs next to nothing. */
    private static final int MOST_UNCHANGED = 10;

    private final ServerMetrics metrics;
    private final CountsFile file;
    private ByteBuffer told;
    private long executed;
    private int unchanged;

    public CountsWriter(ServerMetrics metrics, CountsFile file) {
        this.metrics = metrics;
        this.file = file;
    }

    /** The most bytes that counts of a server take. */
    public static int capacity(int localRanks, int jobRanks) {
        long pairs = Math.min(ServerCounts.MAX_PAIRS, (long) localRanks * jobRanks) + 1;
        return ServerCounts.bytes(ServerOperation.values().length, (int) pairs);
    }

    /** Begins to write; ends with the loop. */
    public void begin(GuardedTasks tasks) {
        tasks.task(() -> file.write(current())).every(0, PERIOD_NS);
    }

    private ByteBuffer current() {
        long now = metrics.executed();
        if (told == null || now != executed || ++unchanged == MOST_UNCHANGED) {
            executed = now;
            unchanged = 0;
            told = metrics.counts().encode();
        } else {
            ServerCounts.setTime(told, System.nanoTime());
        }
        return told;
    }
}

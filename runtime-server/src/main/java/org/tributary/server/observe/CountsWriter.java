package org.tributary.server.observe;

import io.netty.channel.EventLoop;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.tributary.wire.shm.CountsFile;
import org.tributary.wire.status.ServerCounts;
import org.tributary.wire.status.ServerOperation;

/**
 * Writes what a server has counted to the file from which others read it, once a second: some microseconds of the
 * event loop, and nothing for each request. While no request comes, values that are no counts may be some periods old.
 * Owned by the event loop.
 */
public final class CountsWriter {
    private static final long PERIOD_MS = 1000;
    /** What has not changed is not collected again, but now and then: an idle server costs nothing worth a name. */
    private static final int MOST_UNCHANGED = 10;

    private final ServerMetrics metrics;
    private final CountsFile file;
    private final Consumer<Throwable> failed;
    private ByteBuffer told;
    private long executed;
    private int unchanged;

    /** {@code failed} takes what the memory of the file does when the file is truncated. */
    public CountsWriter(ServerMetrics metrics, CountsFile file, Consumer<Throwable> failed) {
        this.metrics = metrics;
        this.file = file;
        this.failed = failed;
    }

    /** The most bytes that counts of a server take. */
    public static int capacity(int localRanks, int jobRanks) {
        long pairs = Math.min(ServerCounts.MAX_PAIRS, (long) localRanks * jobRanks) + 1;
        return ServerCounts.bytes(ServerOperation.values().length, (int) pairs);
    }

    /** Begins to write; ends with the loop. */
    public void begin(EventLoop loop) {
        loop.scheduleWithFixedDelay(this::write, 0, PERIOD_MS, TimeUnit.MILLISECONDS);
    }

    private void write() {
        try {
            file.write(current());
        } catch (InternalError e) {
            failed.accept(e);
        }
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

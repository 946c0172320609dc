package org.tributary.launcher.trace;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.tributary.config.Shortage;
import org.tributary.wire.shm.TraceLayout;

/**
 * Header of the trace file of one rank, which may have died while it wrote; its records are read by {@link TraceRing}.
 * Nothing in it is believed before it is checked. Immutable.
 *
 * @param rank        that has recorded it
 * @param ranks       of the job
 * @param monotonicNs CLOCK_MONOTONIC when the rank attached
 * @param realNs      CLOCK_REALTIME then
 * @param leftNs      CLOCK_MONOTONIC when the rank left in good order, 0 if it did not
 * @param boot        ranks with the same share CLOCK_MONOTONIC
 * @param next        records begun
 */
record TraceFile(Path file, String job, int rank, int node, int ranks, long monotonicNs, long realNs, long leftNs,
                 String boot, long next) {
    /** More than any job has: what is kept for each is bounded. */
    private static final int MOST_RANKS = 1 << 20;
    /** About 36 years, longer than any job takes: sums of such times do not overflow. */
    private static final long MOST_NS = 1L << 60;

    /**
     * Reads the first page of a file.
     *
     * @throws IOException when it is no trace of this version; the message names the file, the byte and what is there
     */
    static TraceFile read(Path file) throws IOException {
        ByteBuffer content = ByteBuffer.allocate((int) TraceLayout.RECORDS_OFFSET);
        read(file, content);
        return of(file, content);
    }

    /** Fills {@code content} from the beginning of a file, as far as that goes. */
    static void read(Path file, ByteBuffer content) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            content.clear().limit(in.readNBytes(content.array(), 0, content.capacity()));
        } catch (IOException e) {
            throw new IOException("cannot read " + file + ": " + Shortage.describe(e, file), e);
        }
    }

    /** That of a file which begins so. */
    static TraceFile of(Path file, ByteBuffer content) throws IOException {
        if (content.limit() < TraceLayout.RECORDS_OFFSET) {
            throw new IOException(file + " is no trace: it has " + content.limit() + " bytes, not at least "
                + TraceLayout.RECORDS_OFFSET);
        }
        content.order(ByteOrder.nativeOrder());
        check(file, content);
        return new TraceFile(file, text(content, TraceLayout.JOB_OFFSET, TraceLayout.JOB_BYTES),
            content.getInt((int) TraceLayout.RANK_OFFSET), content.getInt((int) TraceLayout.NODE_OFFSET),
            content.getInt((int) TraceLayout.RANKS_OFFSET), content.getLong((int) TraceLayout.MONOTONIC_OFFSET),
            content.getLong((int) TraceLayout.REAL_OFFSET), content.getLong((int) TraceLayout.LEFT_OFFSET),
            text(content, TraceLayout.BOOT_OFFSET, TraceLayout.BOOT_BYTES),
            content.getLong((int) TraceLayout.NEXT_OFFSET));
    }

    private static void check(Path file, ByteBuffer content) throws IOException {
        long magic = content.getLong((int) TraceLayout.MAGIC_OFFSET);
        if (magic == 0) {
            throw new IOException(file + " is empty: its rank ended while it attached");
        }
        check(file, magic == TraceLayout.MAGIC, TraceLayout.MAGIC_OFFSET, "no trace begins with "
            + Long.toHexString(magic));
        int version = content.getInt((int) TraceLayout.VERSION_OFFSET);
        check(file, version == TraceLayout.VERSION, TraceLayout.VERSION_OFFSET, "version " + version + ", not "
            + TraceLayout.VERSION + ": it is of another release");
        int ranks = content.getInt((int) TraceLayout.RANKS_OFFSET);
        check(file, ranks > 0 && ranks <= MOST_RANKS, TraceLayout.RANKS_OFFSET, "a job of " + ranks + " ranks");
        int rank = content.getInt((int) TraceLayout.RANK_OFFSET);
        check(file, rank >= 0 && rank < ranks, TraceLayout.RANK_OFFSET, "rank " + rank + " of " + ranks);
        int node = content.getInt((int) TraceLayout.NODE_OFFSET);
        check(file, node >= 0 && node < ranks, TraceLayout.NODE_OFFSET, "node " + node + " of a job of " + ranks
            + " ranks");
        long capacity = content.getLong((int) TraceLayout.CAPACITY_OFFSET);
        check(file, capacity == TraceLayout.CAPACITY, TraceLayout.CAPACITY_OFFSET, "a ring of " + capacity
            + " records, not " + TraceLayout.CAPACITY);
        long left = content.getLong((int) TraceLayout.LEFT_OFFSET);
        long stayedNs = left - content.getLong((int) TraceLayout.MONOTONIC_OFFSET);
        check(file, left == 0 || stayedNs >= 0 && stayedNs <= MOST_NS, TraceLayout.LEFT_OFFSET, "a rank that left "
            + stayedNs + " ns after it attached");
        long next = content.getLong((int) TraceLayout.NEXT_OFFSET);
        check(file, next >= 0, TraceLayout.NEXT_OFFSET, next + " records");
    }

    private static void check(Path file, boolean holds, long offset, String found) throws IOException {
        if (!holds) {
            throw new IOException(file + " is damaged or no trace: at byte " + offset + ", " + found);
        }
    }

    private static String text(ByteBuffer content, long offset, int room) {
        int length = 0;
        while (length < room && content.get((int) offset + length) != 0) {
            length++;
        }
        return new String(content.array(), (int) offset, length, StandardCharsets.UTF_8);
    }

    /** The number of the oldest record that no later one has taken the place of: so many were overwritten. */
    long overwritten() {
        return Math.max(0, next - TraceLayout.CAPACITY);
    }

    /** Whether the other was read from the same trace, which may have gone on in the meantime. */
    boolean isSame(TraceFile other) {
        return rank == other.rank && node == other.node && ranks == other.ranks && monotonicNs == other.monotonicNs
            && boot.equals(other.boot);
    }
}

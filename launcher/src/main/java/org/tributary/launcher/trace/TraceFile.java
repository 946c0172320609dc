package org.tributary.launcher.trace;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.tributary.config.Shortage;
import org.tributary.wire.shm.TraceLayout;
import org.tributary.wire.shm.TraceOperation;
import org.tributary.wire.shm.WaitKind;

/**
 * The trace of one rank as a file has it, whatever has become of rank and file. Nothing in it is believed before it is
 * checked. Immutable.
 *
 * @param rank          that has recorded it
 * @param ranks         of the job
 * @param monotonicNs   CLOCK_MONOTONIC when the rank attached
 * @param realNs        CLOCK_REALTIME then
 * @param leftNs        CLOCK_MONOTONIC when the rank left in good order, 0 if it did not
 * @param boot          ranks with the same share CLOCK_MONOTONIC
 * @param overwritten   records that later ones have taken the place of
 * @param problems      what is wrong with the file
 * @param records       by the time at which they began
 */
record TraceFile(Path file, String job, int rank, int node, int ranks, long monotonicNs, long realNs, long leftNs,
                 String boot, long overwritten, List<String> problems, List<TraceRecord> records) {
    private static final int MOST_BYTES = (int) TraceLayout.fileBytes();
    /** More than any job has: who goes through them is not to go through two billion. */
    private static final int MOST_RANKS = 1 << 20;
    private static final Comparator<TraceRecord> ORDER = Comparator.comparingLong(TraceRecord::beganNs)
        .thenComparing(Comparator.comparingLong(TraceRecord::durationNs).reversed());

    /**
     * Reads a file.
     *
     * @throws IOException when it is no trace of this version; the message names the file, the byte and what is there
     */
    static TraceFile read(Path file) throws IOException {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(MOST_BYTES);
        } catch (IOException e) {
            throw new IOException("cannot read " + file + ": " + Shortage.describe(e), e);
        }
        if (bytes.length < TraceLayout.RECORDS_OFFSET) {
            throw new IOException(file + " is no trace: it has " + bytes.length + " bytes, not at least "
                + TraceLayout.RECORDS_OFFSET);
        }
        ByteBuffer content = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        checkHeader(file, content);
        return new Reading(file, content).run();
    }

    private static void checkHeader(Path file, ByteBuffer content) throws IOException {
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
        long next = content.getLong((int) TraceLayout.NEXT_OFFSET);
        check(file, next >= 0, TraceLayout.NEXT_OFFSET, next + " records");
    }

    private static void check(Path file, boolean holds, long offset, String found) throws IOException {
        if (!holds) {
            throw new IOException(file + " is damaged or no trace: at byte " + offset + ", " + found);
        }
    }

    /** Goes through the ring of one file. */
    private static final class Reading {
        private final Path file;
        private final ByteBuffer content;
        private final int inFile;
        private final List<TraceRecord> records = new ArrayList<>();
        private final List<String> problems = new ArrayList<>();
        private long damaged;
        private String firstDamage;

        Reading(Path file, ByteBuffer content) {
            this.file = file;
            this.content = content;
            this.inFile = (int) ((content.limit() - TraceLayout.RECORDS_OFFSET) / TraceLayout.RECORD_BYTES);
        }

        TraceFile run() {
            long next = longAt(TraceLayout.NEXT_OFFSET);
            long first = Math.max(0, next - TraceLayout.CAPACITY);
            if (content.limit() < MOST_BYTES) {
                problems.add(file + " was truncated: it has " + content.limit() + " of " + MOST_BYTES + " bytes");
            }
            for (long number = first; number < next; number++) {
                int place = (int) (number % TraceLayout.CAPACITY);
                if (place < inFile) {
                    read(number, (int) TraceLayout.RECORDS_OFFSET + place * TraceLayout.RECORD_BYTES);
                }
            }
            if (damaged > 0) {
                problems.add(file + ": " + damaged + " damaged records, the first " + firstDamage);
            }
            records.sort(ORDER);
            return new TraceFile(file, text(TraceLayout.JOB_OFFSET, TraceLayout.JOB_BYTES),
                intAt(TraceLayout.RANK_OFFSET), intAt(TraceLayout.NODE_OFFSET), intAt(TraceLayout.RANKS_OFFSET),
                longAt(TraceLayout.MONOTONIC_OFFSET), longAt(TraceLayout.REAL_OFFSET),
                longAt(TraceLayout.LEFT_OFFSET), text(TraceLayout.BOOT_OFFSET, TraceLayout.BOOT_BYTES), first,
                List.copyOf(problems), records);
        }

        /** One that its thread did not complete, because the rank was killed, is no damage. */
        private void read(long number, int at) {
            long sequence = longAt(at + TraceLayout.SEQUENCE_OFFSET);
            if (sequence != number + 1) {
                if (sequence > number + 1 || sequence < 0) {
                    damaged(at, "has sequence " + sequence + ", not " + (number + 1));
                }
                return;
            }
            int kind = intAt(at + TraceLayout.KIND_OFFSET);
            TraceOperation operation = TraceOperation.of(kind);
            WaitKind wait = WaitKind.of(kind - TraceLayout.WAIT);
            long beganNs = longAt(at + TraceLayout.BEGAN_OFFSET);
            long durationNs = longAt(at + TraceLayout.DURATION_OFFSET);
            int count = intAt(at + TraceLayout.COUNT_OFFSET);
            long bytes = longAt(at + TraceLayout.BYTES_OFFSET);
            long passedNs = beganNs - longAt(TraceLayout.MONOTONIC_OFFSET);
            if (operation == null && wait == null) {
                damaged(at, "is of the unknown kind " + kind);
            } else if (count < 1 || bytes < 0) {
                damaged(at, "stands for " + count + " operations of " + bytes + " bytes");
            } else if (durationNs < 0 || passedNs < 0 || passedNs + durationNs < 0
                || Math.multiplyHigh(durationNs, count) != 0) {
                damaged(at, "begins " + passedNs + " ns after its rank attached, and lasts " + durationNs + " ns");
            } else {
                records.add(new TraceRecord(beganNs, durationNs, bytes, count, operation, wait,
                    intAt(at + TraceLayout.PEER_OFFSET), intAt(at + TraceLayout.THREAD_OFFSET),
                    longAt(at + TraceLayout.SEGMENT_OFFSET), longAt(at + TraceLayout.NUMBER_OFFSET)));
            }
        }

        private void damaged(int at, String how) {
            if (damaged++ == 0) {
                firstDamage = "at byte " + at + ", which " + how;
            }
        }

        private long longAt(long offset) {
            return content.getLong((int) offset);
        }

        private int intAt(long offset) {
            return content.getInt((int) offset);
        }

        private String text(long offset, int room) {
            int length = 0;
            while (length < room && content.get((int) offset + length) != 0) {
                length++;
            }
            return new String(content.array(), (int) offset, length, StandardCharsets.UTF_8);
        }
    }

    /** When the rank's last record ended, or the rank left; CLOCK_MONOTONIC. */
    long endNs() {
        long last = Math.max(monotonicNs, leftNs);
        for (TraceRecord each : records) {
            last = Math.max(last, each.beganNs() + each.durationNs());
        }
        return last;
    }
}

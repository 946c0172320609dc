package org.tributary.launcher.trace;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.tributary.wire.shm.TraceLayout;
import org.tributary.wire.shm.TraceOperation;
import org.tributary.wire.shm.WaitKind;

/**
 * The records of one rank at a time, by the time at which they began: memory for one file is all that a job of any size
 * takes. Nothing in a file is believed before it is checked. Not thread-safe.
 */
final class TraceRing implements Iterable<TraceRecord> {
    private static final int MOST_BYTES = (int) TraceLayout.fileBytes();

    private final ByteBuffer content = ByteBuffer.allocate(MOST_BYTES);
    /** Where the records are that can be read: the first {@link #size}. */
    private final Integer[] places = new Integer[TraceLayout.CAPACITY];
    private final Comparator<Integer> order = Comparator.comparingLong((Integer at) -> began(at))
        .thenComparing(Comparator.comparingLong((Integer at) -> duration(at)).reversed());
    private List<String> problems;
    private TraceFile file;
    private int size;
    private long overwritten;
    private long damaged;
    private String firstDamage;

    /**
     * Reads the records of a file in place of those of the one before.
     *
     * @throws IOException when it is no trace (any more)
     */
    void load(TraceFile of) throws IOException {
        size = 0;
        damaged = 0;
        problems = new ArrayList<>();
        TraceFile.read(of.file(), content);
        file = TraceFile.of(of.file(), content);
        if (!file.isSame(of)) {
            throw new IOException(file.file() + " has become another trace while it was read");
        }
        if (content.limit() < MOST_BYTES) {
            problems.add(file.file() + " was truncated: it has " + content.limit() + " of " + MOST_BYTES + " bytes");
        }
        int inFile = (int) ((content.limit() - TraceLayout.RECORDS_OFFSET) / TraceLayout.RECORD_BYTES);
        // Its rank may go on: what it writes over meanwhile is left out, which is known only now.
        overwritten = Math.max(file.overwritten(), TraceFile.read(of.file()).overwritten());
        for (long number = overwritten; number < file.next(); number++) {
            int place = (int) (number % TraceLayout.CAPACITY);
            if (place < inFile) {
                check(number, (int) TraceLayout.RECORDS_OFFSET + place * TraceLayout.RECORD_BYTES);
            }
        }
        if (damaged > 0) {
            problems.add(file.file() + ": " + damaged + " damaged records, the first " + firstDamage);
        }
        Arrays.sort(places, 0, size, order);
    }

    /** One that its thread did not complete, because the rank was killed, is no damage. */
    private void check(long number, int at) {
        long sequence = longAt(at + TraceLayout.SEQUENCE_OFFSET);
        if (sequence != number + 1) {
            if (sequence > number + 1 || sequence < 0) {
                damaged(at, "has sequence " + sequence + ", not " + (number + 1));
            }
            return;
        }
        int kind = intAt(at + TraceLayout.KIND_OFFSET);
        WaitKind wait = waitOf(kind);
        int peer = intAt(at + TraceLayout.PEER_OFFSET);
        int count = intAt(at + TraceLayout.COUNT_OFFSET);
        long bytes = longAt(at + TraceLayout.BYTES_OFFSET);
        long passedNs = began(at) - file.monotonicNs();
        if (TraceOperation.of(kind) == null && wait == null) {
            damaged(at, "is of the unknown kind " + kind);
        } else if (count < 1 || bytes < 0) {
            damaged(at, "stands for " + count + " operations of " + bytes + " bytes");
        } else if (duration(at) < 0 || passedNs < 0 || passedNs + duration(at) < 0
            || Math.multiplyHigh(duration(at), count) != 0) {
            damaged(at, "begins " + passedNs + " ns after its rank attached, and lasts " + duration(at) + " ns");
        } else if (wait != null && wait.peer() != WaitKind.Peer.TOKEN && peer >= file.ranks()) {
            damaged(at, "is a wait for " + peer + " in a job of " + file.ranks() + " ranks");
        } else {
            places[size++] = at;
        }
    }

    private void damaged(int at, String how) {
        if (damaged++ == 0) {
            firstDamage = "at byte " + at + ", which " + how;
        }
    }

    private static WaitKind waitOf(int kind) {
        return WaitKind.of(kind - TraceLayout.WAIT);
    }

    /** Problems of the file, in words. */
    List<String> problems() {
        return List.copyOf(problems);
    }

    int size() {
        return size;
    }

    /** Each is made when it is asked for. */
    @Override
    public Iterator<TraceRecord> iterator() {
        return IntStream.range(0, size).mapToObj(i -> record(places[i])).iterator();
    }

    private TraceRecord record(int at) {
        int kind = intAt(at + TraceLayout.KIND_OFFSET);
        return new TraceRecord(began(at), duration(at), longAt(at + TraceLayout.BYTES_OFFSET),
            intAt(at + TraceLayout.COUNT_OFFSET), TraceOperation.of(kind), waitOf(kind),
            intAt(at + TraceLayout.PEER_OFFSET), intAt(at + TraceLayout.THREAD_OFFSET),
            longAt(at + TraceLayout.SEGMENT_OFFSET), longAt(at + TraceLayout.NUMBER_OFFSET));
    }

    /** So many records before these are gone. */
    long overwritten() {
        return overwritten;
    }

    /** From when on nothing is missing: when the rank attached, or when its first record that is left ended. */
    long completeFromNs() {
        long first = file.monotonicNs();
        for (int i = 0; overwritten > 0 && i < size; i++) {
            long ended = began(places[i]) + duration(places[i]);
            first = i == 0 ? ended : Math.min(first, ended);
        }
        return first;
    }

    /** When the rank's last record ended, or the rank left; CLOCK_MONOTONIC. */
    long endNs() {
        long last = Math.max(file.monotonicNs(), file.leftNs());
        for (int i = 0; i < size; i++) {
            last = Math.max(last, began(places[i]) + duration(places[i]));
        }
        return last;
    }

    private long began(int at) {
        return longAt(at + TraceLayout.BEGAN_OFFSET);
    }

    private long duration(int at) {
        return longAt(at + TraceLayout.DURATION_OFFSET);
    }

    private long longAt(long offset) {
        return content.getLong((int) offset);
    }

    private int intAt(long offset) {
        return content.getInt((int) offset);
    }
}

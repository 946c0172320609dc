package org.tributary.wire.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.tributary.config.HostFacts;
import org.tributary.config.Shortage;

/**
 * Trace of a rank's operations and waits, in a file of {@link TraceLayout}. A record takes 0.1 to 0.3 us, looks at the
 * clock included, and the first one on a page of the file some more. So what takes less than {@link
 * TraceLayout#LEAST_WAIT_NS} is sampled or left out.
 *
 * <p>Thread-safe, but for operations that wait for nothing: their callers hold one lock.
 */
public final class Trace {
    private static final int OPERATIONS = TraceOperation.values().length;
    private static final int MOST_LEFT_OUT = 2 * TraceLayout.SAMPLE - 1;
    private static final int RAREST_LEFT_OUT = 2 * TraceLayout.RAREST_SAMPLE - 1;
    private static final int FAR_APART_NS = 4 * TraceLayout.SAMPLE_NS;
    private static final int MOST_ADDED = 2 * TraceLayout.ANSWERED_SAMPLE - 1;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private final Path file;
    private final MemorySegment memory;
    private volatile boolean over;
    private final AtomicLong recorded = new AtomicLong(); // those that are whole, known without a look at the file
    private final Set<Samples> samples = new HashSet<>(); // guarded by itself
    private final Samples oneWay; // of operations that wait for nothing
    private final Answered answered = new Answered(); // guarded by itself

    private Trace(Path file, MemorySegment memory) {
        this.file = file;
        this.memory = memory;
        oneWay = samples();
    }

    /**
     * Creates the file of a rank, and its folder if there is none; all its room is reserved.
     *
     * @throws IOException when the folder has no room, or may not be written to, or has a trace of this rank and job
     */
    public static Trace create(Path folder, String jobId, int rank, int node, int ranks) throws IOException {
        Path file = TraceLayout.file(folder, jobId, rank);
        try {
            Files.createDirectories(folder);
            SharedFile.create(file, TraceLayout.fileBytes());
        } catch (FileAlreadyExistsException e) {
            throw new IOException("rank " + rank + " cannot record: " + e.getFile() + " is there already; name another"
                + " folder for the trace, or remove it", e);
        } catch (SharedFile.NoSpaceException e) {
            throw new IOException("rank " + rank + " cannot record: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new IOException("rank " + rank + " cannot record in " + folder + ": "
                + Shortage.describe(e, folder), e);
        }
        MemorySegment memory = map(file);
        memory.set(INT, TraceLayout.VERSION_OFFSET, TraceLayout.VERSION);
        memory.set(INT, TraceLayout.RANK_OFFSET, rank);
        memory.set(INT, TraceLayout.NODE_OFFSET, node);
        memory.set(INT, TraceLayout.RANKS_OFFSET, ranks);
        memory.set(LONG, TraceLayout.CAPACITY_OFFSET, TraceLayout.CAPACITY);
        Instant real = Instant.now();
        memory.set(LONG, TraceLayout.MONOTONIC_OFFSET, System.nanoTime());
        memory.set(LONG, TraceLayout.REAL_OFFSET,
            TimeUnit.SECONDS.toNanos(real.getEpochSecond()) + real.getNano());
        set(memory, TraceLayout.JOB_OFFSET, TraceLayout.JOB_BYTES, jobId);
        set(memory, TraceLayout.BOOT_OFFSET, TraceLayout.BOOT_BYTES, HostFacts.bootId());
        SharedWord.setLongRelease(memory, TraceLayout.MAGIC_OFFSET, TraceLayout.MAGIC); // partner: a reader of the file
        return new Trace(file, memory);
    }

    private static MemorySegment map(Path file) throws IOException {
        try {
            return SharedFile.map(file, Arena.ofAuto()); // threads may record until the process ends
        } catch (IOException | RuntimeException | Error e) {
            Files.deleteIfExists(file);
            throw e;
        }
    }

    /** The rank has not attached: it may try again, and record then. */
    public void discard() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            System.err.println("tributary: " + file + " of a rank that has not attached cannot be removed: "
                + Shortage.describe(e, file));
        }
    }

    private static void set(MemorySegment memory, long offset, int room, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, offset, Math.min(bytes.length, room));
    }

    /** The time, when something begins that may be recorded; 0 when {@code trace} is null. */
    public static long now(Trace trace) {
        return trace == null ? 0 : System.nanoTime();
    }

    /** As {@link #now}, for an operation on the node of so many bytes; 0 also when it is not recorded. */
    public static long nowIfLarge(Trace trace, long bytes) {
        return bytes < TraceLayout.LARGE_BYTES ? 0 : now(trace);
    }

    /** An operation has ended now that began at that time. */
    public void operation(TraceOperation what, long beganNs, int peer, long bytes, long segment, long number) {
        add(what.ordinal(), beganNs, System.nanoTime() - beganNs, 1, bytes, peer, segment, number);
    }

    /** An operation that waited for an answer has ended, and has taken so long. */
    public void answered(TraceOperation what, long beganNs, long durationNs, int peer, long bytes, long segment,
        long number) {
        if (durationNs >= TraceLayout.LEAST_WAIT_NS || bytes >= TraceLayout.LARGE_BYTES) {
            add(what.ordinal(), beganNs, durationNs, 1, bytes, peer, segment, number);
        } else {
            synchronized (answered) {
                answered.ended(what.ordinal(), beganNs, durationNs, peer, bytes, segment, number);
            }
        }
    }

    /** For operations that are sampled; until {@link #end}, or until the rank leaves. */
    public Samples samples() {
        Samples made = new Samples();
        synchronized (samples) {
            samples.add(made);
        }
        return made;
    }

    /** There are no more operations of these; what was held back is recorded. */
    public void end(Samples of) {
        synchronized (samples) {
            if (samples.remove(of)) {
                of.flush();
            }
        }
    }

    /** The time, when an operation begins that waits for nothing and is recorded, else 0; needs no lock. */
    public long beginOneWay(TraceOperation what, long bytes) {
        return bytes >= TraceLayout.LARGE_BYTES || oneWay.isDue(what) ? System.nanoTime() : 0;
    }

    /** An operation has ended that began so. Callers hold one lock. */
    public void endOneWay(TraceOperation what, long beganNs, int peer, long bytes, long segment) {
        endOneWay(what, beganNs, peer, bytes, segment, 0);
    }

    /** The same, of an object with that number. */
    public void endOneWay(TraceOperation what, long beganNs, int peer, long bytes, long segment, long number) {
        if (bytes >= TraceLayout.LARGE_BYTES) {
            operation(what, beganNs, peer, bytes, segment, number);
        } else if (beganNs == 0) {
            oneWay.count(what, bytes);
        } else {
            oneWay.due(what, beganNs, peer, bytes, segment, number);
        }
    }

    /** A thread has waited from then until now; recorded if that was long. */
    public void waited(WaitKind why, long beganNs, int peer, long segment, long number) {
        waited(why, beganNs, System.nanoTime(), peer, segment, number);
    }

    /** The same until a moment ago. */
    public void waited(WaitKind why, long beganNs, long endedNs, int peer, long segment, long number) {
        long duration = endedNs - beganNs;
        if (duration >= TraceLayout.LEAST_WAIT_NS) {
            add(TraceLayout.WAIT + why.ordinal(), beganNs, duration, 1, 0, peer, segment, number);
        }
    }

    /**
     * Records what was held back; after the last operation.
     *
     * @param isInOrder whether the rank leaves in good order, which is recorded too
     */
    public void finish(boolean isInOrder) {
        if (over) {
            return;
        }
        synchronized (samples) {
            samples.forEach(Samples::flush);
            samples.clear();
        }
        try {
            if (isInOrder) {
                memory.set(LONG, TraceLayout.LEFT_OFFSET, System.nanoTime());
            }
            MemoryFaults.surface();
        } catch (InternalError e) {
            stop();
        }
        over = true;
    }

    /** Returns the number of the record, of no meaning when there are no more. */
    private long add(int kind, long beganNs, long durationNs, int count, long bytes, int peer, long segment,
        long number) {
        long record = 0;
        if (over) {
            return record;
        }
        MemoryFaults.surface(); // of what the operation itself has touched: not caught here
        try {
            record = store(kind, beganNs, durationNs, count, bytes, peer, segment, number);
            MemoryFaults.surface(); // callers may hold a lock, which what comes later would not give back
        } catch (InternalError e) {
            stop();
        }
        return record;
    }

    /** Has a record stand for so many; false when it is old, and its place soon that of another. */
    private boolean enlarge(long record, int count, long bytes) {
        if (over) {
            return true;
        }
        if (recorded.get() - record > TraceLayout.GROWS) {
            return false;
        }
        MemoryFaults.surface(); // as in add
        try {
            memory.set(LONG, placeOf(record) + TraceLayout.BYTES_OFFSET, bytes);
            memory.set(INT, placeOf(record) + TraceLayout.COUNT_OFFSET, count);
            MemoryFaults.surface();
        } catch (InternalError e) {
            stop();
        }
        return true;
    }

    /** What may be drawn after {@code most}: soon {@code usual}, and more where records are close to each other. */
    private static int next(int most, int usual, long apartNs) {
        boolean isMore = most < usual || apartNs < TraceLayout.SAMPLE_NS && most < RAREST_LEFT_OUT;
        boolean isFewer = apartNs > FAR_APART_NS && most > usual;
        return isMore ? 2 * most + 1 : isFewer ? most >> 1 : most;
    }

    private static long placeOf(long record) {
        return TraceLayout.RECORDS_OFFSET + (record & TraceLayout.CAPACITY - 1) * TraceLayout.RECORD_BYTES;
    }

    private long store(int kind, long beganNs, long durationNs, int count, long bytes, int peer, long segment,
        long number) {
        long next = SharedWord.getAndAddLong(memory, TraceLayout.NEXT_OFFSET, 1);
        long at = placeOf(next);
        memory.set(LONG, at + TraceLayout.SEQUENCE_OFFSET, 0);
        VarHandle.storeStoreFence(); // a reader that finds a field of this record finds it begun
        memory.set(LONG, at + TraceLayout.BEGAN_OFFSET, beganNs);
        memory.set(LONG, at + TraceLayout.DURATION_OFFSET, durationNs);
        memory.set(LONG, at + TraceLayout.BYTES_OFFSET, bytes);
        memory.set(INT, at + TraceLayout.COUNT_OFFSET, count);
        memory.set(INT, at + TraceLayout.KIND_OFFSET, kind);
        memory.set(INT, at + TraceLayout.PEER_OFFSET, peer);
        memory.set(INT, at + TraceLayout.THREAD_OFFSET, (int) Thread.currentThread().threadId());
        memory.set(LONG, at + TraceLayout.SEGMENT_OFFSET, segment);
        memory.set(LONG, at + TraceLayout.NUMBER_OFFSET, number);
        // Partner: a reader of the file, when the rank has ended.
        SharedWord.setLongRelease(memory, at + TraceLayout.SEQUENCE_OFFSET, next + 1);
        recorded.incrementAndGet();
        return next;
    }

    /** Somebody has truncated the file, or its mount has no room that it had promised. The job goes on. */
    private synchronized void stop() {
        if (!over) {
            over = true;
            System.err.println("tributary: the rank records no more: there is no memory behind " + file
                + ", which was truncated, or whose mount is full");
        }
    }

    /**
     * Operations that the trace does not record one by one, because a record would take long beside them. All are
     * counted. Some are timed and recorded, and each of these stands for those before it as well: first one in two or
     * three, later about one in {@link TraceLayout#SAMPLE}, and of very many about one in {@link
     * TraceLayout#SAMPLE_NS}. Chance draws how many are left out, so that a sample does not fall into step with the
     * program. Used by one thread at a time.
     */
    public final class Samples {
        /* By the code of the operation. */
        private final int[] left = new int[OPERATIONS]; // to leave out before the next that is recorded
        private final int[] drawn = new int[OPERATIONS]; // so many were left when the last one was recorded
        private final int[] most = new int[OPERATIONS]; // that may be drawn
        private final long[] heldBytes = new long[OPERATIONS];
        private final long[] lastNs = new long[OPERATIONS];
        private final long[] lastBeganNs = new long[OPERATIONS];
        private int random = (int) System.nanoTime() | 1;

        private Samples() {
        }

        /** Whether the next operation is recorded however short it is; its caller has the time then. */
        public boolean isDue(TraceOperation what) {
            return left[what.ordinal()] <= 0;
        }

        /** An operation has ended which nobody has timed. */
        public void count(TraceOperation what, long bytes) {
            left[what.ordinal()]--;
            heldBytes[what.ordinal()] += bytes;
        }

        /** An operation has ended that is due; it stands for others only if it was as short as they are. */
        private void due(TraceOperation what, long beganNs, int peer, long bytes, long segment, long number) {
            long durationNs = System.nanoTime() - beganNs;
            if (durationNs >= TraceLayout.LEAST_WAIT_NS) {
                add(what.ordinal(), beganNs, durationNs, 1, bytes, peer, segment, number);
            } else {
                record(what, beganNs, durationNs, peer, bytes, segment, number);
            }
        }

        /** An operation has ended that took so long, and stands for those before it. */
        private void record(TraceOperation what, long beganNs, long durationNs, int peer, long bytes, long segment,
            long number) {
            int code = what.ordinal();
            add(code, beganNs, durationNs, held(code) + 1, heldBytes[code] + bytes, peer, segment, number);
            lastNs[code] = durationNs;
            most[code] = next(most[code], MOST_LEFT_OUT, beganNs - lastBeganNs[code]);
            lastBeganNs[code] = beganNs;
            random = Chance.next(random);
            drawn[code] = random >>> 1 & most[code];
            left[code] = drawn[code];
            heldBytes[code] = 0;
        }

        /**
         * An operation has ended; recorded if it took long, or is due, else counted.
         *
         * @param beganNs when it began, or first took longer than usual
         */
        public void ended(TraceOperation what, long beganNs, int peer, long bytes, long segment, long number) {
            long durationNs = System.nanoTime() - beganNs;
            if (durationNs >= TraceLayout.LEAST_WAIT_NS) {
                add(what.ordinal(), beganNs, durationNs, 1, bytes, peer, segment, number);
            } else if (isDue(what)) {
                record(what, beganNs, durationNs, peer, bytes, segment, number);
            } else {
                count(what, bytes);
            }
        }

        /** Records what was counted since the last record of each operation, as if it had taken as long as that. */
        private void flush() {
            for (int code = 0; code < OPERATIONS; code++) {
                if (held(code) > 0) {
                    add(code, System.nanoTime() - lastNs[code], lastNs[code], held(code), heldBytes[code], -1, 0, 0);
                    left[code] = drawn[code];
                    heldBytes[code] = 0;
                }
            }
        }

        private int held(int code) {
            return drawn[code] - left[code];
        }
    }

    /**
     * Short operations that wait for an answer, so that how long they take is known. Some are recorded, at first one in
     * two or three, later about one in {@link TraceLayout#ANSWERED_SAMPLE}, and of very many about one in {@link
     * TraceLayout#SAMPLE_NS}; those that are far apart each. Each record stands for those that follow as well, and
     * grows with each. So the file has all of them, even if the rank is killed. Used with its lock held.
     */
    private final class Answered {
        /* By the code of the operation. */
        private final long[] record = new long[OPERATIONS]; // the latest
        private final int[] count = new int[OPERATIONS]; // for which it stands
        private final long[] bytes = new long[OPERATIONS]; // of these
        private final int[] left = new int[OPERATIONS]; // to add before the next is recorded
        private final int[] most = new int[OPERATIONS]; // that may be drawn
        private final long[] lastBeganNs = new long[OPERATIONS];
        private int random = (int) System.nanoTime() | 1;

        private void ended(int code, long beganNs, long durationNs, int peer, long size, long segment, long number) {
            boolean joins = left[code] > 0 && beganNs - lastBeganNs[code] <= FAR_APART_NS;
            if (joins && enlarge(record[code], count[code] + 1, bytes[code] + size)) {
                left[code]--;
                count[code]++;
                bytes[code] += size;
                return;
            }
            left[code] = 0; // should the next fail
            record[code] = add(code, beganNs, durationNs, 1, size, peer, segment, number);
            count[code] = 1;
            bytes[code] = size;
            most[code] = next(most[code], MOST_ADDED, beganNs - lastBeganNs[code]);
            lastBeganNs[code] = beganNs;
            random = Chance.next(random);
            left[code] = random >>> 1 & most[code];
        }
    }
}

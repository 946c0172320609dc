package org.tributary.wire.shm;

import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The file in which a rank, in Java or in C, records its operations and waits: a ring of the latest records, mapped by
 * the rank, so that it survives the rank however that ends.
 *
 * <pre>
 *   0      magic       int64, written last with release: the ready flag
 *   8      version     int32
 *   12     rank        int32
 *   16     node        int32
 *   20     ranks       int32, of the job
 *   24     capacity    int64, records in the ring
 *   32     monotonic   int64, CLOCK_MONOTONIC when the rank attached, in nanoseconds
 *   40     real        int64, CLOCK_REALTIME at that moment, in nanoseconds since 1970
 *   48     left        int64, CLOCK_MONOTONIC when the rank left in good order, else 0
 *   64     job         32 bytes, its id, padded with zeros
 *   96     boot        36 bytes, boot_id of the machine: which ranks share CLOCK_MONOTONIC
 *   192    next        int64, records begun so far: taken by a full read-modify-write
 *   4096   records, {@link #RECORD_BYTES} each; record n is at place n % capacity
 *
 *   a record:
 *   0          8        16         24      32      36     40     44       48        56
 *   +----------+--------+----------+-------+-------+------+------+--------+---------+--------+
 *   | sequence | began  | duration | bytes | count | kind | peer | thread | segment | number |
 *   | int64    | int64  | int64    | int64 | int32 | int32| int32| int32  | int64   | int64  |
 *   +----------+--------+----------+-------+-------+------+------+--------+---------+--------+
 *
 *   sequence: n + 1 once record n is complete, else 0 or that of an older record
 *   began:    CLOCK_MONOTONIC in nanoseconds (System.nanoTime); duration in nanoseconds
 *   bytes:    of all operations that the record stands for
 *   count:    so many operations; the time is that of one of them
 *   kind:     a {@link TraceOperation}, or {@link #WAIT} + a {@link WaitKind}, which explains peer, segment and number
 *   peer:     of an operation: the target, or the root; -1 for none
 *   number:   of a collective: the number of the call in its group
 * </pre>
 */
public final class TraceLayout {
    public static final long MAGIC = 0x4341_5254_4249_5254L;
    public static final int VERSION = 1;
    public static final long MAGIC_OFFSET = 0;
    public static final long VERSION_OFFSET = 8;
    public static final long RANK_OFFSET = 12;
    public static final long NODE_OFFSET = 16;
    public static final long RANKS_OFFSET = 20;
    public static final long CAPACITY_OFFSET = 24;
    public static final long MONOTONIC_OFFSET = 32;
    public static final long REAL_OFFSET = 40;
    public static final long LEFT_OFFSET = 48;
    public static final long JOB_OFFSET = 64;
    public static final int JOB_BYTES = 32;
    public static final long BOOT_OFFSET = 96;
    public static final int BOOT_BYTES = 36;
    public static final long NEXT_OFFSET = 192;
    public static final long RECORDS_OFFSET = 4096;
    public static final int RECORD_BYTES = 64;
    public static final long SEQUENCE_OFFSET = 0;
    public static final long BEGAN_OFFSET = 8;
    public static final long DURATION_OFFSET = 16;
    public static final long BYTES_OFFSET = 24;
    public static final long COUNT_OFFSET = 32;
    public static final long KIND_OFFSET = 36;
    public static final long PEER_OFFSET = 40;
    public static final long THREAD_OFFSET = 44;
    public static final long SEGMENT_OFFSET = 48;
    public static final long NUMBER_OFFSET = 56;
    /** Kinds from this on are waits. */
    public static final int WAIT = 256;
    /** Records that a rank keeps: 16 MiB. */
    public static final int CAPACITY = 1 << 18;
    /** So many later records may there be when one still comes to stand for more: few of the time that a ring holds. */
    public static final int GROWS = CAPACITY / 256;

    /* Limits that decide what is recorded, the same in Java and C. */

    /** Operations of so many bytes are always recorded; smaller ones on the node never. */
    public static final int LARGE_BYTES = 2 << 20;
    /**
     * Of smaller operations that wait for nothing, and of short collectives on the node, about one in so many is
     * recorded, and stands for the others. A power of two.
     */
    public static final int SAMPLE = 256;
    /**
     * Of shorter operations that wait for an answer, about one in so many is recorded, and stands for the others. A
     * power of two.
     */
    public static final int ANSWERED_SAMPLE = 16;
    /**
     * Fewer of both where records would follow each other sooner: a record takes microseconds, as nothing of it is in a
     * cache by then, and others may wait for it meanwhile. Also, the ring holds more time.
     */
    public static final int SAMPLE_NS = 10_000_000;
    /** But at least about one in so many. A power of two. */
    public static final int RAREST_SAMPLE = 1 << 16;
    /**
     * Waits of a shorter time are not recorded. Collectives on the node, and operations that wait for an answer, always
     * are when they take as long.
     */
    public static final int LEAST_WAIT_NS = 50_000;
    /**
     * A thread that polls looks at the clock now and then. What has not lasted so long at its last look is taken to be
     * short, without another look at its end.
     */
    public static final int LEAST_SEEN_NS = 25_000;
    /** Collectives on the node are timed each when all members together give so many bytes. */
    public static final int TIMED_COLLECTIVE_BYTES = 64 << 10;

    private static final String SUFFIX = ".trace";
    private static final Pattern NAME = Pattern.compile("(.+)\\.\\d+" + Pattern.quote(SUFFIX));

    private TraceLayout() {
    }

    /** What a rank reserves when it attaches: {@link #CAPACITY} records, and the page before them. */
    public static long fileBytes() {
        return RECORDS_OFFSET + (long) CAPACITY * RECORD_BYTES;
    }

    /** {@code JOB.RANK.trace} in a folder; {@link #jobOf} finds the job again. */
    public static Path file(Path folder, String jobId, int rank) {
        return folder.resolve(jobId + "." + rank + SUFFIX);
    }

    /** The id of the job of a file with such a name, if it is one. */
    public static Optional<String> jobOf(Path file) {
        Matcher name = NAME.matcher(file.getFileName().toString());
        return name.matches() ? Optional.of(name.group(1)) : Optional.empty();
    }
}

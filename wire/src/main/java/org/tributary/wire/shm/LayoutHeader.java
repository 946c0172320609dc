package org.tributary.wire.shm;

import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tributary.wire.Frames;
import org.tributary.wire.Handshake;

/** Writes places and sizes in shared memory and limits of messages as a header of C, for the C client's build. */
public final class LayoutHeader {
    private LayoutHeader() {
    }

    /** One macro for each number. */
    public static String text() {
        return Stream.of(
            define("FRAME_LENGTH_BYTES", Frames.LENGTH_BYTES),
            define("FRAME_HEADER_BYTES", Frames.HEADER_BYTES),
            define("FRAME_FLAG_ACK", Frames.FLAG_ACK),
            define("VECTOR_ENTRY_BYTES", Frames.VECTOR_ENTRY_BYTES),
            define("WIRE_MAX_LEVELS", Frames.MAX_LEVELS),
            define("TOKEN_BYTES", Handshake.TOKEN_BYTES),
            define("MAX_FORWARDED_OVERHEAD", Frames.MAX_FORWARDED_OVERHEAD),
            define("NO_RANK", Frames.NO_RANK),
            define("CONTROL_MAGIC", ControlFile.MAGIC),
            define("CONTROL_VERSION", ControlFile.VERSION),
            define("CONTROL_VERSION_OFFSET", ControlFile.VERSION_OFFSET),
            define("CONTROL_LOCAL_RANKS_OFFSET", ControlFile.LOCAL_RANKS_OFFSET),
            define("CONTROL_NODE_OFFSET", ControlFile.NODE_OFFSET),
            define("CONTROL_NOTIFY_CAPACITY_OFFSET", ControlFile.NOTIFY_CAPACITY_OFFSET),
            define("CONTROL_SERVER_PID_OFFSET", ControlFile.SERVER_PID_OFFSET),
            define("MAX_NOTIFY_CAPACITY", ControlFile.MAX_NOTIFY_CAPACITY),
            define("CONTROL_LOCKS_OFFSET", ControlFile.LOCKS_OFFSET),
            define("CONTROL_RANK_BLOCKS_OFFSET", ControlFile.RANK_BLOCKS_OFFSET),
            define("RANK_STATE_OFFSET", ControlFile.RANK_STATE_OFFSET),
            define("RANK_PID_OFFSET", ControlFile.RANK_PID_OFFSET),
            define("RANK_NOTIFY_OFFSET", ControlFile.RANK_NOTIFY_OFFSET),
            define("BELL_OFFSET", Doorbell.BELL),
            define("SLEEPERS_OFFSET", Doorbell.SLEEPERS),
            define("RINGS_MAGIC", RingFile.MAGIC),
            define("RINGS_VERSION", RingFile.VERSION),
            define("RINGS_VERSION_OFFSET", RingFile.VERSION_OFFSET),
            define("RINGS_LOCAL_RANKS_OFFSET", RingFile.LOCAL_RANKS_OFFSET),
            define("RINGS_RING_BYTES_OFFSET", RingFile.RING_BYTES_OFFSET),
            define("SERVER_BELL_OFFSET", RingFile.BELL_OFFSET + ServerBell.BELL),
            define("SERVER_ASLEEP_OFFSET", RingFile.BELL_OFFSET + ServerBell.ASLEEP),
            define("RINGS_OFFSET", RingFile.RINGS_OFFSET),
            define("RING_TAIL_OFFSET", RequestRing.TAIL),
            define("RING_HEAD_OFFSET", RequestRing.HEAD),
            define("RING_DATA_OFFSET", RequestRing.DATA),
            define("NOTIFY_ENTRY_BYTES", NotifyTable.ENTRY_BYTES),
            define("NOTIFY_COUNT_OFFSET", NotifyTable.COUNT),
            define("LOCKS", AccumulateLocks.LOCKS),
            define("LOCK_BYTES", AccumulateLocks.BYTES / AccumulateLocks.LOCKS),
            define("STRIPE_BYTES", AccumulateLocks.STRIPE_BYTES),
            define("SERVER_TOKEN", ControlFile.SERVER_TOKEN),
            define("MUTEX_STRIDE", MutexWord.STRIDE),
            define("MUTEX_CONTENDED", MutexWord.CONTENDED),
            define("PART_ALIGNMENT", SegmentLayout.PART_ALIGNMENT),
            define("WORLD_SEGMENT", CollectiveLayout.WORLD_SEGMENT),
            define("INBOX_LINE", CollectiveLayout.LINE),
            define("INBOX_PARITIES", CollectiveLayout.PARITIES),
            define("INBOX_BUFFERS", CollectiveLayout.BUFFERS),
            define("CALL_BYTES", CollectiveLayout.CALL_BYTES))
            .collect(Collectors.joining("", "/* Generated from org.tributary.wire and its package shm. */\n", ""));
    }

    /** Small numbers are of type int, as in Java; the least of C's has no literal. */
    private static String define(String name, long value) {
        String literal = value == Long.MIN_VALUE ? "INT64_MIN"
            : value == (int) value ? Long.toString(value) : "0x%XLL".formatted(value);
        return "#define TRIB_" + name + " " + literal + "\n";
    }
}

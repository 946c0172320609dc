package org.tributary.wire.shm;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.tributary.wire.RankState;

/**
 * A control file as a process reads it that takes no part: without mapping it, so that a file that is truncated harms
 * nobody, and without trust in any field.
 */
public record NodeView(int node, int jobRanks, int jobNodes, String layout, long serverPid,
                       boolean isServerPresent, List<Rank> ranks) {
    private static final int MAX_RANKS = 1 << 20;
    private static final int READINGS = 20;
    private static final int RANK_BYTES = (int) ControlFile.RANK_LATENCIES_OFFSET;

    public NodeView {
        ranks = List.copyOf(ranks);
    }

    /**
     * A rank's entry in the file.
     *
     * @param rank      below 0 when the file does not say it any more
     * @param state     null when there is no such state
     * @param isPresent whether the process of that place lives
     * @param blocked   waits so far in which a thread of it has blocked
     * @param isHarmed  whether something was there that no process writes
     */
    public record Rank(int rank, RankState state, long pid, boolean isPresent, long blocked, List<Wait> waits,
                       boolean isHarmed) {
        public Rank {
            waits = List.copyOf(waits);
        }
    }

    /** A slot in use; the peer is -1 or more. */
    public record Wait(WaitKind kind, int peer, long segment, long number, long sinceNs) {
    }

    /**
     * Reads a control file.
     *
     * @throws IOException when it is none of this version, or not there any more
     */
    public static NodeView read(Path control) throws IOException {
        try (FileChannel file = FileChannel.open(control, StandardOpenOption.READ)) {
            ByteBuffer header = read(file, 0, (int) ControlFile.LOCKS_OFFSET);
            if (header.getLong(0) != ControlFile.MAGIC
                || header.getInt((int) ControlFile.VERSION_OFFSET) != ControlFile.VERSION) {
                throw new IOException(control + " is no control file of version " + ControlFile.VERSION
                    + ": magic " + Long.toHexString(header.getLong(0)) + ", version "
                    + header.getInt((int) ControlFile.VERSION_OFFSET) + "; use the 'tributary' of that job's release");
            }
            int ranks = header.getInt((int) ControlFile.LOCAL_RANKS_OFFSET);
            int capacity = header.getInt((int) ControlFile.NOTIFY_CAPACITY_OFFSET);
            if (ranks <= 0 || ranks > MAX_RANKS || capacity <= 0 || capacity > ControlFile.MAX_NOTIFY_CAPACITY
                || file.size() != ControlFile.bytes(ranks, capacity)) {
                throw new IOException(control + " is damaged: " + file.size() + " bytes for " + ranks
                    + " ranks that are each notified by up to " + capacity);
            }
            int jobRanks = Math.max(ranks, header.getInt((int) ControlFile.JOB_RANKS_OFFSET));
            boolean[] present = Presence.look(control, ranks);
            List<Rank> all = new ArrayList<>();
            for (int i = 0; i < ranks; i++) {
                long block = ControlFile.RANK_BLOCKS_OFFSET + i * ControlFile.rankBlockBytes(capacity);
                all.add(rank(file, block, i, jobRanks, present[i + 1]));
            }
            int length = Math.clamp(header.getInt((int) ControlFile.LAYOUT_LENGTH_OFFSET), 0, ControlFile.MAX_LAYOUT);
            String layout = new String(header.array(), (int) ControlFile.LAYOUT_OFFSET, length,
                StandardCharsets.US_ASCII).replaceAll("[^0-9a-z*,.():]", "?");
            return new NodeView(header.getInt((int) ControlFile.NODE_OFFSET), jobRanks,
                Math.max(1, header.getInt((int) ControlFile.JOB_NODES_OFFSET)), layout,
                header.getLong((int) ControlFile.SERVER_PID_OFFSET), present[0], all);
        }
    }

    /**
     * How many calls of its ranks have taken how long, by kind and bucket of {@link Latencies}.
     *
     * @throws IOException when it is no whole control file any more
     */
    public int[] readLatencies(Path control) throws IOException {
        int[] counts = new int[Latencies.BYTES / Integer.BYTES];
        int[] own = new int[counts.length];
        try (FileChannel file = FileChannel.open(control, StandardOpenOption.READ)) {
            long blockBytes = (file.size() - ControlFile.RANK_BLOCKS_OFFSET) / ranks.size();
            for (int i = 0; i < ranks.size(); i++) {
                read(file, ControlFile.RANK_BLOCKS_OFFSET + i * blockBytes + ControlFile.RANK_LATENCIES_OFFSET,
                    Latencies.BYTES).flip().asIntBuffer().get(own);
                for (int bucket = 0; bucket < counts.length; bucket++) {
                    if (own[bucket] != 0) { // as few are: code that runs once a second is interpreted
                        counts[bucket] += own[bucket];
                    }
                }
            }
        }
        return counts;
    }

    private static ByteBuffer read(FileChannel file, long at, int bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
        if (file.read(buffer, at) != bytes) {
            throw new IOException("it ends before byte " + (at + bytes));
        }
        return buffer;
    }

    /** The same bytes twice in a row, with an even sequence, are those of one moment. */
    private static Rank rank(FileChannel file, long block, int index, int jobRanks, boolean isPresent)
        throws IOException {
        ByteBuffer last = read(file, block, RANK_BYTES);
        boolean[] settled = new boolean[WaitSlots.SLOTS];
        List<Wait> waits = new ArrayList<>();
        long blocked = 0;
        boolean isHarmed = false;
        for (int reading = 0; reading < READINGS && !allOf(settled); reading++) {
            ByteBuffer now = read(file, block, RANK_BYTES);
            for (int slot = 0; slot < WaitSlots.SLOTS; slot++) {
                int at = (int) ControlFile.RANK_WAITS_OFFSET + slot * WaitSlots.SLOT_BYTES;
                boolean isSame = now.slice(at, WaitSlots.SLOT_BYTES).equals(last.slice(at, WaitSlots.SLOT_BYTES));
                if (!settled[slot] && isSame && (now.getInt(at + WaitSlots.SEQUENCE_OFFSET) & 1) == 0) {
                    settled[slot] = true;
                    blocked += now.getLong(at + WaitSlots.COUNT_OFFSET);
                    isHarmed |= !add(now, at, waits);
                }
            }
            last = now;
        }
        int state = last.getInt((int) ControlFile.RANK_STATE_OFFSET);
        long pid = last.getLong((int) ControlFile.RANK_PID_OFFSET);
        int number = last.getInt((int) ControlFile.RANK_NUMBER_OFFSET);
        boolean isRank = number >= 0 && number < jobRanks;
        boolean isState = RankState.isOne(state);
        boolean isPid = pid >= 0 && pid <= Integer.MAX_VALUE;
        return new Rank(isRank ? number : -1 - index, isState ? RankState.of(state) : null, isPid ? pid : 0, isPresent,
            blocked, waits, isHarmed || !isRank || !isState || !isPid);
    }

    private static boolean allOf(boolean... flags) {
        for (boolean flag : flags) {
            if (!flag) {
                return false;
            }
        }
        return true;
    }

    /** Adds the wait of a slot if there is one; false when it holds what no rank writes. */
    private static boolean add(ByteBuffer bytes, int at, List<Wait> waits) {
        WaitKind kind = WaitKind.of(bytes.getInt(at + WaitSlots.KIND_OFFSET));
        int peer = bytes.getInt(at + WaitSlots.PEER_OFFSET);
        long sinceNs = bytes.getLong(at + WaitSlots.SINCE_OFFSET);
        if (kind == WaitKind.NONE) {
            return true;
        }
        if (kind == null || peer < -1 || sinceNs - System.nanoTime() > 0) {
            return false;
        }
        waits.add(new Wait(kind, peer, bytes.getLong(at + WaitSlots.SEGMENT_OFFSET),
            bytes.getLong(at + WaitSlots.NUMBER_OFFSET), sinceNs));
        return true;
    }
}

package org.tributary.wire.shm;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
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
     * Of the same moment, more or less.
     *
     * @param latencies how many calls of its ranks have taken how long, by kind and bucket of {@link Latencies}
     */
    public record Whole(NodeView node, int[] latencies) {
    }

    /**
     * Reads a control file.
     *
     * @throws IOException when it is none of this version, or not there any more
     */
    public static NodeView read(Path control) throws IOException {
        return read(control, 0).node;
    }

    /** The same with the times of calls. */
    public static Whole readWhole(Path control) throws IOException {
        return read(control, Latencies.BYTES);
    }

    private static Whole read(Path control, int latencyBytes) throws IOException {
        try (OpenFile file = OpenFile.of(control)) {
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
            boolean[] present = Presence.look(file, ranks);
            List<Rank> all = new ArrayList<>();
            int[] latencies = new int[latencyBytes / Integer.BYTES];
            for (int i = 0; i < ranks; i++) {
                long block = ControlFile.RANK_BLOCKS_OFFSET + i * ControlFile.rankBlockBytes(capacity);
                ByteBuffer first = read(file, block, RANK_BYTES + latencyBytes);
                all.add(rank(file, block, first, i, jobRanks, present[i + 1]));
                add(first.position(RANK_BYTES).asIntBuffer(), latencies);
            }
            int length = Math.clamp(header.getInt((int) ControlFile.LAYOUT_LENGTH_OFFSET), 0, ControlFile.MAX_LAYOUT);
            return new Whole(new NodeView(header.getInt((int) ControlFile.NODE_OFFSET), jobRanks,
                Math.max(1, header.getInt((int) ControlFile.JOB_NODES_OFFSET)), layout(header, length),
                header.getLong((int) ControlFile.SERVER_PID_OFFSET), present[0], all), latencies);
        }
    }

    private static void add(IntBuffer own, int... counts) {
        int[] all = new int[counts.length];
        own.get(all);
        for (int bucket = 0; bucket < counts.length; bucket++) {
            if (all[bucket] != 0) { // as few are: code that runs once a second is interpreted
                counts[bucket] += all[bucket];
            }
        }
    }

    /** A terminal takes some characters for commands. */
    private static String layout(ByteBuffer header, int length) {
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            char c = (char) header.get((int) ControlFile.LAYOUT_OFFSET + i);
            text.append(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || "*,.():".indexOf(c) >= 0 ? c : '?');
        }
        return text.toString();
    }

    private static ByteBuffer read(OpenFile file, long at, int bytes) throws IOException {
        ByteBuffer buffer = file.read(at, bytes);
        if (buffer.limit() != bytes) {
            throw new IOException("it ends before byte " + (at + bytes));
        }
        return buffer;
    }

    /** The same bytes twice in a row, with an even sequence, are those of one moment. */
    private static Rank rank(OpenFile file, long block, ByteBuffer first, int index, int jobRanks, boolean isPresent)
        throws IOException {
        ByteBuffer last = first;
        boolean[] settled = new boolean[WaitSlots.SLOTS];
        List<Wait> waits = new ArrayList<>();
        long blocked = 0;
        boolean isHarmed = false;
        for (int reading = 0; reading < READINGS && !allOf(settled); reading++) {
            ByteBuffer now = read(file, block, RANK_BYTES);
            for (int slot = 0; slot < WaitSlots.SLOTS; slot++) {
                int at = (int) ControlFile.RANK_WAITS_OFFSET + slot * WaitSlots.SLOT_BYTES;
                boolean isSame = Arrays.equals(now.array(), at, at + WaitSlots.SLOT_BYTES,
                    last.array(), at, at + WaitSlots.SLOT_BYTES);
                if (!settled[slot] && isSame && (now.getInt(at + WaitSlots.SEQUENCE_OFFSET) & 1) == 0) {
                    settled[slot] = true;
                    blocked += now.getLong(at + WaitSlots.COUNT_OFFSET)
                        + (slot == 0 ? now.getLong(at + WaitSlots.HIDDEN_OFFSET) : 0);
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

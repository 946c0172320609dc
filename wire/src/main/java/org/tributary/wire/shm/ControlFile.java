package org.tributary.wire.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.IntPredicate;
import org.tributary.config.Topology;
import org.tributary.wire.RankState;

/**
 * The node's control file: what the ranks of a node and their server share besides segments.
 *
 * <pre>
 *   0      magic          int64
 *   8      version        int32, written last with release: the ready flag
 *   12     localRanks     int32
 *   16     node           int32
 *   20     notifyCapacity int32
 *   24     serverPid      int64
 *   32     jobRanks       int32
 *   36     jobNodes       int32
 *   40     layoutLength   int32
 *   44     layout         of the job, {@link #MAX_LAYOUT} bytes of text at most; for people, as the three before it
 *   512    accumulate locks, {@link AccumulateLocks#BYTES}
 *   66048  rank blocks, one for each rank of the node:
 *            0    {@link Doorbell}
 *            64   state   int32, values of RankState
 *            68   rank    int32
 *            72   pid     int64
 *            128  {@link WaitSlots}
 *            384  {@link Latencies}
 *            16512 {@link NotifyTable}
 * </pre>
 *
 * <p>Ranks can write to all of it, so it is not trusted: a process reads the layout once, checks it against the file
 * and keeps it. Each process that is present locks a byte of the file ({@link Presence}). Thread-safe.
 */
public final class ControlFile {
    /** Token of the server in {@link AccumulateLocks}; ranks use their index on the node + 1. */
    public static final int SERVER_TOKEN = Integer.MAX_VALUE;
    static final long MAGIC = 0x5942_5254_5542_4952L;
    static final int VERSION = 6;
    static final long VERSION_OFFSET = 8;
    static final long LOCAL_RANKS_OFFSET = 12;
    static final long NODE_OFFSET = 16;
    static final long NOTIFY_CAPACITY_OFFSET = 20;
    static final long SERVER_PID_OFFSET = 24;
    static final long JOB_RANKS_OFFSET = 32;
    static final long JOB_NODES_OFFSET = 36;
    static final long LAYOUT_LENGTH_OFFSET = 40;
    static final long LAYOUT_OFFSET = 44;
    static final int MAX_LAYOUT = 256;
    static final long LOCKS_OFFSET = 512;
    static final long RANK_BLOCKS_OFFSET = LOCKS_OFFSET + AccumulateLocks.BYTES;
    static final long RANK_STATE_OFFSET = 64;
    static final long RANK_NUMBER_OFFSET = 68;
    static final long RANK_PID_OFFSET = 72;
    static final long RANK_WAITS_OFFSET = 128;
    static final long RANK_LATENCIES_OFFSET = RANK_WAITS_OFFSET + WaitSlots.SLOTS * WaitSlots.SLOT_BYTES;
    static final long RANK_NOTIFY_OFFSET = RANK_LATENCIES_OFFSET + Latencies.BYTES;
    static final int MAX_NOTIFY_CAPACITY = 1 << 24;

    private final Path file;
    private final MemorySegment memory;
    private final long rankBlockBytes;
    private final long serverPid;
    private final Doorbell[] doorbells;
    private final NotifyTable[] notifyTables;

    private ControlFile(Path file, MemorySegment memory, int ranks, int capacity) {
        this.file = file;
        this.memory = memory;
        rankBlockBytes = rankBlockBytes(capacity);
        serverPid = memory.get(ValueLayout.JAVA_LONG, SERVER_PID_OFFSET);
        doorbells = new Doorbell[ranks];
        notifyTables = new NotifyTable[ranks];
        for (int i = 0; i < ranks; i++) {
            MemorySegment block = memory.asSlice(rankBlock(i), rankBlockBytes);
            doorbells[i] = new Doorbell(block);
            notifyTables[i] = new NotifyTable(
                block.asSlice(RANK_NOTIFY_OFFSET, NotifyTable.bytes(capacity)), capacity);
        }
    }

    static long rankBlockBytes(int notifyCapacity) {
        return RANK_NOTIFY_OFFSET + (NotifyTable.bytes(notifyCapacity) + 63) / 64 * 64;
    }

    /** Length of the file of a node with so many ranks. */
    public static long bytes(int localRanks, int notifyCapacity) {
        return RANK_BLOCKS_OFFSET + localRanks * rankBlockBytes(notifyCapacity);
    }

    /** Creates the file of a node of a job; the server calls this once. */
    public static ControlFile create(Path file, Arena arena, Topology job, int node, int notifyCapacity)
        throws IOException {
        int localRanks = job.rankCount(node);
        SharedFile.create(file, bytes(localRanks, notifyCapacity));
        MemorySegment memory = SharedFile.map(file, arena);
        memory.set(ValueLayout.JAVA_LONG, 0, MAGIC);
        memory.set(ValueLayout.JAVA_INT, LOCAL_RANKS_OFFSET, localRanks);
        memory.set(ValueLayout.JAVA_INT, NODE_OFFSET, node);
        memory.set(ValueLayout.JAVA_INT, NOTIFY_CAPACITY_OFFSET, notifyCapacity);
        memory.set(ValueLayout.JAVA_LONG, SERVER_PID_OFFSET, ProcessHandle.current().pid());
        memory.set(ValueLayout.JAVA_INT, JOB_RANKS_OFFSET, job.rankCount());
        memory.set(ValueLayout.JAVA_INT, JOB_NODES_OFFSET, job.nodeCount());
        byte[] layout = shortened(job.toString()).getBytes(StandardCharsets.US_ASCII);
        memory.set(ValueLayout.JAVA_INT, LAYOUT_LENGTH_OFFSET, layout.length);
        MemorySegment.copy(layout, 0, memory, ValueLayout.JAVA_BYTE, LAYOUT_OFFSET, layout.length);
        for (int i = 0; i < localRanks; i++) {
            memory.set(ValueLayout.JAVA_INT, RANK_BLOCKS_OFFSET + i * rankBlockBytes(notifyCapacity)
                + RANK_NUMBER_OFFSET, job.rankAt(node, i));
        }
        SharedWord.setRelease(memory, VERSION_OFFSET, VERSION); // partner: open()
        return new ControlFile(file, memory, localRanks, notifyCapacity);
    }

    private static String shortened(String layout) {
        return layout.length() <= MAX_LAYOUT ? layout : layout.substring(0, MAX_LAYOUT - 3) + "...";
    }

    /**
     * Opens the file of a running server.
     *
     * @throws IOException when it is not a control file of this version
     */
    public static ControlFile open(Path file, Arena arena) throws IOException {
        MemorySegment memory = SharedFile.map(file, arena);
        if (memory.byteSize() < RANK_BLOCKS_OFFSET) {
            throw new IOException(file + " is no control file: it has " + memory.byteSize() + " bytes, not at least "
                + RANK_BLOCKS_OFFSET);
        }
        int version = SharedWord.getAcquire(memory, VERSION_OFFSET); // partner: create()
        long magic = memory.get(ValueLayout.JAVA_LONG, 0);
        if (magic != MAGIC || version != VERSION) {
            throw new IOException(file + " is no control file of version " + VERSION + ": magic "
                + Long.toHexString(magic) + ", version " + version + "; rank and server must be of one release");
        }
        int ranks = memory.get(ValueLayout.JAVA_INT, LOCAL_RANKS_OFFSET);
        int capacity = memory.get(ValueLayout.JAVA_INT, NOTIFY_CAPACITY_OFFSET);
        boolean fits = ranks > 0 && capacity > 0 && capacity <= MAX_NOTIFY_CAPACITY
            && memory.byteSize() == bytes(ranks, capacity);
        if (!fits) {
            throw new IOException(file + " is damaged: " + memory.byteSize() + " bytes for " + ranks
                + " ranks that are each notified by up to " + capacity);
        }
        return new ControlFile(file, memory, ranks, capacity);
    }

    private long rankBlock(int localIndex) {
        return RANK_BLOCKS_OFFSET + localIndex * rankBlockBytes;
    }

    public Path file() {
        return file;
    }

    /** Bytes of the file when it was mapped. */
    public long sizeInBytes() {
        return memory.byteSize();
    }

    public int localRankCount() {
        return doorbells.length;
    }

    /** Process of the server, as it calls itself. */
    public long serverPid() {
        return serverPid;
    }

    /** Where a rank of the node sleeps. */
    public Doorbell doorbell(int localIndex) {
        return doorbells[localIndex];
    }

    /** Where a rank of the node says what it waits for; for that rank alone. */
    public WaitSlots waits(int localIndex) {
        return new WaitSlots(memory.asSlice(rankBlock(localIndex) + RANK_WAITS_OFFSET,
            WaitSlots.SLOTS * (long) WaitSlots.SLOT_BYTES));
    }

    /** Where a rank of the node notes how long its calls take; for that rank alone. */
    public Latencies latencies(int localIndex) {
        return new Latencies(memory.asSlice(rankBlock(localIndex) + RANK_LATENCIES_OFFSET, Latencies.BYTES));
    }

    public NotifyTable notifications(int localIndex) {
        return notifyTables[localIndex];
    }

    /**
     * State of a rank as its server has set it.
     *
     * @throws DamagedMemoryException when there is no such state
     */
    public RankState rankState(int localIndex) {
        int state = SharedWord.getAcquire(memory, rankBlock(localIndex) + RANK_STATE_OFFSET); // read once
        if (!RankState.isOne(state)) {
            throw new DamagedMemoryException("the state of rank " + localIndex + " of the node in " + file, "it is "
                + state);
        }
        return RankState.of(state);
    }

    /** Process of a rank, 0 before it attached. */
    public long rankPid(int localIndex) {
        return SharedWord.getLongAcquire(memory, rankBlock(localIndex) + RANK_PID_OFFSET);
    }

    /**
     * Server: a rank has changed its state. Everyone on the node may wait for that, so everyone is woken. The server
     * keeps for itself what it needs again, because ranks can write here.
     */
    public void setRankState(int localIndex, RankState state, long pid) {
        SharedWord.setLongRelease(memory, rankBlock(localIndex) + RANK_PID_OFFSET, pid);
        SharedWord.setRelease(memory, rankBlock(localIndex) + RANK_STATE_OFFSET, state.value()); // partner: rankState()
        ringAll();
    }

    /**
     * From now on this process is present as the one with that token.
     *
     * @throws IOException when another one that lives is
     */
    public Presence present(int token) throws IOException {
        return Presence.take(file, token, localRankCount());
    }

    /**
     * The locks for accumulates, as the process with that token uses them.
     *
     * @param isAlive whether the process with a token lives, as {@link Presence#isAlive}
     * @param check   what ends a wait by throwing, as {@link AccumulateLocks}
     */
    public AccumulateLocks accumulateLocks(int token, IntPredicate isAlive, Runnable check) {
        return accumulateLocks(token, isAlive, check, WaitSlots.unshared());
    }

    /** The same for a rank, whose threads that wait long say so in its slots. */
    public AccumulateLocks accumulateLocks(int token, IntPredicate isAlive, Runnable check, WaitSlots waits) {
        return new AccumulateLocks(file.toString(), memory.asSlice(LOCKS_OFFSET, AccumulateLocks.BYTES), token, isAlive,
            check, waits);
    }

    private void ringAll() {
        for (Doorbell doorbell : doorbells) {
            doorbell.ring();
        }
    }
}

package org.tributary.server.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Consumer;
import org.agrona.collections.IntHashSet;
import org.tributary.config.NodeRanks;
import org.tributary.wire.shm.SegmentKind;
import org.tributary.wire.shm.SegmentLayout;

/**
 * A segment as its server holds it: the mapped file and the part of each rank of the node. Any loop that moves data
 * uses it. It is removed by the main one, and unmapped when each loop has let it go: when the loop has come to a place
 * where it knows of the removal, and nothing is on its way there.
 */
public final class NodeSegment {
    static final long NO_PART = -1;
    /** Each loop writes to a cache line of its own; the array's own header is in the first one. */
    private static final int INTS_OF_LOOP = 16;
    /** What is on its way, then whether the loop lets go when nothing is. */
    private static final int PINS = 0;
    private static final int LETS_GO = 1;

    private final long id;
    private final SegmentKind kind;
    private final Path path;
    private final SegmentLayout layout;
    private final MemorySegment file;
    private final Arena arena;
    private final NodeRanks ranks;
    private final MemorySegment[] parts;
    private final long[] fileOffsets;
    private final IntHashSet[] sharedByOthers;
    private final AtomicIntegerArray enteredOnLoops;
    private final AtomicIntegerArray leftOnLoops;
    private final int[] uses;
    private final AtomicInteger users;
    private volatile boolean isRemoved;
    /** Written before the first loop lets go. */
    private Consumer<Arena> unmapping;

    /** Used by so many loops. */
    NodeSegment(long id, SegmentKind kind, SegmentLayout layout, Path path, MemorySegment file, Arena arena,
        NodeRanks ranks, int loops) {
        this.uses = new int[(1 + loops) * INTS_OF_LOOP];
        this.users = new AtomicInteger(loops);
        this.id = id;
        this.kind = kind;
        this.path = path;
        this.layout = layout;
        this.file = file;
        this.arena = arena;
        this.ranks = ranks;
        this.parts = new MemorySegment[ranks.count()];
        this.fileOffsets = new long[parts.length];
        this.sharedByOthers = new IntHashSet[kind == SegmentKind.WINDOW ? parts.length : 0];
        this.enteredOnLoops = new AtomicIntegerArray(sharedByOthers.length);
        this.leftOnLoops = new AtomicIntegerArray(sharedByOthers.length);
        for (int part = 0; part < layout.partCount(); part++) {
            int index = ranks.indexOf(layout.rank(part));
            parts[index] = file.asSlice(layout.offset(part), layout.length(part));
            fileOffsets[index] = layout.offset(part);
            if (kind == SegmentKind.WINDOW) {
                sharedByOthers[index] = new IntHashSet();
            }
        }
    }

    public long id() {
        return id;
    }

    Path path() {
        return path;
    }

    public SegmentKind kind() {
        return kind;
    }

    SegmentLayout layout() {
        return layout;
    }

    /** The whole file. */
    MemorySegment file() {
        return file;
    }

    /** Length of a rank's part, or {@link #NO_PART}. */
    long length(int rank) {
        int index = ranks.indexOf(rank);
        return index < 0 || parts[index] == null ? NO_PART : parts[index].byteSize();
    }

    /** A rank's part; the rank has one. */
    public MemorySegment part(int rank) {
        return parts[ranks.indexOf(rank)];
    }

    /** Where a rank's part lies in the file. */
    public long fileOffset(int rank) {
        return fileOffsets[ranks.indexOf(rank)];
    }

    /**
     * The ranks of other nodes that hold the lock of a rank's part shared, as far as the main loop knows; the segment
     * is that of a window's locks. Owned by that loop.
     */
    IntHashSet sharedByOthers(int rank) {
        return sharedByOthers[ranks.indexOf(rank)];
    }

    /**
     * One more rank of other nodes holds the lock of a rank's part shared, and the main loop does not know which. Any
     * loop, when it has taken the word.
     */
    void enteredOnLoop(int rank) {
        enteredOnLoops.incrementAndGet(ranks.indexOf(rank));
    }

    /** One fewer. Any loop, before it releases the word; {@link #enteredOnLoop} takes it back if that fails. */
    void leftOnLoop(int rank) {
        leftOnLoops.incrementAndGet(ranks.indexOf(rank));
    }

    /** How many have entered so far; at no moment have more entered and not {@link #leftOnLoops} than hold the word. */
    int enteredOnLoops(int rank) {
        return enteredOnLoops.get(ranks.indexOf(rank));
    }

    /** How many have left so far. */
    int leftOnLoops(int rank) {
        return leftOnLoops.get(ranks.indexOf(rank));
    }

    private static int at(int loop) {
        return (1 + loop) * INTS_OF_LOOP;
    }

    /** Keeps the mapping while a loop moves bytes between it and a socket. On that loop. */
    public void pin(int loop) {
        uses[at(loop) + PINS]++;
    }

    /** On the same loop. */
    public void unpin(int loop) {
        int at = at(loop);
        if (--uses[at + PINS] == 0 && uses[at + LETS_GO] != 0) {
            uses[at + LETS_GO] = 0;
            leave();
        }
    }

    /** From now on it cannot be found any more: a caller that remembers it has to look it up again. */
    void remove() {
        isRemoved = true;
    }

    boolean isRemoved() {
        return isRemoved;
    }

    /** How the mapping is closed, by the last loop that {@linkplain #letGo lets go}. */
    void unmap(Consumer<Arena> closing) {
        unmapping = closing;
    }

    /** The segment is removed, and the loop knows it. On that loop, or when it has ended. */
    void letGo(int loop) {
        int at = at(loop);
        if (uses[at + PINS] == 0) {
            leave();
        } else {
            uses[at + LETS_GO] = 1;
        }
    }

    /** No loop runs any more: unmaps it if that has not been done, whatever is pinned for work that nobody will do. */
    void close() {
        if (users.getAndSet(0) > 0) {
            arena.close();
        }
    }

    private void leave() {
        if (users.decrementAndGet() == 0) {
            unmapping.accept(arena);
        }
    }
}

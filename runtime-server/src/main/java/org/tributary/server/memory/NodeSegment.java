package org.tributary.server.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.agrona.collections.IntHashSet;
import org.tributary.config.NodeRanks;
import org.tributary.wire.shm.SegmentKind;
import org.tributary.wire.shm.SegmentLayout;

/** A segment as its server holds it: the mapped file and the part of each rank of the node. */
public final class NodeSegment {
    static final long NO_PART = -1;

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
    private int pins;
    private Consumer<Arena> unmapping;

    NodeSegment(long id, SegmentKind kind, SegmentLayout layout, Path path, MemorySegment file, Arena arena,
        NodeRanks ranks) {
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

    /** The ranks of other nodes that hold the lock of a rank's part shared; the segment is that of a window's locks. */
    IntHashSet sharedByOthers(int rank) {
        return sharedByOthers[ranks.indexOf(rank)];
    }

    /** Keeps the mapping while bytes are on their way between it and a socket. */
    public void pin() {
        pins++;
    }

    public void unpin() {
        pins--;
        unmapIfUnused();
    }

    /** Has the mapping closed, as soon as nothing is on its way any more. */
    void unmap(Consumer<Arena> closing) {
        unmapping = closing;
        unmapIfUnused();
    }

    /** Whether it cannot be found any more: a caller that remembers it has to look it up again. */
    boolean isRemoved() {
        return unmapping != null;
    }

    private void unmapIfUnused() {
        if (unmapping != null && pins == 0) {
            unmapping.accept(arena);
        }
    }
}

package org.tributary.client;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.NoSuchFileException;
import org.tributary.client.error.GasException;
import org.tributary.wire.shm.SegmentLayout;
import org.tributary.wire.shm.SharedFile;

/** A node's file of a segment as a rank maps it: the parts of the ranks of its node. */
final class LocalParts {
    private final Arena arena = Arena.ofShared();
    private final MemorySegment[] parts;
    private final long[] fileOffsets;

    /** Maps the file; {@code layout} is what the server made it by. */
    LocalParts(LocalNode node, long segmentId, SegmentLayout layout) {
        this.parts = new MemorySegment[node.rankCount()];
        this.fileOffsets = new long[parts.length];
        try {
            MemorySegment file = SharedFile.map(node.directory().segment(segmentId), arena);
            for (int part = 0; part < layout.partCount(); part++) {
                int index = layout.rank(part) - node.firstRank();
                parts[index] = file.asSlice(layout.offset(part), layout.length(part));
                fileOffsets[index] = layout.offset(part);
            }
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            arena.close();
            throw new GasException("cannot map " + node.directory().segment(segmentId) + ": "
                + (e instanceof NoSuchFileException ? "there is no such file" : e.getMessage()), e);
        }
    }

    MemorySegment[] parts() {
        return parts;
    }

    /** Where a part lies in the file. */
    long fileOffset(int index) {
        return fileOffsets[index];
    }

    void unmap() {
        arena.close();
    }
}

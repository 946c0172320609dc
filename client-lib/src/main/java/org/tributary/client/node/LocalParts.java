package org.tributary.client.node;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.tributary.client.error.GasException;
import org.tributary.config.NodeRanks;
import org.tributary.wire.shm.MappedFiles;
import org.tributary.wire.shm.SegmentLayout;
import org.tributary.wire.shm.SharedFile;

/** A node's file of a segment as a rank maps it: the parts of the ranks of its node. */
public final class LocalParts {
    private final MappedFiles mapped;
    private final NodeRanks ranks;
    private final Path path;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment[] parts;
    private final long[] fileOffsets;

    /** Maps the file; {@code layout} is what the server made it by. */
    public LocalParts(LocalNode node, long segmentId, SegmentLayout layout) {
        this.mapped = node.mapped();
        this.ranks = node.ranks();
        this.path = node.directory().segment(segmentId);
        this.parts = new MemorySegment[ranks.count()];
        this.fileOffsets = new long[parts.length];
        try {
            MemorySegment file = SharedFile.map(path, arena);
            if (file.byteSize() != layout.fileLength()) {
                throw new IOException("it has " + file.byteSize() + " bytes, not " + layout.fileLength()
                    + ": somebody has changed its length");
            }
            for (int part = 0; part < layout.partCount(); part++) {
                int index = ranks.indexOf(layout.rank(part));
                parts[index] = file.asSlice(layout.offset(part), layout.length(part));
                fileOffsets[index] = layout.offset(part);
            }
            mapped.add(path, file.byteSize());
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            arena.close();
            throw new GasException("cannot map " + path + ": "
                + (e instanceof NoSuchFileException ? "there is no such file" : e.getMessage()), e);
        }
    }

    /** A rank's part, or null when it has none here; any number may be asked for. */
    public MemorySegment part(int rank) {
        int index = ranks.indexOf(rank);
        return index < 0 ? null : parts[index];
    }

    /** Where the part of a rank of this node lies in the file. */
    long fileOffset(int rank) {
        return fileOffsets[ranks.indexOf(rank)];
    }

    public void unmap() {
        mapped.remove(path);
        arena.close();
    }
}

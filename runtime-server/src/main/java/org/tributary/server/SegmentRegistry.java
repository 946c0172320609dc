package org.tributary.server;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.util.function.Consumer;
import org.agrona.collections.Long2ObjectHashMap;
import org.tributary.config.Topology;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.shm.SegmentLayout;
import org.tributary.wire.shm.SharedFile;

/** The segments of a node. Owned by the event loop. */
final class SegmentRegistry {
    private final NodeDirectory directory;
    private final Topology topology;
    private final int node;
    private final Long2ObjectHashMap<NodeSegment> segments = new Long2ObjectHashMap<>();
    private long bytes;

    SegmentRegistry(NodeDirectory directory, Topology topology, int node) {
        this.directory = directory;
        this.topology = topology;
        this.node = node;
    }

    /**
     * Creates a segment: its memory is reserved and mapped before this returns.
     *
     * @throws SharedFile.NoSpaceException when the mount is too small; nothing is left behind
     */
    void create(long id, SegmentKind kind, SegmentLayout layout) throws IOException {
        if (segments.containsKey(id)) {
            throw new IOException("segment " + Long.toHexString(id) + " exists already");
        }
        SharedFile.create(directory.segment(id), layout.fileLength());
        Arena arena = Arena.ofShared();
        try {
            MemorySegment file = SharedFile.map(directory.segment(id), arena);
            segments.put(id, new NodeSegment(id, kind, layout, file, arena, topology, node));
            bytes += layout.fileLength();
        } catch (IOException | RuntimeException e) {
            arena.close();
            Files.deleteIfExists(directory.segment(id));
            throw e;
        }
    }

    /** The segment, or null. */
    NodeSegment find(long id) {
        return segments.get(id);
    }

    /** Removes a segment; false when there is none. Ranks that still map it keep their mapping. */
    boolean remove(long id) throws IOException {
        NodeSegment segment = segments.remove(id);
        if (segment == null) {
            return false;
        }
        bytes -= segment.layout().fileLength();
        Files.deleteIfExists(directory.segment(id));
        segment.unmap();
        return true;
    }

    void forEach(Consumer<NodeSegment> action) {
        segments.values().forEach(action);
    }

    int count() {
        return segments.size();
    }

    long bytes() {
        return bytes;
    }

    void close() {
        segments.values().forEach(NodeSegment::unmap);
        segments.clear();
        bytes = 0;
    }
}

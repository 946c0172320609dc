package org.tributary.server.memory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.collections.LongHashSet;
import org.tributary.config.NodeRanks;
import org.tributary.config.Topology;
import org.tributary.fabric.RegionKey;
import org.tributary.server.adapter.NodeAdapter;
import org.tributary.server.observe.GuardedTasks;
import org.tributary.wire.shm.MappedFiles;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.shm.SegmentKind;
import org.tributary.wire.shm.SegmentLayout;
import org.tributary.wire.shm.SegmentParts;
import org.tributary.wire.shm.SharedFile;

/**
 * The segments of a node. Owned by the main event loop; others may look segments up.
 */
public final class SegmentRegistry {
    private final NodeDirectory directory;
    private final NodeRanks ranks;
    private final int loops;
    /** Replaced, not changed: other loops look things up in it. */
    private volatile Long2ObjectHashMap<NodeSegment> segments = new Long2ObjectHashMap<>();
    /** Removed, and not unmapped yet. Any loop may be the last that uses one. */
    private final Set<NodeSegment> removed = ConcurrentHashMap.newKeySet();
    private final LongHashSet beingMade = new LongHashSet();
    private final MappedFiles mapped = new MappedFiles();
    private SegmentWorker worker;
    /** Null when there is none. */
    private NodeAdapter adapter;
    private LoopPass pass = new LoopPass();
    private long bytes;

    /** Of a server with one event loop. */
    public SegmentRegistry(NodeDirectory directory, Topology topology, int node) {
        this(directory, topology, node, 1);
    }

    /** Of a server with so many event loops that use segments. */
    public SegmentRegistry(NodeDirectory directory, Topology topology, int node, int loops) {
        this.directory = directory;
        this.ranks = topology.ranksOf(node);
        this.loops = loops;
    }

    /** The files of the node that this server has mapped: these, and those that others add. */
    public MappedFiles mapped() {
        return mapped;
    }

    /** From now on files are made and removed by a worker. */
    public void workWith(SegmentWorker segmentWorker) {
        worker = segmentWorker;
    }

    /** How many event loops use segments, at most. */
    int loops() {
        return loops;
    }

    /** From now on these loops use segments, the main one first. */
    public void usedBy(List<GuardedTasks> eventLoops) {
        pass = new LoopPass(eventLoops);
    }

    /** From now on the adapter of the node may read and write the program's segments. */
    public void reachBy(NodeAdapter nodeAdapter) {
        adapter = nodeAdapter;
    }

    /** Takes the result of a request; where there was a problem, nothing of the segment is left behind. */
    public interface Result {
        /** The problem is null for none, {@link SharedFile.NoSpaceException} when the mount is too small. */
        void done(IOException problem);
    }

    /**
     * Creates a segment; it can be found when the result says so, which is later.
     *
     * @throws IOException when it exists already, or is being made
     */
    public void create(long id, SegmentKind kind, SegmentLayout layout, Result result) throws IOException {
        if (segments.containsKey(id) || !beingMade.add(id)) {
            throw new IOException("segment " + Long.toHexString(id) + " exists already");
        }
        Runnable note = () -> new SegmentParts(kind, layout).write(directory.parts(id));
        worker.make(directory.segment(id), layout.fileLength(), note, (made, problem) -> {
            beingMade.remove(id);
            if (made != null) {
                add(id, kind, layout, made);
            }
            if (made != null && adapter != null && kind == SegmentKind.DATA && made.file().byteSize() > 0) {
                adapter.register(id, made.file(), () -> result.done(null));
            } else {
                result.done(problem);
            }
        });
    }

    private void add(long id, SegmentKind kind, SegmentLayout layout, SegmentWorker.Mapped made) {
        add(new NodeSegment(id, kind, layout, directory.segment(id), made.file(), made.arena(), ranks, loops));
        mapped.add(directory.segment(id), layout.fileLength());
    }

    /** From now on it can be found. */
    void add(NodeSegment segment) {
        Long2ObjectHashMap<NodeSegment> more = new Long2ObjectHashMap<>(segments);
        more.put(segment.id(), segment);
        segments = more;
        bytes += segment.layout().fileLength();
    }

    /**
     * Creates a segment before the server listens: its memory is reserved and mapped before this returns.
     *
     * @throws SharedFile.NoSpaceException when the mount is too small; nothing is left behind
     */
    public void create(long id, SegmentKind kind, SegmentLayout layout) throws IOException {
        if (segments.containsKey(id)) {
            throw new IOException("segment " + Long.toHexString(id) + " exists already");
        }
        SharedFile.create(directory.segment(id), layout.fileLength());
        add(id, kind, layout, SegmentWorker.map(directory.segment(id)));
        new SegmentParts(kind, layout).write(directory.parts(id));
    }

    /** The key with which others reach a segment by the adapter of the node; null when it does not reach it. */
    public RegionKey region(long id) {
        return adapter == null ? null : adapter.key(id);
    }

    /** The adapter of the node, or null. */
    public NodeAdapter adapter() {
        return adapter;
    }

    /** The segment, or null. Any loop. */
    public NodeSegment find(long id) {
        return segments.get(id);
    }

    /**
     * Removes a segment; false when there is none. It cannot be found any more; the result comes when its memory is
     * free, unless bytes are on their way. Ranks that still map it keep their mapping.
     */
    public boolean remove(long id, Result result) {
        Long2ObjectHashMap<NodeSegment> fewer = new Long2ObjectHashMap<>(segments);
        NodeSegment segment = fewer.remove(id);
        if (segment == null) {
            return false;
        }
        segment.remove();
        removed.add(segment);
        segments = fewer;
        bytes -= segment.layout().fileLength();
        mapped.remove(directory.segment(id));
        if (adapter != null && adapter.has(id)) {
            adapter.close(id, () -> unmap(segment, segment.kind() == SegmentKind.DATA
                ? arena -> worker.forbid(segment.file(), arena) : worker::unmap, result));
        } else {
            unmap(segment, worker::unmap, result);
        }
        return true;
    }

    private void unmap(NodeSegment segment, Consumer<Arena> closing, Result result) {
        segment.unmap(arena -> {
            removed.remove(segment);
            closing.accept(arena);
        });
        pass.through(segment::letGo, () -> delete(segment.id(), result));
    }

    private void delete(long id, Result result) {
        worker.delete(directory.parts(id), (none, problem) -> { });
        worker.delete(directory.segment(id), (none, problem) -> result.done(problem));
    }

    interface PartAction {
        void accept(NodeSegment segment, int rank);
    }

    /** Visits the parts of all segments of a kind: those of a segment by their place in it, segments in no order. */
    void forEachPart(SegmentKind kind, PartAction action) {
        segments.values().stream().filter(segment -> segment.kind() == kind).forEach(segment -> {
            for (int part = 0; part < segment.layout().partCount(); part++) {
                action.accept(segment, segment.layout().rank(part));
            }
        });
    }

    int count() {
        return segments.size();
    }

    long bytes() {
        return bytes;
    }

    /** No loop runs any more. */
    public void close() {
        segments.values().forEach(NodeSegment::close);
        removed.forEach(NodeSegment::close);
        removed.clear();
        segments = new Long2ObjectHashMap<>();
        bytes = 0;
    }
}

package org.tributary.server.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.tributary.config.NodeRanks;
import org.tributary.config.Topology;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.shm.SegmentKind;
import org.tributary.wire.shm.SegmentLayout;

/** Segments for the many short-lived states of a stress test, in zeroed native memory that is reused in turn. */
final class Segments {
    /** Ranks of the job; rank 0 is of the node, and has the only part. */
    static final int RANKS = 3;
    private static final int BYTES = 192;
    /** More than the states that jcstress keeps alive at once, so that no block has two owners. */
    private static final int BLOCKS = 1 << 17;
    private static final MemorySegment MEMORY = Arena.global().allocate((long) BLOCKS * BYTES, Long.BYTES * 8L);
    private static final AtomicLong NEXT = new AtomicLong();
    private static final SegmentLayout LAYOUT = new SegmentLayout(new int[] {0}, new long[] {BYTES});
    private static final Topology JOB = Topology.of(1, RANKS - 1);
    private static final NodeRanks NODE = JOB.ranksOf(0);
    private static final Path PATH = Path.of("stress");
    private static final NodeDirectory DIRECTORY = new NodeDirectory(PATH);

    private Segments() {
    }

    /** A segment that so many loops use. */
    static NodeSegment take(SegmentKind kind, int loops) {
        long index = NEXT.getAndIncrement() % BLOCKS;
        MemorySegment block = MEMORY.asSlice(index * BYTES, BYTES).fill((byte) 0);
        return new NodeSegment(1, kind, LAYOUT, PATH, block, null, NODE, loops);
    }

    /** The registry of a server with so many loops, which has that segment. */
    static SegmentRegistry registry(NodeSegment segment, int loops) {
        SegmentRegistry registry = new SegmentRegistry(DIRECTORY, JOB, 0, loops);
        registry.add(segment);
        return registry;
    }

    /** Whether a rank is of the node. */
    static boolean isLocal(int rank) {
        return NODE.contains(rank);
    }
}

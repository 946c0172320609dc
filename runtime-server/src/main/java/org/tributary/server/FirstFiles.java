package org.tributary.server;

import java.util.Arrays;
import java.util.stream.LongStream;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.cooperation.CooperationOptions;
import org.tributary.server.observe.CountsWriter;
import org.tributary.wire.shm.CollectiveLayout;
import org.tributary.wire.shm.ControlFile;
import org.tributary.wire.shm.CountsFile;
import org.tributary.wire.shm.RingFile;
import org.tributary.wire.shm.SegmentLayout;

/**
 * Files in shared memory that a server makes at its start, before its ranks allocate any; not its note of what is in
 * the inboxes, without which a job goes on. Stateless.
 */
public final class FirstFiles {
    private static final long PAGE_BYTES = 4096;

    private FirstFiles() {
    }

    /** How much room all of them take: whole pages for each. */
    public static long bytes(Settings settings, Topology topology, int node) {
        int localRanks = topology.rankCount(node);
        return LongStream.of(ControlFile.bytes(localRanks, notifyCapacity(settings, topology)),
            worldInboxes(settings, topology, node).fileLength(), CountsFile.bytes(countsCapacity(topology, node)),
            CooperationOptions.of(settings, topology).hasRings()
                ? RingFile.bytes(localRanks, settings.cooperationRingBytes()) : 0)
            .map(bytes -> (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES).sum();
    }

    static int notifyCapacity(Settings settings, Topology topology) {
        return Math.min(settings.notifyMaxSources(), topology.rankCount());
    }

    static int countsCapacity(Topology topology, int node) {
        return CountsWriter.capacity(topology.rankCount(node), topology.rankCount());
    }

    /** For collectives of all ranks. */
    static SegmentLayout worldInboxes(Settings settings, Topology topology, int node) {
        int[] ranks = topology.ranksOf(node).toArray();
        long[] lengths = new long[ranks.length];
        Arrays.fill(lengths, new CollectiveLayout(topology.rankCount(), settings.collectiveChunk()).bytes());
        return new SegmentLayout(ranks, lengths);
    }
}

package org.tributary.server.connection;

import org.tributary.config.Topology;

/**
 * How many strangers a listener of a server may keep: as many as the settings say, unless the process may not open so
 * many files besides those that the job needs. Stateless.
 */
final class StrangerRoom {
    /** Files of the process itself: jars, libraries, segments, selectors, and what is open for a moment. */
    static final int RESERVE = 256;
    /** Of an event loop: its epoll, and what wakes it, by others and by time. The first one is among the reserve. */
    static final int OF_A_LOOP = 3;
    /** They share what is left: the one of ranks of the node, and that of all others. */
    static final int LISTENERS = 2;
    /** Always, for those that prove themselves at once: more than come while one of them does. */
    static final int LEAST = 16;
    /**
     * Always, too, a part of all files. Of a large job few ranks connect to each server, and most of its processes are
     * strangers at some time, many at once when it starts. If the job does need the files, strangers give theirs back.
     */
    static final int PART = 16;
    /** Of a rank of the node: that of its requests, and its lifeline. */
    private static final int CONNECTIONS_OF_OWN = 2;

    private StrangerRoom() {
    }

    /**
     * Of one listener of the server of {@code node}.
     *
     * @param most      of the settings
     * @param openFiles that the process may have
     * @param loops     of the server that move data
     */
    static int of(int most, long openFiles, Topology topology, int node, int loops) {
        long left = (openFiles - RESERVE - OF_A_LOOP * (loops - 1) - needed(topology, node)) / LISTENERS;
        return (int) Math.min(most, Math.max(Math.max(LEAST, openFiles / PART), left));
    }

    /** Connections that the job may need at once: of all ranks, and between this server and each other one. */
    static long needed(Topology topology, int node) {
        long own = topology.rankCount(node);
        return CONNECTIONS_OF_OWN * own + (topology.rankCount() - own) + LISTENERS * (topology.nodeCount() - 1L);
    }
}

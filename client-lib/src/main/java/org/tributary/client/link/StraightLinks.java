package org.tributary.client.link;

import java.util.ArrayDeque;
import org.agrona.collections.Int2ObjectHashMap;
import org.tributary.cooperation.CooperationOptions;
import org.tributary.cooperation.DirectPaths;

/**
 * Connections straight to the servers of targets, in a job whose nodes cooperate: large contiguous transfers take them,
 * and operations on a target that is used again and again, until its server says that it is contended. Bounded in
 * number; the one unused for longest is closed for another. Guarded by the lock of {@link Links}.
 * <p>
 * Operations on a target take effect in order although there are two ways to it: one is left for the other only at a
 * moment when nothing is under way on it.
 */
final class StraightLinks {
    /** What is not large takes no place that has been used since. */
    private static final long UNUSED_NS = 100_000_000;
    /** Somebody with much under way is not made to wait more often. */
    private static final long WAIT_AGAIN_NS = 1_000_000;

    /** Opens a connection, in the place of a closed one if there is one; returns null when it is not admitted. */
    interface Opener {
        ServerLink open(int node, ServerLink retired);
    }

    private static final class Way {
        private final ServerLink link;
        private long usedNs;

        Way(ServerLink link) {
            this.link = link;
        }
    }

    private final DirectPaths paths;
    private final long bulkBytes;
    private final Opener opener;
    private final Int2ObjectHashMap<Way> open = new Int2ObjectHashMap<>();
    private final ArrayDeque<ServerLink> retired = new ArrayDeque<>();
    private long waitedNs;

    StraightLinks(CooperationOptions options, Opener opener) {
        this.paths = new DirectPaths(options);
        this.bulkBytes = Math.max(1, options.bulkThreshold());
        this.opener = opener;
        this.waitedNs = System.nanoTime() - WAIT_AGAIN_NS;
    }

    /** Whether the next operation on a node should go straight to its server. */
    boolean wants(int node, long contiguousBytes, long nowNs) {
        boolean wants = paths.wantsDirect(node, contiguousBytes, nowNs);
        Way way = open.get(node);
        if (way == null) {
            return wants && (contiguousBytes >= bulkBytes || hasPlace(nowNs));
        }
        way.usedNs = nowNs;
        return wants;
    }

    private boolean hasPlace(long nowNs) {
        int unused = paths.evict();
        return unused < 0 || nowNs - open.get(unused).usedNs > UNUSED_NS;
    }

    /** Whether operations on a node go straight to its server now. */
    boolean has(int node) {
        return paths.isDirect(node);
    }

    /** Whether it is worth a wait to leave one way for the other. */
    boolean mayWait(long nowNs) {
        if (nowNs - waitedNs < WAIT_AGAIN_NS) {
            return false;
        }
        waitedNs = nowNs;
        return true;
    }

    /** Opens the connection straight to a node; null when there is none to be had now. */
    ServerLink open(int node, long nowNs, Int2ObjectHashMap<ServerLink> ways) {
        int unused = paths.evict();
        if (unused >= 0) {
            ServerLink victim = open.get(unused).link;
            if (!victim.isQuiet()) {
                return null;
            }
            ways.remove(unused); // the next operation finds the route again
            close(unused);
        }
        ServerLink place = retired.pollFirst();
        ServerLink link = opener.open(node, place);
        if (link == null) {
            if (place != null) {
                retired.addFirst(place);
            }
            paths.refused(node, nowNs);
            return null;
        }
        Way way = new Way(link);
        way.usedNs = nowNs;
        open.put(node, way);
        paths.switched(node, true);
        return link;
    }

    /** Closes the connection straight to a node, on which nothing is under way, if there is one. */
    void close(int node) {
        Way way = open.remove(node);
        if (way != null) {
            way.link.retire();
            retired.addLast(way.link);
            paths.switched(node, false);
        }
    }

    /** The server of a node is contended. */
    void takeRoute(int node, long nowNs) {
        paths.refused(node, nowNs);
    }
}

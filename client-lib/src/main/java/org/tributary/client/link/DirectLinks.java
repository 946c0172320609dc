package org.tributary.client.link;

import java.util.ArrayDeque;
import org.agrona.collections.Int2ObjectHashMap;
import org.tributary.client.connection.ServerLink;
import org.tributary.cooperation.CooperationOptions;
import org.tributary.cooperation.DirectPaths;

/**
 * Direct connections to the servers of targets, in a job whose nodes cooperate: large contiguous transfers take them,
 * and operations on a target that is used again and again, until its server says that it is contended. Bounded in
 * number; the one unused for longest is closed for another. Guarded by the lock of {@link Links}.
 * <p>
 * Operations on a target take effect in order: requests leave its route for the direct connection, and come back to the
 * route, only at a moment when nothing is under way where they went before.
 */
final class DirectLinks {
    /** Small operations do not take the place of a connection that was used within this time. */
    private static final long UNUSED_NS = 100_000_000;
    /** A rank with much under way does not wait more often than this. */
    private static final long WAIT_AGAIN_NS = 1_000_000;

    private static final class Opened {
        private final ServerLink link;
        private long usedNs;

        Opened(ServerLink link) {
            this.link = link;
        }
    }

    private final DirectPaths paths;
    private final long bulkBytes;
    private final Int2ObjectHashMap<Opened> open = new Int2ObjectHashMap<>();
    private final ArrayDeque<ServerLink> retired = new ArrayDeque<>();
    private boolean opening;
    private long waitedNs;

    DirectLinks(CooperationOptions options) {
        this.paths = new DirectPaths(options);
        this.bulkBytes = Math.max(1, options.bulkThreshold());
        this.waitedNs = System.nanoTime() - WAIT_AGAIN_NS;
    }

    /** Counts an operation on a node; returns whether it should go directly to the node's server. */
    boolean noteUse(int node, long contiguousBytes, long nowNs) {
        boolean wants = paths.noteUse(node, contiguousBytes, nowNs);
        Opened direct = open.get(node);
        if (direct == null) {
            return wants && (contiguousBytes >= bulkBytes || hasPlace(nowNs));
        }
        direct.usedNs = nowNs;
        return wants;
    }

    private boolean hasPlace(long nowNs) {
        int unused = paths.leastRecentlyUsed();
        return unused < 0 || nowNs - open.get(unused).usedNs > UNUSED_NS;
    }

    /** The direct connection to a node, whether operations take it already or not; null when there is none. */
    ServerLink link(int node) {
        Opened direct = open.get(node);
        return direct == null ? null : direct.link;
    }

    /** Whether it is worth a wait to change between the route and the direct connection; if so, it begins now. */
    boolean tryBeginWait(long nowNs) {
        if (nowNs - waitedNs < WAIT_AGAIN_NS) {
            return false;
        }
        waitedNs = nowNs;
        return true;
    }

    /**
     * Makes room for one more connection, which the caller opens now, perhaps by closing the one unused for longest; no
     * other is opened until {@link #openingEnded}, so the room stays. False when there is none to be had.
     *
     * @param current where requests for each node go now; a connection that makes room is removed from it
     */
    boolean tryMakeRoom(Int2ObjectHashMap<ServerLink> current) {
        if (opening) {
            return false;
        }
        int unused = paths.leastRecentlyUsed();
        if (unused >= 0) {
            ServerLink victim = open.get(unused).link;
            if (!victim.isQuietAfterPoll()) {
                return false;
            }
            if (current.get(unused) == victim) {
                current.remove(unused); // the next operation finds the route again
            }
            close(unused);
        }
        opening = true;
        return true;
    }

    /** The attempt to open a connection is over. */
    void openingEnded() {
        opening = false;
    }

    /** A connection that is closed, whose place and memory another one can take; null when there is none. */
    ServerLink takeRetired() {
        return retired.pollFirst();
    }

    void opened(int node, ServerLink link, long nowNs) {
        Opened direct = new Opened(link);
        direct.usedNs = nowNs;
        open.put(node, direct);
        paths.switched(node, true);
    }

    /** Closes the direct connection to a node, on which nothing is under way, if there is one. */
    void close(int node) {
        Opened direct = open.remove(node);
        if (direct != null) {
            direct.link.retire();
            retired.addLast(direct.link);
            paths.switched(node, false);
        }
    }

    /** The server of a node is contended, or has not admitted a connection. */
    void refused(int node, long nowNs) {
        paths.refused(node, nowNs);
    }
}

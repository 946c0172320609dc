package org.tributary.client.link;

import org.agrona.collections.Int2ObjectHashMap;
import org.tributary.cooperation.CooperationOptions;
import org.tributary.cooperation.DirectPaths;

/**
 * Connections straight to the servers of targets, in a job whose nodes cooperate: contiguous transfers of many bytes
 * take them, everything else the route through a member of the target's group. Bounded in number; the one unused for
 * longest is closed for another. Guarded by the lock of {@link Links}.
 * <p>
 * Operations on a target take effect in order although there are two ways to it: one is left for the other only at a
 * moment when nothing is under way on it. At other moments everything stays on the way that it is on.
 */
final class StraightLinks {
    /** Opens a connection, or returns null when the server does not admit it. */
    interface Opener {
        ServerLink open(int node, ServerLink retired);
    }

    private final DirectPaths paths;
    private final long bulkBytes;
    private final Opener opener;
    private final Int2ObjectHashMap<ServerLink> open = new Int2ObjectHashMap<>();

    StraightLinks(CooperationOptions options, Opener opener) {
        this.paths = new DirectPaths(options);
        this.bulkBytes = Math.max(1, options.bulkThreshold());
        this.opener = opener;
    }

    /** Whether an operation on a node should leave the way that the node's operations are on. */
    boolean wantsOther(int node, long contiguousBytes, ServerLink current) {
        boolean isStraight = !open.isEmpty() && open.get(node) == current;
        return isBulk(contiguousBytes) != isStraight;
    }

    boolean isBulk(long contiguousBytes) {
        return contiguousBytes >= bulkBytes;
    }

    /** The connection straight to a node, opened if need be; null when there is and will be none now. */
    ServerLink to(int node, long contiguousBytes, Int2ObjectHashMap<ServerLink> ways) {
        long nowNs = System.nanoTime();
        if (!paths.wantsDirect(node, contiguousBytes, nowNs)) {
            return null;
        }
        ServerLink link = open.get(node);
        if (link != null) {
            return link;
        }
        int unused = paths.evict();
        ServerLink retired = unused < 0 ? null : open.get(unused);
        if (retired != null) {
            if (!retired.isQuiet()) {
                return null;
            }
            retired.retire();
            open.remove(unused);
            paths.switched(unused, false);
            if (ways.get(unused) == retired) {
                ways.remove(unused); // the next operation finds the route again
            }
        }
        link = opener.open(node, retired);
        if (link == null) {
            paths.refused(node, nowNs);
        } else {
            open.put(node, link);
            paths.switched(node, true);
        }
        return link;
    }
}

package org.tributary.cooperation;

import org.agrona.collections.Int2ObjectHashMap;

/**
 * The targets to which a rank has direct connections: for bulk, which cooperation should cost nothing, and for targets
 * without contention, where the second hop of a forwarded request would be pure loss. The number of such connections is
 * bounded; the one unused for longest is closed for a new one.
 * <p>
 * Operations of a rank on a target take effect in order, so the rank fences the target on the old path before it takes
 * the other one. That cost, and the connection's, is why a target has to be used several times in a row first.
 */
public final class DirectPaths {
    /** So many operations on one target, bulk apart, make it worth a connection. */
    static final int WORTH = 8;
    /**
     * After a refusal the rank does not ask again for this long, then twice as long, up to some limit. A contended
     * server pays as much for each attempt as for tens of requests, and all contending ranks try.
     */
    static final long FIRST_PAUSE_NS = 100_000_000;
    private static final int MAX_DOUBLINGS = 4;

    private final CooperationOptions options;
    private final Int2ObjectHashMap<Path> paths = new Int2ObjectHashMap<>();
    private final int[] open;
    private int openCount;

    /** Without any connection. */
    public DirectPaths(CooperationOptions options) {
        this.options = options;
        open = new int[options.directConnections()];
    }

    /**
     * Counts an operation on {@code node}; returns whether it should go directly to the node's server.
     *
     * @param contiguousBytes of a contiguous transfer; 0 for anything else
     */
    public boolean noteUse(int node, long contiguousBytes, long nowNs) {
        Path path = paths.get(node);
        if (path == null) {
            path = new Path();
            paths.put(node, path);
        }
        path.uses++;
        if (path.isDirect && nowNs >= path.refusedUntilNs) {
            moveToEnd(node);
            return true;
        }
        boolean isWorthIt = contiguousBytes > 0 && contiguousBytes >= options.bulkThreshold() || path.uses > WORTH;
        return open.length > 0 && isWorthIt && nowNs >= path.refusedUntilNs;
    }

    /** Whether operations on {@code node} go directly to its server now. */
    public boolean isDirect(int node) {
        Path path = paths.get(node);
        return path != null && path.isDirect;
    }

    /**
     * The node whose connection has to be closed, after a fence, before another one may be opened; -1 when there is
     * room.
     */
    public int leastRecentlyUsed() {
        return openCount < open.length ? -1 : open[0];
    }

    /**
     * Requests for a node take a direct connection from now on, or their route again.
     *
     * @throws IllegalStateException when there are as many direct connections as there may be
     */
    public void switched(int node, boolean isDirect) {
        Path path = paths.computeIfAbsent(node, ignored -> new Path());
        if (isDirect && openCount == open.length) {
            throw new IllegalStateException("all " + open.length + " direct connections are in use");
        }
        if (path.isDirect != isDirect) {
            path.isDirect = isDirect;
            path.uses = 0;
            if (isDirect) {
                path.refusals = 0;
                open[openCount++] = node;
            } else {
                remove(node);
            }
        }
    }

    /** The server of {@code node} has not admitted the connection, or asks to take the route again: it is contended. */
    public void refused(int node, long nowNs) {
        Path path = paths.computeIfAbsent(node, ignored -> new Path());
        path.refusedUntilNs = nowNs + (FIRST_PAUSE_NS << path.refusals);
        path.refusals = Math.min(path.refusals + 1, MAX_DOUBLINGS);
        path.uses = 0;
    }

    private void moveToEnd(int node) {
        if (open[openCount - 1] != node) {
            remove(node);
            open[openCount++] = node;
        }
    }

    private void remove(int node) {
        int at = 0;
        while (open[at] != node) {
            at++;
        }
        System.arraycopy(open, at + 1, open, at, --openCount - at);
    }

    private static final class Path {
        private boolean isDirect;
        private int uses;
        private int refusals;
        private long refusedUntilNs = Long.MIN_VALUE;
    }
}

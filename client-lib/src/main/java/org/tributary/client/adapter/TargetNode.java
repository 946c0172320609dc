package org.tributary.client.adapter;

import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.Long2ObjectHashMap;
import org.tributary.client.connection.RegionFacts;
import org.tributary.client.connection.ServerLink;
import org.tributary.client.error.GasException;
import org.tributary.fabric.Endpoint;
import org.tributary.fabric.FabricException;
import org.tributary.fabric.Peer;
import org.tributary.fabric.RegionKey;
import org.tributary.fabric.RemoteRegion;

/** A node as the adapter sees it: where its segments are, and what is under way. Guarded by the lock of the links. */
final class TargetNode {
    /**
     * A rank's part of a segment; {@code region} is null when the adapter does not reach it. Of a window's control
     * words there is the number by which writes count there, or 0.
     */
    record Part(RemoteRegion region, long offset, int number) {
    }

    private final int node;
    private final ServerLink link;
    private final Doubt doubt;
    private final Long2ObjectHashMap<RemoteRegion> regions = new Long2ObjectHashMap<>();
    private final Long2ObjectHashMap<Int2ObjectHashMap<Part>> parts = new Long2ObjectHashMap<>();
    private Peer peer;
    private boolean isReached;
    private boolean hasFailed;
    private boolean isTried;
    private long triedNs;
    private int reads;
    private int writes;

    /** {@code link} goes to the server of this node. */
    TargetNode(int node, ServerLink link, Doubt doubt) {
        this.node = node;
        this.link = link;
        this.doubt = doubt;
    }

    int node() {
        return node;
    }

    ServerLink link() {
        return link;
    }

    /** Whether what is under way here can end. */
    Doubt doubt() {
        return doubt;
    }

    /** Where the adapter reaches a rank's part; null when the part's server has not answered yet. */
    Part part(long segment, int rank) {
        Int2ObjectHashMap<Part> known = parts.get(segment);
        return known == null ? null : known.get(rank);
    }

    /**
     * Takes the server's answer on a rank's part.
     *
     * @throws GasException    when its provider is another one
     * @throws FabricException when the provider cannot read the address
     */
    void learn(long segment, int rank, RegionFacts facts, Endpoint endpoint) {
        String own = endpoint.provider().name();
        checkProvider(node, facts.provider(), own);
        RemoteRegion region = facts.bytes() == 0 ? null : regions.computeIfAbsent(segment,
            id -> peer(facts.address(), endpoint).region(new RegionKey(facts.base(), facts.key(), facts.bytes())));
        parts.computeIfAbsent(segment, id -> new Int2ObjectHashMap<>()).put(rank,
            new Part(region, facts.partOffset(), facts.bytes() == 0 ? (int) facts.key() : 0));
    }

    /** The node's endpoint, which has that address. */
    Peer peer(byte[] address, Endpoint endpoint) {
        if (peer == null) {
            peer = endpoint.peer(address);
        }
        return peer;
    }

    /** Throws when two nodes use different providers; one without an adapter is reached by messages. */
    static void checkProvider(int node, String theirs, String own) {
        if (!theirs.isEmpty() && !theirs.equals(own)) {
            throw new GasException("the server of node " + node + " uses the provider " + theirs + ", and this rank "
                + own + ": set network.fabric to one that all nodes have, or to none");
        }
    }

    /** A segment that is not used any more. */
    void forget(long segment) {
        parts.remove(segment);
        RemoteRegion region = regions.remove(segment);
        if (region != null) {
            region.close();
        }
    }

    /** A piece is under way, or waits for room. */
    void begun(boolean isRead, long nowNs) {
        if (!isTried) {
            isTried = true;
            triedNs = nowNs;
        }
        if (isRead) {
            reads++;
        } else {
            writes++;
        }
    }

    /** A piece has ended; {@code isReached}: the adapter has moved it. */
    void ended(boolean isRead, boolean moved) {
        isReached |= moved;
        if (isRead) {
            reads--;
        } else {
            writes--;
        }
    }

    /** Something has failed here: whether what comes next would succeed, the provider does not tell. */
    void failed() {
        hasFailed = true;
    }

    boolean hasFailed() {
        return hasFailed;
    }

    int underWay() {
        return reads + writes;
    }

    /** Whether what comes next could take effect before something that is under way. */
    boolean couldOvertake(boolean nextReads, boolean ordersReads, boolean ordersWrites) {
        return nextReads ? writes > 0 || reads > 0 && !ordersReads : reads > 0 || writes > 0 && !ordersWrites;
    }

    /** Whether the adapter has not moved anything yet, so long after it was first to. */
    boolean isUnreachedAfter(long timeoutNs, long nowNs) {
        return !isReached && nowNs - triedNs > timeoutNs;
    }
}

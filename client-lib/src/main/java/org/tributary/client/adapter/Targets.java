package org.tributary.client.adapter;

import java.io.IOException;
import org.agrona.collections.Int2ObjectHashMap;
import org.tributary.client.connection.Callback;
import org.tributary.client.connection.PendingReply;
import org.tributary.client.connection.RegionFacts;
import org.tributary.client.connection.ServerLink;
import org.tributary.client.error.GasException;
import org.tributary.client.link.Links;
import org.tributary.fabric.Endpoint;
import org.tributary.fabric.FabricException;

/** Nodes that an endpoint reaches, by what their servers say. Guarded by the lock of the links. */
final class Targets {
    private final Links links;
    private final Endpoint endpoint;
    private final Pieces pieces;
    private final Int2ObjectHashMap<TargetNode> byNode = new Int2ObjectHashMap<>();

    /** None yet. {@code pieces} are those under way at the nodes. */
    Targets(Links links, Endpoint endpoint, Pieces pieces) {
        this.links = links;
        this.endpoint = endpoint;
        this.pieces = pieces;
    }

    /** The node, if something has been asked of it; otherwise null. */
    TargetNode known(int node) {
        return byNode.get(node);
    }

    Iterable<TargetNode> all() {
        return byNode.values();
    }

    /** The node of a connection. */
    TargetNode at(ServerLink link) {
        TargetNode known = byNode.get(link.node());
        return known == null ? reach(link) : known;
    }

    private TargetNode reach(ServerLink link) {
        int node = link.node();
        TargetNode target = new TargetNode(node, link, new Doubt(answer -> inquire(node, answer)));
        byNode.put(node, target);
        return target;
    }

    /** Asks the server of a node how its adapter reaches a part. Gives the lock away meanwhile. */
    RegionFacts ask(TargetNode target, long segment, int rank) {
        ServerLink link = target.link();
        PendingReply reply = ask(link, segment, rank, null);
        links.awaitUnlocked(reply, link);
        try {
            return reply.region();
        } finally {
            link.giveBack(reply);
        }
    }

    /** Takes the answer. */
    void learn(TargetNode target, long segment, int rank, RegionFacts facts) {
        try {
            target.learn(segment, rank, facts, endpoint);
        } catch (FabricException e) {
            throw new GasException("the adapter cannot reach node " + target.node() + ": " + e.getMessage(), e);
        }
    }

    private void inquire(int node, Callback answer) {
        TargetNode target = byNode.get(node);
        Transfer transfer = pieces.oldest(target).transfer();
        ask(target.link(), transfer.segment(), transfer.rank(), answer);
    }

    private static PendingReply ask(ServerLink link, long segment, int rank, Callback callback) {
        PendingReply reply = link.expect(callback);
        try {
            link.writer().askRegion(reply, segment, rank);
        } catch (IOException e) {
            throw link.broke(e);
        }
        link.flush();
        return reply;
    }

    /** Looks at the connections to nodes at which something is under way; a piece that will never end, or null. */
    Piece findHopeless() {
        Piece hopeless = null;
        for (TargetNode target : byNode.values()) {
            if (target.underWay() > 0) {
                target.link().poll();
                Piece oldest = pieces.oldest(target);
                if (oldest != null && target.doubt().checkOldest(oldest.number(), System.nanoTime())) {
                    hopeless = oldest;
                }
            }
        }
        return hopeless;
    }

    /** A segment that is not used any more. */
    void forget(long segment) {
        for (TargetNode target : byNode.values()) {
            target.forget(segment);
        }
    }
}

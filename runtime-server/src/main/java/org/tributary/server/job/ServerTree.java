package org.tributary.server.job;

import java.util.Arrays;
import java.util.BitSet;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.tributary.server.frame.MalformedFrameException;

/**
 * How servers hear of the end of a job: they form a tree, node 0 at its root, in which each keeps a connection to the
 * one above it and the few below it. That all ranks of a subtree have left goes up; that all of the job have left goes
 * down from the root; a failure goes over every edge, away from where it came from. An edge that closes before one of
 * these has passed is the death of the server at its other end; the neighbours of that server, above and below it, see
 * it. So whichever server dies, every other server has a neighbour that sees it, or a neighbour that hears of it.
 *
 * <p>A server that hears of the end tells all its neighbours, also the one that it heard it from. So each server knows
 * which of its neighbours pass it on, and can go {@linkplain #around around} those that do not because they are
 * stopped.
 *
 * <p>Over an edge at most two messages go up and one down, whatever happens: at most three times as many messages as
 * servers for a whole job, over a path of at most twice the depth of the tree, which is 4 for 3,000 nodes and 6 for
 * 100,000. No input or output, no clock. Owned by the event loop.
 */
public final class ServerTree {
    /** Messages of a server to its neighbours, over edges that are open. */
    interface Messages {
        void subtreeLeft(int parent);

        /** All ranks of the job have left. */
        void shutdown(int neighbour);

        /** The job has failed. */
        void abort(int neighbour, String reason);
    }

    /** Servers below one server: few enough to be told in no time, so many that the tree is flat. */
    static final int ARITY = 8;

    private enum Edge { AWAITED, OPEN, CLOSED }

    private final int parent;
    private final int firstChild;
    private final Messages messages;
    /** Of the children in their order, then of the parent. */
    private final Edge[] edges;
    private final BitSet leftBelow = new BitSet();
    /** Places of neighbours that were told of the end, and have not said so themselves. */
    private final BitSet unheard = new BitSet();
    private final int children;
    private final int node;
    private final int nodeCount;
    private boolean ranksLeft;
    private boolean over;
    private String abortReason;

    ServerTree(int node, int nodeCount, Messages messages) {
        this.node = node;
        this.nodeCount = nodeCount;
        this.parent = node == 0 ? -1 : (node - 1) / ARITY;
        this.firstChild = (int) Math.min(nodeCount, (long) node * ARITY + 1);
        this.children = Math.min(ARITY, nodeCount - firstChild);
        this.messages = messages;
        this.edges = new Edge[parent < 0 ? children : children + 1];
        Arrays.fill(edges, Edge.AWAITED);
    }

    /** The node above, or -1 at the root. */
    int parent() {
        return parent;
    }

    private int place(int neighbour) {
        return neighbour == parent ? children : neighbour - firstChild;
    }

    private int neighbour(int place) {
        return place == children ? parent : firstChild + place;
    }

    /** Whether that node is directly below this one. */
    boolean isBelow(int node) {
        return node >= firstChild && node < firstChild + children;
    }

    /** Neighbours that have never been connected. */
    public int[] awaited() {
        return IntStream.range(0, edges.length).filter(place -> edges[place] == Edge.AWAITED).map(this::neighbour)
            .toArray();
    }

    boolean isAwaited(int neighbour) {
        return edges[place(neighbour)] == Edge.AWAITED;
    }

    /** The connection with a neighbour has been made; whatever it should have heard by now, it hears. */
    void opened(int neighbour) {
        edges[place(neighbour)] = Edge.OPEN;
        if (abortReason != null) {
            unheard.set(place(neighbour));
            messages.abort(neighbour, abortReason);
        } else if (neighbour == parent && hasSubtreeLeft()) {
            messages.subtreeLeft(parent);
        }
    }

    /** The connection with a neighbour is no more; whether that is the death of its server. */
    boolean closed(int neighbour) {
        edges[place(neighbour)] = Edge.CLOSED;
        unheard.clear(place(neighbour));
        return !over;
    }

    /** Every rank of this node has left. */
    void ranksLeft() {
        ranksLeft = true;
        report();
    }

    /**
     * All ranks of a child's subtree have left.
     *
     * @throws MalformedFrameException when it has said so before
     */
    void leftBelow(int child) {
        if (leftBelow.get(place(child))) {
            throw new MalformedFrameException("node " + child + " has left for the second time");
        }
        leftBelow.set(place(child));
        report();
    }

    private boolean hasSubtreeLeft() {
        return ranksLeft && leftBelow.cardinality() == children;
    }

    private void report() {
        if (over || !hasSubtreeLeft()) {
            return;
        }
        if (parent < 0) {
            shutdown(-1);
        } else if (edges[children] == Edge.OPEN) {
            messages.subtreeLeft(parent);
        }
    }

    /**
     * All ranks of the job have left.
     *
     * @param from the neighbour that has said so, or -1
     */
    void shutdown(int from) {
        end(messages::shutdown, from);
    }

    private void end(IntConsumer message, int from) {
        if (!over) {
            over = true;
            for (int place = 0; place < edges.length; place++) {
                if (edges[place] == Edge.OPEN) {
                    unheard.set(place);
                    message.accept(neighbour(place));
                }
            }
        }
        heard(from);
    }

    /** That neighbour knows of the end: it has said so; -1 for none. */
    void heard(int neighbour) {
        if (neighbour >= 0) {
            unheard.clear(place(neighbour));
        }
    }

    /** Neighbours that have been told of the end, and of which it is not known that they pass it on. */
    int[] unheard() {
        return unheard.stream().map(this::neighbour).toArray();
    }

    /** Nodes that another one would tell: its neighbours but this one. */
    int[] around(int other) {
        IntStream above = other == 0 ? IntStream.empty() : IntStream.of((other - 1) / ARITY);
        long first = (long) other * ARITY + 1;
        IntStream below = LongStream.range(first, Math.min(nodeCount, first + ARITY)).mapToInt(Math::toIntExact);
        return IntStream.concat(above, below).filter(each -> each != node).toArray();
    }

    /**
     * The job has failed; the first reason counts.
     *
     * @param from the neighbour that has said so, or -1
     */
    void abort(String reason, int from) {
        abortReason = over ? abortReason : reason;
        end(neighbour -> messages.abort(neighbour, reason), from);
    }

    /** Whether the job has ended, one way or the other. */
    boolean isOver() {
        return over;
    }

    boolean isAborted() {
        return abortReason != null;
    }
}

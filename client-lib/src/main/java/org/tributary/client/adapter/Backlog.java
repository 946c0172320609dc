package org.tributary.client.adapter;

import java.util.ArrayDeque;
import java.util.Queue;
import org.agrona.collections.Int2ObjectHashMap;

/** Pieces for which the adapter had no room, of each node in their order. Guarded by the lock of the links. */
final class Backlog {
    private final Int2ObjectHashMap<Queue<Piece>> byNode = new Int2ObjectHashMap<>();
    private int count;

    boolean isEmpty() {
        return count == 0;
    }

    /** The oldest of a node, or null. */
    Piece oldest(int node) {
        Queue<Piece> pieces = count == 0 ? null : byNode.get(node);
        return pieces == null ? null : pieces.peek();
    }

    /** Adds one behind the others of its node. */
    void add(Piece piece) {
        piece.setWaiting(true);
        byNode.computeIfAbsent(piece.target().node(), node -> new ArrayDeque<>()).add(piece);
        count++;
    }

    /** Takes the oldest of a node, of which there is one, out. */
    Piece take(int node) {
        Piece piece = byNode.get(node).remove();
        piece.setWaiting(false);
        count--;
        return piece;
    }

    void clear() {
        byNode.clear();
        count = 0;
    }
}

package org.tributary.server;

/**
 * Whose requests a connection brings: always the same rank's, or, on a channel of a server, those of the rank that is
 * named before each. Owned by the event loop.
 */
final class Requester {
    private final boolean isRank;
    private int number;

    private Requester(boolean isRank, int number) {
        this.isRank = isRank;
        this.number = number;
    }

    /** A rank, or, on a channel, whichever rank is {@linkplain #become named}. */
    static Requester rank(int rank) {
        return new Requester(true, rank);
    }

    /** The server of a node, which holds no locks. */
    static Requester server(int node) {
        return new Requester(false, node);
    }

    boolean isRank() {
        return isRank;
    }

    /** The rank, or the number of the server's node. */
    int number() {
        return number;
    }

    /** What follows is that rank's. */
    void become(int rank) {
        number = rank;
    }
}

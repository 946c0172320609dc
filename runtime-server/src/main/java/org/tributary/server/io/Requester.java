package org.tributary.server.io;

/**
 * The rank whose requests a connection brings: always the same, or, on a channel of a server, those of the rank that is
 * named before each. Owned by the event loop.
 */
public final class Requester {
    private final boolean isRank;
    private int number;

    private Requester(boolean isRank, int number) {
        this.isRank = isRank;
        this.number = number;
    }

    /** A rank, or, on a channel, whichever rank is {@linkplain #setRank named}. */
    public static Requester rank(int rank) {
        return new Requester(true, rank);
    }

    /** The server of a node, which holds no locks. */
    public static Requester server(int node) {
        return new Requester(false, node);
    }

    public boolean isRank() {
        return isRank;
    }

    /** The rank, or the number of the server's node. */
    public int number() {
        return number;
    }

    /** The rank, or -1 for a server. */
    public int rankOrNone() {
        return isRank ? number : -1;
    }

    /** The requests that follow are that rank's. */
    public void setRank(int rank) {
        number = rank;
    }
}

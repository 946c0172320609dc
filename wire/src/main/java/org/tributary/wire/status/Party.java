package org.tributary.wire.status;

/**
 * Whom a rank waits for.
 *
 * @param number of the rank, or of the node whose server it is
 */
public record Party(Kind kind, int number) implements Comparable<Party> {
    /** A rank, or the server of a node. */
    public enum Kind { RANK, SERVER }

    public static Party rank(int rank) {
        return new Party(Kind.RANK, rank);
    }

    public static Party server(int node) {
        return new Party(Kind.SERVER, node);
    }

    public boolean isRank() {
        return kind == Kind.RANK;
    }

    @Override
    public int compareTo(Party other) {
        return kind != other.kind ? kind.compareTo(other.kind) : Integer.compare(number, other.number);
    }

    @Override
    public String toString() {
        return isRank() ? "rank " + number : "the server of node " + number;
    }
}

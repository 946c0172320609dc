package org.tributary.wire.shm;

/** The kinds of waits that a rank writes into its {@link WaitSlots}; the code is the ordinal. */
public enum WaitKind {
    /** No wait. */
    NONE(Peer.NONE),
    /** The answer to a request; the peer is the node whose server gives it. */
    ANSWER(Peer.NODE),
    /** One-way requests, which the peer's server executes. */
    FENCE(Peer.NODE),
    /** Operations under way, such as a get; the peer is the node of their connection, or -1 for several. */
    OPERATIONS(Peer.NODE),
    /** The socket to the peer's server takes nothing more. */
    ROOM(Peer.NODE),
    /** A connection to the peer's server is being opened. */
    CONNECTION(Peer.NODE),
    /** A mutex at the peer; the segment holds its word, the number is its index. */
    MUTEX(Peer.RANK),
    /** The lock of the peer's part of a window. */
    WINDOW_LOCK(Peer.RANK),
    /** A step of a collective that the peer takes; the segment is that of the group's inboxes, the number its call. */
    COLLECTIVE(Peer.RANK),
    /** A flag in the rank's own memory, which the peer sets; the number is its offset in the segment. */
    FLAG(Peer.RANK),
    /** A notification of the peer; the number is how many of that peer there are then. */
    NOTIFICATION(Peer.RANK),
    /** Operations that others have on their way to the rank; the number is the {@link WindowLayout#sentStep} of all. */
    WINDOW_FENCE(Peer.RANK),
    /** Members that are not ready for the next epoch; the number is the {@link WindowLayout#readyStep} of all. */
    WINDOW_READY(Peer.RANK),
    /** The end of access epochs to the rank's part of a window, by the peer and perhaps others. */
    WINDOW_COMPLETE(Peer.RANK),
    /** The peer's exposure of its part of a window. */
    WINDOW_POST(Peer.RANK),
    /** The lock of a stripe of memory on the node, for an accumulate; the peer is the token of its holder. */
    ACCUMULATE(Peer.TOKEN),
    /** No wait, and no end of it: the rank has said goodbye, which its server, when it is stopped, has not read yet. */
    LEFT(Peer.NONE);

    /** Meanings of a peer's number. */
    public enum Peer {
        NONE,
        RANK,
        NODE,
        /** As in {@link AccumulateLocks}. */
        TOKEN
    }

    private static final WaitKind[] BY_CODE = values();

    private final Peer peer;

    WaitKind(Peer peer) {
        this.peer = peer;
    }

    /** Meaning of the peer's number in a wait of this kind. */
    public Peer peer() {
        return peer;
    }

    /** The kind with that code, or null when there is none. */
    public static WaitKind of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }
}

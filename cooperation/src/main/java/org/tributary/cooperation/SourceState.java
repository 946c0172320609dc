package org.tributary.cooperation;

/**
 * State of a source: a rank's connection, its ring, or a channel of another server. It outlives the connection until
 * its ring is empty and none of its requests is under way. Owned by the event loop.
 */
final class SourceState {
    final boolean isChannel;
    final RingLedger ring;
    /** The rank that its requests come from now. */
    int requester;
    final Executed executed = new Executed();
    /** Waiters of this source in requests that wait or are under way. */
    int pending;
    /** Those of them that are not for a lock: their end does not need more of what comes from the source. */
    int promptPending;
    /** Bytes of the answers that are due to the source. */
    long replyBytes;
    boolean isClosed;
    boolean isTouched;
    /** Something goes to the source in this turn: credit may come along. */
    boolean hasSpoken;
    /** Reading was stopped: {@link Sources#mustWait}. */
    boolean isHeld;
    private long firstWanted = Long.MAX_VALUE;
    private long lastWanted;
    private long toldExecuted;
    private long toldFreed;

    SourceState(boolean isChannel, int ringBytes) {
        this.isChannel = isChannel;
        this.ring = new RingLedger(ringBytes);
    }

    void setAckWanted() {
        lastWanted = executed.issued();
        firstWanted = Math.min(firstWanted, lastWanted);
    }

    /** Whether an acknowledgement is due; it has been given then. */
    boolean takeAcknowledgement() {
        long prefix = executed.prefix();
        if (prefix < firstWanted) {
            return false;
        }
        // Steps in between are not remembered: once one is open, each step is told.
        firstWanted = prefix < lastWanted ? prefix + 1 : Long.MAX_VALUE;
        boolean isNew = prefix > toldExecuted;
        toldExecuted = prefix;
        // A channel asks with every message, also when there is nothing in it to acknowledge.
        return isNew || !isChannel;
    }

    /** Whether credit is to be told; it has been then. */
    boolean takeCredit(int ringBytes) {
        long untold = ring.freed() - toldFreed;
        if (!isChannel || untold == 0 || !hasSpoken && untold < ringBytes / 4) {
            return false;
        }
        toldFreed = ring.freed();
        return true;
    }

    boolean isReleasable() {
        return isClosed && pending == 0 && ring.isEmpty();
    }
}

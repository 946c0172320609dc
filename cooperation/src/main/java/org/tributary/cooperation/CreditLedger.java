package org.tributary.cooperation;

/**
 * The credit of a sender on one channel: bytes of the receiver's ring. A request takes its own length, rounded up to
 * {@value #ALIGNMENT}; the receiver tells how much it has freed in all since the channel was opened. A request takes
 * half the ring at most, and a receiver keeps less than a quarter to itself, so a sender whose requests have all been
 * dealt with always has room.
 */
public final class CreditLedger {
    /** Requests take multiples of this. */
    public static final int ALIGNMENT = 8;

    private final long capacity;
    private final CreditSum all;
    private long sent;
    private long freed;

    /** Of a channel whose ring has that many bytes. */
    public CreditLedger(int capacity) {
        this(capacity, new CreditSum());
    }

    /** One of several, whose credit is summed up. */
    CreditLedger(int capacity, CreditSum all) {
        this.capacity = capacity;
        this.all = all;
        all.add(capacity);
    }

    /** Credit that a request of that length takes, in bytes. */
    public static int cost(int lengthInBytes) {
        return lengthInBytes + ALIGNMENT - 1 & -ALIGNMENT;
    }

    /**
     * A request has left.
     *
     * @throws IllegalStateException when there was no credit for it
     */
    public void sent(int lengthInBytes) {
        sent += cost(lengthInBytes);
        all.add(-cost(lengthInBytes));
        if (sent - freed > capacity) {
            throw new IllegalStateException("a request of " + lengthInBytes + " bytes overruns a ring of " + capacity
                + " by " + (sent - freed - capacity));
        }
    }

    /** The receiver says how many bytes it has freed since the channel was opened. */
    public void freed(long total) {
        if (total > sent) {
            throw new IllegalArgumentException(total + " bytes freed of " + sent + " sent");
        }
        long more = Math.max(0, total - freed);
        freed += more;
        all.add(more);
    }

    /** How many bytes may be sent now. */
    public long available() {
        return capacity - (sent - freed);
    }
}

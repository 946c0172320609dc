package org.tributary.client.adapter;

import org.tributary.client.connection.Callback;
import org.tributary.client.error.GasException;
import org.tributary.client.error.InvalidAddressException;

/**
 * Whether what is under way at a node can still end. A provider need not say anything of an operation on memory that
 * its owner has closed: shm drops it. So when the oldest operation does not end for long, the node's server is asked
 * for the memory. If that is gone, and the operation has not ended as long afterwards, it never will. Guarded by the
 * lock of the links.
 */
final class Doubt implements Callback {
    /** Far more than an operation takes, and little for somebody who waits in vain. */
    static final long AFTER_NS = 1_000_000_000;

    /** Asks the node's server for the memory of the oldest; the answer is a failure when the memory is gone. */
    interface Inquiry {
        void ask(Callback answer);
    }

    private final Inquiry inquiry;
    private long number;
    private long sinceNs;
    private long asked;
    private boolean isAsking;
    private boolean isGone;
    private boolean isLast;

    Doubt(Inquiry inquiry) {
        this.inquiry = inquiry;
    }

    /**
     * Looks at the oldest operation under way at the node, by its number; asks the server when it is late. Returns
     * whether it will never end.
     */
    boolean checkOldest(long oldest, long nowNs) {
        if (oldest != number) {
            number = oldest;
            sinceNs = nowNs;
            isGone = false;
            isLast = false;
        } else if (isGone && !isLast) {
            isLast = true; // it may have ended by the answer, and nobody has looked yet
            sinceNs = nowNs;
        } else if (nowNs - sinceNs > AFTER_NS) {
            if (isLast) {
                return true;
            }
            if (!isAsking) {
                isAsking = true;
                asked = number;
                sinceNs = nowNs;
                inquiry.ask(this);
            }
        }
        return false;
    }

    @Override
    public void completed(GasException failure) {
        isAsking = false;
        isGone = failure instanceof InvalidAddressException && asked == number; // not because this rank leaves
    }
}

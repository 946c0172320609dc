package org.tributary.client.connection;

import java.io.IOException;
import org.agrona.collections.Long2LongHashMap;
import org.tributary.client.error.GasException;

/**
 * How many one-way requests a connection has issued and how many of them its server has executed: it executes them in
 * order and says how many. A fence waits for a count; it needs no message when a request up to there has asked for the
 * acknowledgement itself. Guarded by the lock of the links.
 */
final class AckLedger {
    private static final int UNREAD_BEFORE_READING = 64;

    private final LinkSet<?>.Membership unsettled;
    private long issued;
    private long fenced;
    private long executed;
    private long askedFor;
    private int unread;
    private GasException failure;
    /** By segment, the last request there that has given back a late grant, unless all are executed. */
    private final Long2LongHashMap givenBack = new Long2LongHashMap(0);

    /** Without requests. {@code unsettled}: whether some are not known to be executed, or a failure is to be thrown. */
    AckLedger(LinkSet<?>.Membership unsettled) {
        this.unsettled = unsettled;
    }

    /** A request has been encoded; {@code isFenced}: the program's fences wait for it. */
    void issued(boolean withAck, boolean isFenced) {
        issued++;
        unsettled.addToSet();
        if (isFenced) {
            fenced = issued;
        }
        if (withAck) {
            askedByRequest();
        }
    }

    /** The request issued last gives back a late grant, at a segment that may be freed meanwhile. */
    void givesBack(long segment) {
        givenBack.put(segment, issued);
    }

    /** Whether a request under way has given back a late grant there, so that it is no failure if it is freed. */
    boolean mayBeFreed(long segment) {
        return givenBack.get(segment) > executed;
    }

    /** The request issued last asks for an acknowledgement itself. */
    void askedByRequest() {
        askedFor = issued;
        unread++;
    }

    /** A message has asked for the acknowledgement of everything issued so far. */
    void askedByFence() {
        askedFor = issued;
    }

    /** Up to where the program's fences wait. */
    long fenced() {
        return fenced;
    }

    long issued() {
        return issued;
    }

    /** Whether so many have not been executed and nothing has asked to hear of it. */
    boolean isUnasked(long count) {
        return executed < count && askedFor < count;
    }

    boolean hasExecuted(long count) {
        return executed >= count;
    }

    /**
     * The server says that it has executed so many.
     *
     * @throws IOException when it cannot have: fewer than it has said before, or more than were issued
     */
    void executed(long count) throws IOException {
        if (count < executed || count > issued) {
            throw new IOException("the server has executed " + count + " requests, it says, after " + executed + " of "
                + issued);
        }
        executed = count;
        unread = 0;
        settle();
    }

    boolean areAllExecuted() {
        return executed == issued;
    }

    /** Whether so many acknowledgements are due that they should be read although nobody waits. */
    boolean areManyUnread() {
        return unread >= UNREAD_BEFORE_READING;
    }

    /** A request has failed; the first failure stays until it is taken. */
    void failed(GasException why) {
        if (failure == null) {
            failure = why;
            unsettled.addToSet();
        }
    }

    /** The failure of a request without an answer, given out once; null when there is none. */
    GasException takeFailure() {
        GasException taken = failure;
        if (taken != null) {
            failure = null;
            settle();
        }
        return taken;
    }

    private void settle() {
        if (executed == issued) {
            givenBack.clear();
            if (failure == null) {
                unsettled.removeFromSet();
            }
        }
    }
}

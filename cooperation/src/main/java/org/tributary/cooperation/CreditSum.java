package org.tributary.cooperation;

/** The credit of all channels of a server, kept as it changes: nobody goes through thousands of them to tell it. */
final class CreditSum {
    private long available;

    void add(long bytes) {
        available += bytes;
    }

    /** How many bytes may be sent on all of them now. */
    long available() {
        return available;
    }
}

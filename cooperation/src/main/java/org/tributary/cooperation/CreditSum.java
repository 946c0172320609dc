package org.tributary.cooperation;

/**
 * The credit of all channels of a server in bytes. It is kept as it changes, so that no reader of metrics goes through
 * thousands of channels. Owned by the event loop.
 */
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

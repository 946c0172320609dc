package org.tributary.server.adapter;

/** Hears of requests that ranks of other nodes have written to blocks. Called by the adapter's thread. */
public interface BlockListener {
    /**
     * The adapter has made progress: wakes the server's event loop if that sleeps and a request is there that the
     * adapter tells nobody of.
     *
     * @return whether it did
     */
    boolean hasWoken();

    /** A write is complete: 16 bits of the {@link RequestBlock#number}, and 16 bits of the channel's own. */
    void arrived(int data);
}

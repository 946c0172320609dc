package org.tributary.client.link;

import org.tributary.client.connection.Awaited;
import org.tributary.client.connection.ChannelFacts;
import org.tributary.client.connection.RequestChannel;
import org.tributary.client.connection.ServerLink;
import org.tributary.client.error.GasException;

/**
 * The network adapter, which moves data to and from other nodes beside the connections. Requests to a node wait
 * until what has been begun there before has ended. Guarded by the lock of {@link Links}.
 */
public interface NetworkAdapter {
    /** Whether anything is under way. */
    boolean isBusy();

    /** Whether anything is under way at a node. */
    boolean isBusy(int node);

    /** Done when all that has begun so far at a node has ended; at any node for -1. */
    Awaited allSoFar(int node);

    /** Opens a channel for requests to the server of a connection; null when it cannot. */
    RequestChannel openChannel(ServerLink link, ChannelFacts facts);

    /** After how many hand-overs of requests a connection asks its server for a channel. */
    int flushesBeforeAsking();

    /** Makes progress; says whether something has happened. */
    boolean poll();

    /** Nothing has happened for a while: looks at the connections to servers for which something is under way. */
    void lookAtServers();

    /**
     * Sleeps until something may have happened, for so long at most; returns at once when something is to be done. Call
     * without the lock, after {@link #poll} has moved nothing.
     */
    void nap(long longestNs);

    /** Touches memory of callers no more: what is under way has failed. */
    void letGo(GasException why);

    /** Ends everything that is under way. */
    void close();
}

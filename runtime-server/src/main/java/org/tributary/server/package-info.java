/**
 * The communication server of a node: creates and owns the node's segments, admits ranks and other servers, executes
 * their requests directly in the mapped segments.
 *
 * <p>Each package below uses only those before it: {@code observe}, {@code frame}, {@code adapter},
 * {@code memory}, {@code io}, {@code execute}, {@code job}, {@code relay}, {@code connection}; this one puts them
 * together.
 *
 * <p>The main event loop owns the state: segments, mutex queues, states of ranks, and most connections. Others may own
 * connections of ranks of other nodes, and move their data. All other threads (a caller of {@code close}, the loop of
 * strangers, that of the network adapter, the thread that makes segments, the thread on the connection to the server
 * above), and these loops, hand messages over to the main one. The exceptions are words in shared memory, which ranks
 * change too, the map of segments, which is replaced, and counters, which each loop writes and a scrape reads.
 */
package org.tributary.server;

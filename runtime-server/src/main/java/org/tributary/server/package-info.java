/**
 * The communication server of a node: creates and owns the node's segments, admits ranks and other servers, executes
 * their requests directly in the mapped segments.
 *
 * <p>Each package below uses only those before it: {@code observe}, {@code frame}, {@code adapter},
 * {@code memory}, {@code io}, {@code execute}, {@code job}, {@code relay}, {@code connection}; this one puts them
 * together.
 *
 * <p>One event loop owns the state: connections, segments, mutex queues, states of ranks. Other threads (a caller of
 * {@code close}, the loop of strangers, that of the network adapter, the thread that makes segments, the thread on the
 * connection to the server above) hand messages over to the loop. The exceptions are words in shared memory, which
 * ranks change too, and counters, which the loop writes and a scrape reads.
 */
package org.tributary.server;

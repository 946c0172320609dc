/**
 * Connections of a rank to communication servers: requests written straight into the socket's buffer by the thread that
 * issues them, answers read by the threads that wait for them.
 *
 * <p>No thread of its own does I/O for a request. Everything is guarded by the one lock of {@link
 * org.tributary.client.link.Links}; the only extra thread is the {@link org.tributary.client.link.Lifeline}, which
 * sleeps until the job fails.
 */
package org.tributary.client.link;

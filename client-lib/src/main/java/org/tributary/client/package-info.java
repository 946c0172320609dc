/**
 * The API of a rank: {@link org.tributary.client.Gas} attaches it to its job; {@link org.tributary.client.GlobalMemory}
 * is memory that every rank can read and write; {@link org.tributary.client.Group} has the collectives.
 *
 * <p>Threads: everything here may be called from any thread unless it says otherwise. The library starts two threads at
 * most: one sleeps until the job fails; one, from the first deferred put on, sends while the program computes. The
 * caller itself accesses memory of its own node, and sends requests for other nodes to a server.
 */
package org.tributary.client;

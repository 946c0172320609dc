/**
 * What a rank calls: {@link org.tributary.client.Gas} attaches it to its job; {@link
 * org.tributary.client.GlobalMemory} is memory that every rank can read and write; {@link org.tributary.client.Group}
 * has the collectives.
 *
 * <p>Threads: everything here may be called from any thread unless it says otherwise. No thread is started except one
 * that sleeps until the job fails. Operations on memory of the same node are done by the caller, in memory; others are
 * sent by the caller to the server of the target's node.
 */
package org.tributary.client;

/**
 * One connection of a rank to a communication server: its bytes by socket, ring, record or channel of the network
 * adapter, requests encoded into its buffer, answers read from it, and which requests are executed.
 *
 * <p>Guarded by the lock of the links, whose package says who holds it when.
 */
package org.tributary.client.connection;

/**
 * Encrypted streams: the bytes of a connection between nodes under {@code network.encryption}. Records, keys and their
 * renewal, without input or output, and a channel that puts them on a socket.
 *
 * <p>Every object belongs to one connection and to that connection's thread or lock.
 */
package org.tributary.wire.record;

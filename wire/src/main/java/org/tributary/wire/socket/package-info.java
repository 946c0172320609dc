/**
 * What a TCP connection needs of the kernel beyond Java's own API: its descriptor, options, and whether the kernel at
 * the other end still answers. Objects of a connection belong to whoever owns that connection.
 */
package org.tributary.wire.socket;

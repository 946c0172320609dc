/**
 * Access to the kernel for TCP connections, beyond Java's own API: their descriptors, options, and whether the kernel
 * at the other end still answers. Objects of a connection belong to the owner of that connection.
 */
package org.tributary.wire.socket;

/**
 * The files in a node's shared-memory directory, byte by byte, and the words in them that several processes change.
 * Threads: each class says.
 *
 * <p>Ordering rule for the whole package: data is written plainly, then published with a release store (or a full
 * read-modify-write) of one word; a process that reads that word with an acquire load sees the data. Each such pair
 * names its partner where it stands. Files belong to the node's communication server, which alone creates and removes
 * them.
 */
package org.tributary.wire.shm;

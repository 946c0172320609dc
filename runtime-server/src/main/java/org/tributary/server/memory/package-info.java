/**
 * The shared memory of the node: segments and the files they live in, mutexes, locks of windows, and whether a
 * request fits the memory that it names. Knows no connections.
 */
package org.tributary.server.memory;

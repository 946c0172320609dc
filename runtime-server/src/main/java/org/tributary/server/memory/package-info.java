/**
 * The shared memory of the node: segments and their files, mutexes, locks of RMA windows, and the check of a request
 * against the memory that it names. Knows no connections. Owned by the main event loop; others find segments and ring
 * ranks, and have held-up work of their own. {@code SegmentWorker} makes and removes files on a thread of its own.
 */
package org.tributary.server.memory;

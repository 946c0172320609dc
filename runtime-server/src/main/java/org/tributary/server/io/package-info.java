/**
 * Input and output of bytes, whatever they mean: buffers, answers, records of encrypted connections, the waiting of the
 * event loop, silent hosts. Each object belongs to one event loop, but for sums over all loops of a server.
 */
package org.tributary.server.io;

/**
 * Input and output of bytes, whatever they mean: buffers, answers, records of encrypted connections, the waiting of the
 * event loop, silent hosts. Each object belongs to one event loop.
 */
package org.tributary.server.io;

/**
 * Status of a job as seen from outside: how each process of it is, and who waits for whom. {@code NodeReader} reads
 * the files of one node, which its ranks may have overwritten, and which may go at any moment; the other classes have
 * no input or output. Used by one thread.
 */
package org.tributary.wire.status;

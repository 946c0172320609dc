/**
 * What can be told of a job from outside: which process of it is how, and who waits for whom. {@code NodeReader} reads
 * the files of one node, which its ranks may have overwritten, and which may go at any moment; the other classes have no
 * input or output. Used by one thread.
 */
package org.tributary.wire.status;

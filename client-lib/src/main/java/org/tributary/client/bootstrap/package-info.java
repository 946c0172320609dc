/**
 * How ranks become a job without {@code tributary run} or a job script: ranks that a launcher of MPI has started agree
 * through it (PMI-1, PMIx), a process that nobody has launched is a job of its own. The lowest rank of each node starts
 * that node's server. {@code native/src/bootstrap} does the same for ranks in C, with the same keys and texts, so ranks
 * of both can share a job.
 *
 * <p>Used by the thread that attaches, and by the one that leaves.
 */
package org.tributary.client.bootstrap;

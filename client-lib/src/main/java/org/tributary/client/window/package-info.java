/**
 * RMA windows: the remote-memory-access model of MPI-2 and MPI-3 on global memory, with every design of its
 * synchronization that the literature compares. {@link org.tributary.client.window.Window} is the entry; designs are
 * chosen in {@link org.tributary.client.window.WindowOptions}. One thread at a time uses a window.
 *
 * <p>Sources: R. Thakur, W. Gropp, B. Toonen, "Minimizing Synchronization Overhead in the Implementation of MPI
 * One-Sided Communication" (2004); W. Gropp, R. Thakur, "An Evaluation of Implementation Options for MPI One-Sided
 * Communication" (2005); G. Santhanaraman et al., "Design Alternatives for Implementing Fence Synchronization in MPI-2
 * One-sided Communication for InfiniBand Clusters" (2008).
 */
package org.tributary.client.window;

/**
 * The suite behind {@code tributary bench windows}: the measurements of the papers on synchronization of windows, every
 * design beside every other. Every rank derives the same plan from the same command line and works through it in step;
 * results are at rank 0. Each object belongs to the one thread of its rank.
 *
 * <p>Sources: G. Santhanaraman et al., "Design Alternatives for Implementing Fence Synchronization in MPI-2 One-sided
 * Communication for InfiniBand Clusters" (2008), for overlap, cost of fences and halo; R. Thakur, W. Gropp, B.
 * Toonen, "Minimizing Synchronization Overhead in the Implementation of MPI One-Sided Communication" (2004), for the
 * exchange of ghost cells and two fences; W. Gropp, R. Thakur, "An Evaluation of Implementation Options for MPI
 * One-Sided Communication" (2005), for locks.
 */
package org.tributary.benchmarks.windows;

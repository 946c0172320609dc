/**
 * Two programs that exchange the borders of blocks between neighbours: {@link org.tributary.miniapps.halo.Halo}, a
 * stencil on a periodic grid, and {@link org.tributary.miniapps.halo.GhostExchange}, the exchange alone. One thread in
 * each rank.
 *
 * <p>Sources: R. Thakur, W. Gropp, B. Toonen, "Minimizing Synchronization Overhead in the Implementation of MPI
 * One-Sided Communication" (2004), for the exchange with four neighbours; G. Santhanaraman et al., "Design Alternatives
 * for Implementing Fence Synchronization in MPI-2 One-sided Communication for InfiniBand Clusters" (2008), for the halo
 * with computation.
 */
package org.tributary.miniapps.halo;

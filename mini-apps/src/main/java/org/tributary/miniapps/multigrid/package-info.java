/**
 * The kernel MG of the NAS Parallel Benchmarks: {@link org.tributary.miniapps.multigrid.Multigrid}. One thread a rank.
 *
 * <p>Sources: D. Bailey et al., "The NAS Parallel Benchmarks 2.0", NAS Technical Report NAS-95-020 (1995), for the
 * algorithm, its stencils and its random numbers; the reference implementation NPB 3.4 of NASA Ames for the sizes of
 * the classes and the norms that verify them.
 */
package org.tributary.miniapps.multigrid;

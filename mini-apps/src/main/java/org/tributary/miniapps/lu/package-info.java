/**
 * The application LU of the NAS Parallel Benchmarks: {@link org.tributary.miniapps.lu.Lu}. One thread a rank.
 *
 * <p>Numbers of a point lie side by side: density, momentum along x, y and z, energy. Points have a number in the box
 * of a rank, with x varying fastest and z slowest.
 *
 * <p>Sources: D. Bailey et al., "The NAS Parallel Benchmarks", NAS Technical Report RNR-94-007 (1994), for the
 * equations and the method; the reference implementation NPB 3.4 of NASA Ames for the sizes of the classes and the
 * values that verify them.
 */
package org.tributary.miniapps.lu;

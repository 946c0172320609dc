/**
 * Gaussian basis functions of atoms and the integrals over them: overlap, kinetic energy, attraction by nuclei, and
 * repulsion of electrons, by expansion in Hermite Gaussians. One thread each; what computes repulsion has memory of its
 * own, and everything else is immutable after it was prepared.
 *
 * <p>Atomic units: lengths in bohr, exponents in 1/bohr^2, energies in hartree. A basis function is a contraction of
 * cartesian Gaussians {@code x^i y^j z^k exp(-a r^2)} and has norm 1. Functions of a shell lie side by side: s; x, y,
 * z; xx, xy, xz, yy, yz, zz.
 *
 * <p>Sources: L. E. McMurchie, E. R. Davidson, Journal of Computational Physics 26 (1978) 218, for the integrals;
 * T. Helgaker, P. Jorgensen, J. Olsen, "Molecular Electronic-Structure Theory" (2000), chapter 9, for the recursions
 * and the Boys function. The resource {@code basis-sets.txt} names those of the exponents.
 */
package org.tributary.miniapps.gaussian;

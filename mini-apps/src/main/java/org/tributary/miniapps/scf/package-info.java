/**
 * Molecules with closed shells by the self-consistent field of Hartree and Fock:
 * {@link org.tributary.miniapps.scf.Scf}. One thread a rank.
 *
 * <p>The density and the Fock matrix are distributed; ranks draw quartets of blocks of basis functions from a shared
 * counter, compute their integrals anew in every iteration, and accumulate. Whatever else there is to do, the
 * diagonalization above all, rank 0 does. Matrices are row by row, lengths in bohr, energies in hartree. Elements of
 * the density matrix are sums over both electrons of each orbital.
 *
 * <p>Sources: C. C. J. Roothaan, Reviews of Modern Physics 23 (1951) 69, for the method; J. Almlof, K. Faegri,
 * K. Korsell, Journal of Computational Chemistry 3 (1982) 385, for integrals that are not kept; R. J. Harrison et al.,
 * Journal of Computational Chemistry 17 (1996) 124, for distributed matrices and tasks from a counter, as NWChem has
 * them; P. Pulay, Journal of Computational Chemistry 3 (1982) 556, for the extrapolation; M. Haeser, R. Ahlrichs,
 * Journal of Computational Chemistry 10 (1989) 104, for the screening; J. H. Van Lenthe et al., Journal of
 * Computational Chemistry 27 (2006) 926, for the density at the beginning.
 */
package org.tributary.miniapps.scf;

/**
 * Molecular dynamics: {@link org.tributary.miniapps.md.Md}. One thread a rank.
 *
 * <p>Units are those of the Lennard-Jones potential: its depth, its diameter, and the mass of an atom are 1, and so is
 * the constant of Coulomb's law. Positions of an atom are four numbers side by side: x, y, z and its charge; velocities
 * and forces are four too, of which the last is not used.
 *
 * <p>Sources: L. Verlet, Physical Review 159 (1967) 98, for the method and the neighbour lists; S. Plimpton, Journal of
 * Computational Physics 117 (1995) 1, for the decomposition of space; D. Frenkel and B. Smit, "Understanding Molecular
 * Simulation" (2002), for long-range corrections and the Ewald sum; the NIST Standard Reference Simulation Website for
 * properties of the Lennard-Jones fluid; J. K. Johnson, J. A. Zollweg, K. E. Gubbins, Molecular Physics 78 (1993) 591,
 * for its equation of state.
 */
package org.tributary.miniapps.md;

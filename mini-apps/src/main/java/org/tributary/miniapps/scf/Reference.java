package org.tributary.miniapps.scf;

import java.util.Map;
import java.util.Optional;
import org.tributary.miniapps.gaussian.BasisSet;

/**
 * A total energy that does not come from this program.
 *
 * @param energy in hartree
 * @param source who has computed it
 */
record Reference(double energy, String source) {
    /** In hartree: energies may differ by this much. */
    static final double TOLERANCE = 1e-6;
    /**
     * {@code scf; rhf; singlet; thresh 1e-8; tol2e 1e-12} with {@code basis cartesian}, as Debian packages it. Water,
     * ammonia and benzene in 6-31G* are as NIST's Computational Chemistry Comparison and Benchmark Database has them,
     * too: -76.010747, -56.184356 and -230.703137.
     */
    private static final String NWCHEM = "NWChem 7.0.2";
    private static final Map<String, Double> ENERGIES = Map.ofEntries(
        Map.entry("water STO-3G", -74.960913773),
        Map.entry("water 6-31G", -75.984290361),
        Map.entry("water 6-31G*", -76.010746508),
        Map.entry("water 6-31G**", -76.023572955),
        Map.entry("ammonia STO-3G", -55.452650910),
        Map.entry("ammonia 6-31G", -56.161682350),
        Map.entry("ammonia 6-31G*", -56.184356422),
        Map.entry("ammonia 6-31G**", -56.195532149),
        Map.entry("benzene STO-3G", -227.891098169),
        Map.entry("benzene 6-31G", -230.624424877),
        Map.entry("benzene 6-31G*", -230.703137062),
        Map.entry("benzene 6-31G**", -230.713859015),
        Map.entry("water-cluster STO-3G", -224.915312739),
        Map.entry("water-cluster 6-31G", -227.988922992),
        Map.entry("water-cluster 6-31G*", -228.058101148),
        Map.entry("water-cluster 6-31G**", -228.095272886));

    /** That of a neutral molecule that the program knows by name, if there is one. */
    static Optional<Reference> of(Molecule molecule, BasisSet basis, int charge) {
        if (charge != 0) {
            return Optional.empty();
        }
        return Optional.ofNullable(ENERGIES.get(molecule.name() + " " + basis.name()))
            .map(energy -> new Reference(energy, NWCHEM));
    }
}

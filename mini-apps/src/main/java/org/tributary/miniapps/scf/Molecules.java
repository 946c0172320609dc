package org.tributary.miniapps.scf;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.tributary.miniapps.gaussian.Elements;

/** Molecules that the program knows by name. */
final class Molecules {
    private static final int DIMENSIONS = 3;
    private static final Map<String, Molecule> ALL = new TreeMap<>();

    static {
        for (Molecule each : List.of(water(), ammonia(), benzene(), waterCluster())) {
            ALL.put(each.name(), each);
        }
    }

    private Molecules() {
    }

    static Optional<Molecule> of(String name) {
        return Optional.ofNullable(ALL.get(name));
    }

    static List<String> names() {
        return List.copyOf(ALL.keySet());
    }

    /**
     * As 6-31G* has it with the least energy, which tables of such energies are for: W. J. Hehre, L. Radom, P. v. R.
     * Schleyer, J. A. Pople, "Ab Initio Molecular Orbital Theory" (1986); so are ammonia and benzene.
     */
    private static Molecule water() {
        double bond = 0.9473;
        double half = Math.toRadians(105.5) / 2;
        double y = bond * Math.sin(half);
        double z = bond * Math.cos(half);
        return inAngstrom("water", "O H H", 0, 0, 0, 0, y, z, 0, -y, z);
    }

    private static Molecule ammonia() {
        double bond = 1.0025;
        double fromAxis = 2 * bond * Math.sin(Math.toRadians(107.2) / 2) / Math.sqrt(3);
        double[] places = new double[4 * DIMENSIONS];
        for (int h = 0; h < 3; h++) {
            double angle = 2 * Math.PI * h / 3;
            places[DIMENSIONS * (h + 1)] = fromAxis * Math.cos(angle);
            places[DIMENSIONS * (h + 1) + 1] = fromAxis * Math.sin(angle);
            places[DIMENSIONS * (h + 1) + 2] = Math.sqrt(bond * bond - fromAxis * fromAxis);
        }
        return inAngstrom("ammonia", "N H H H", places);
    }

    private static Molecule benzene() {
        double carbon = 1.3862;
        double hydrogen = carbon + 1.0756;
        double[] places = new double[12 * DIMENSIONS];
        for (int corner = 0; corner < 6; corner++) {
            double angle = Math.PI * corner / 3;
            places[DIMENSIONS * corner] = carbon * Math.cos(angle);
            places[DIMENSIONS * corner + 1] = carbon * Math.sin(angle);
            places[DIMENSIONS * (corner + 6)] = hydrogen * Math.cos(angle);
            places[DIMENSIONS * (corner + 6) + 1] = hydrogen * Math.sin(angle);
        }
        return inAngstrom("benzene", "C C C C C C H H H H H H", places);
    }

    /** Three molecules in a ring, which examples of Psi4 use; in bohr. */
    private static Molecule waterCluster() {
        return new Molecule("water-cluster", elements("O H H O H H O H H"), new double[] {
            -2.76373224, -1.24377706, -0.15444566,
            -1.12357791, -2.06227970, -0.05243799,
            -3.80792362, -2.08705525, 1.06090407,
            2.46924614, -1.75437739, -0.17092884,
            3.76368260, -2.21425403, 1.00846104,
            2.30598330, 0.07098445, -0.03942473,
            0.29127930, 3.00875625, 0.20308515,
            -1.21253048, 1.95820900, 0.10303324,
            0.10002049, 4.24958115, -1.10222079});
    }

    private static Molecule inAngstrom(String name, String symbols, double... places) {
        double[] positions = new double[places.length];
        for (int i = 0; i < places.length; i++) {
            positions[i] = places[i] / Molecule.BOHR;
        }
        return new Molecule(name, elements(symbols), positions);
    }

    private static int[] elements(String symbols) {
        return List.of(symbols.split(" ", -1)).stream().mapToInt(symbol -> Elements.number(symbol).orElseThrow())
            .toArray();
    }
}

package org.tributary.miniapps.scf;

/** The two-electron part of the Fock matrix on one rank, without any other. */
final class SerialFock {
    private final int size;
    private final Quartets quartets;

    SerialFock(Pairs pairs, double limit) {
        size = pairs.functions().count();
        quartets = new Quartets(pairs, Blocks.one(pairs.functions()), limit);
    }

    /** That of a density matrix. */
    double[] of(double[] density) {
        for (int part = 0; part < Quartets.PARTS; part++) {
            System.arraycopy(density, 0, quartets.density(part), 0, density.length);
        }
        quartets.compute(0, 0, 0, 0);
        double[] fock = new double[density.length];
        for (int part = 0; part < Quartets.PARTS; part++) {
            double factor = part <= Quartets.KL ? Quartets.COULOMB : Quartets.EXCHANGE;
            double[] own = quartets.fock(part);
            for (int n = 0; n < fock.length; n++) {
                fock[n] += factor * own[n];
            }
        }
        Dense.symmetrize(fock, size);
        return fock;
    }
}

package org.tributary.miniapps.scf;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.tributary.config.ConfigException;
import org.tributary.miniapps.gaussian.Elements;

/** Atoms and where they are. Immutable. */
final class Molecule {
    /** In angstrom: CODATA 2018. */
    static final double BOHR = 0.529177210903;
    /** Of two atoms, in angstrom. */
    private static final double SHORTEST = 0.1;
    private static final int DIMENSIONS = 3;
    private static final int NUMBERS_OF_NUCLEUS = 4;

    private final String name;
    private final int[] elements;
    private final double[] positions;

    /**
     * Atoms in the order given.
     *
     * @param elements  atomic numbers
     * @param positions x, y and z of each, in bohr
     */
    Molecule(String name, int[] elements, double[] positions) {
        this.name = name;
        this.elements = elements.clone();
        this.positions = positions.clone();
    }

    /**
     * Refuses atoms at the same place.
     *
     * @throws ConfigException naming the first two
     */
    void check() {
        for (int i = 0; i < atoms(); i++) {
            for (int j = 0; j < i; j++) {
                double angstrom = distance(i, j) * BOHR;
                if (!(angstrom >= SHORTEST)) {
                    throw new ConfigException(String.format(Locale.ROOT, "%s: atoms %d (%s) and %d (%s) are %.3f"
                        + " angstrom apart, as good as at the same place; %.1f or more would fit", name, j + 1,
                        Elements.symbol(elements[j]), i + 1, Elements.symbol(elements[i]), angstrom, SHORTEST));
                }
            }
        }
    }

    private double distance(int i, int j) {
        double square = 0;
        for (int d = 0; d < DIMENSIONS; d++) {
            square += (position(i, d) - position(j, d)) * (position(i, d) - position(j, d));
        }
        return Math.sqrt(square);
    }

    /** As the user called it. */
    String name() {
        return name;
    }

    int atoms() {
        return elements.length;
    }

    /** Atomic number of an atom. */
    int element(int atom) {
        return elements[atom];
    }

    /** In bohr. */
    double position(int atom, int dimension) {
        return positions[DIMENSIONS * atom + dimension];
    }

    /** Sum of the charges of the nuclei. */
    int protons() {
        return Arrays.stream(elements).sum();
    }

    /** Charge, x, y and z of each nucleus. */
    double[] nuclei() {
        double[] nuclei = new double[NUMBERS_OF_NUCLEUS * atoms()];
        for (int atom = 0; atom < atoms(); atom++) {
            nuclei[NUMBERS_OF_NUCLEUS * atom] = elements[atom];
            System.arraycopy(positions, DIMENSIONS * atom, nuclei, NUMBERS_OF_NUCLEUS * atom + 1, DIMENSIONS);
        }
        return nuclei;
    }

    /** Energy of the nuclei's repulsion, in hartree. */
    double nuclearRepulsion() {
        double energy = 0;
        for (int i = 0; i < atoms(); i++) {
            for (int j = 0; j < i; j++) {
                energy += elements[i] * elements[j] / distance(i, j);
            }
        }
        return energy;
    }

    /** Such as C6H6: carbon and hydrogen first, then the others by their symbols. */
    String formula() {
        Map<String, Integer> counts = new TreeMap<>(Comparator.comparing(Molecule::order));
        for (int element : elements) {
            counts.merge(Elements.symbol(element), 1, Integer::sum);
        }
        StringBuilder formula = new StringBuilder();
        counts.forEach((symbol, count) -> formula.append(symbol).append(count == 1 ? "" : count));
        return formula.toString();
    }

    private static String order(String symbol) {
        return switch (symbol) {
            case "C" -> " ";
            case "H" -> "!";
            default -> symbol;
        };
    }

    /** A number that another molecule, or the same one bent otherwise, hardly has too: CRC32C of all atoms. */
    String digest() {
        CRC32C sum = new CRC32C();
        for (int atom = 0; atom < atoms(); atom++) {
            ByteBuffer bytes = ByteBuffer.allocate(Double.BYTES * DIMENSIONS);
            for (int d = 0; d < DIMENSIONS; d++) {
                bytes.putDouble(position(atom, d));
            }
            sum.update(Elements.symbol(elements[atom]).getBytes(StandardCharsets.US_ASCII));
            sum.update(bytes.array());
        }
        return String.format(Locale.ROOT, "%08x", sum.getValue());
    }
}

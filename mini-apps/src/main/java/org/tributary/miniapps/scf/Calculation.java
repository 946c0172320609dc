package org.tributary.miniapps.scf;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.tributary.client.Gas;
import org.tributary.config.ConfigException;
import org.tributary.config.Nearest;
import org.tributary.miniapps.gaussian.BasisSet;
import org.tributary.miniapps.gaussian.Elements;
import picocli.CommandLine.Option;

/** Options that say what is computed, as a mixin. */
final class Calculation {
    /** Rank 0 has two dozen matrices of this many rows. */
    private static final int MOST_FUNCTIONS = 1000;
    private static final double LEAST_TOLERANCE = 1e-9;
    private static final double MOST_TOLERANCE = 1e-4;
    private static final double MOST_SCREENING = 1e-6;
    private static final int MOST_BLOCK = 16;
    private static final int TASKS_OF_RANK = 50;
    private static final int SYMMETRY = 8;
    private static final int PAIR = 2;

    @Option(names = "--molecule", paramLabel = "NAME|FILE", defaultValue = "water",
        description = "water, ammonia, benzene, water-cluster (three molecules), or a file of the form xyz, in"
            + " angstrom, which rank 0 reads on its host (default: ${DEFAULT-VALUE}).")
    private String molecule;

    @Option(names = "--basis", paramLabel = "NAME", defaultValue = "6-31G*",
        description = "Basis set: STO-3G, 6-31G, 6-31G* or 6-31G**, for H to Ar, with six cartesian d functions"
            + " (default: ${DEFAULT-VALUE}).")
    private String basis;

    @Option(names = "--charge", paramLabel = "NUMBER", defaultValue = "0",
        description = "Charge of the molecule (default: ${DEFAULT-VALUE}).")
    private int charge;

    @Option(names = "--guess", paramLabel = "GUESS", defaultValue = "atoms",
        description = "Density to begin with: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}). That of the atoms"
            + " side by side, or of electrons that do not repel each other.")
    private Guess guess;

    @Option(names = "--tolerance", paramLabel = "NUMBER", defaultValue = "1e-6",
        description = "The density and the Fock matrix belong together when no element of F P S - S P F is larger"
            + " (default: ${DEFAULT-VALUE}).")
    private double tolerance;

    @Option(names = "--max-iterations", paramLabel = "COUNT", defaultValue = "50",
        description = "Give up after so many iterations (default: ${DEFAULT-VALUE}).")
    private int maxIterations;

    @Option(names = "--screening", paramLabel = "HARTREE", defaultValue = "1e-10",
        description = "Leave out integrals that contribute less (default: ${DEFAULT-VALUE}).")
    private double screening;

    @Option(names = "--block", paramLabel = "COUNT",
        description = "Most basis functions of a block, of which a task has four (default: so many that a rank has"
            + " about 50 tasks, at most 16).")
    private Integer block;

    /** Refuses what cannot be, whatever the molecule. */
    void check() {
        if (BasisSet.of(basis).isEmpty()) {
            throw new ConfigException("--basis " + basis + ": there is " + BasisSet.names()
                + Nearest.hint(basis, BasisSet.names()));
        }
        if (!(tolerance >= LEAST_TOLERANCE && tolerance <= MOST_TOLERANCE)) {
            throw new ConfigException("--tolerance must be between " + LEAST_TOLERANCE + " and " + MOST_TOLERANCE
                + ": " + tolerance);
        }
        if (!(screening > 0 && screening <= MOST_SCREENING)) {
            throw new ConfigException("--screening must be positive, and " + MOST_SCREENING + " at most: " + screening);
        }
        if (maxIterations < 1) {
            throw new ConfigException("--max-iterations must be positive: " + maxIterations);
        }
        if (block != null && block < 1) {
            throw new ConfigException("--block must be positive: " + block);
        }
        if (Molecules.of(molecule).isPresent()) {
            check(Molecules.of(molecule).get());
        }
    }

    /** The file of the molecule, by its option, unless it is a molecule with a name. */
    Map<String, String> inputs() {
        return Molecules.of(molecule).isPresent() ? Map.of() : Map.of("--molecule", molecule);
    }

    /** The molecule, checked. Collective. */
    Molecule molecule(Gas gas) {
        Molecule found = Molecules.of(molecule).orElse(null);
        if (found == null) {
            found = XyzFile.read(gas, molecule);
        }
        check(found);
        return found;
    }

    /** Refuses a molecule that this program cannot compute. */
    void check(Molecule found) {
        BasisSet set = basis();
        for (int atom = 0; atom < found.atoms(); atom++) {
            if (!set.has(found.element(atom))) {
                List<Integer> known = set.elements();
                throw new ConfigException(found.name() + ": " + set.name() + " has no functions for "
                    + Elements.symbol(found.element(atom)) + ", atom " + (atom + 1) + ", only for "
                    + Elements.symbol(known.getFirst()) + " to " + Elements.symbol(known.getLast()));
            }
        }
        found.check();
        int electrons = electrons(found);
        if (electrons < PAIR) {
            throw new ConfigException(String.format(Locale.ROOT, "%s with charge %d has %d electrons, and at least two"
                + " are needed; --charge %d would fit", found.name(), charge, electrons, found.protons() - PAIR));
        }
        if (electrons % PAIR != 0) {
            throw new ConfigException(String.format(Locale.ROOT, "%s with charge %d has %d electrons, an odd number,"
                + " and closed shells have pairs; --charge %d or --charge %d would fit", found.name(), charge,
                electrons, charge - 1, charge + 1));
        }
        int functions = new Functions(found, set).count();
        if (electrons / PAIR > functions) {
            throw new ConfigException(String.format(Locale.ROOT, "%s has %d pairs of electrons, and %s only %d"
                + " functions for them; a larger --basis or --charge would fit", found.name(), electrons / PAIR,
                set.name(), functions));
        }
        if (functions > MOST_FUNCTIONS) {
            int fewest = new Functions(found, smallest()).count();
            throw new ConfigException(String.format(Locale.ROOT, "%s has %d functions in %s, more than %d; %s",
                found.name(), functions, set.name(), MOST_FUNCTIONS, fewest <= MOST_FUNCTIONS
                    ? "--basis " + smallest().name() + " would fit, with " + fewest : "a smaller molecule would fit"));
        }
    }

    /** Refuses a molecule whose functions overlap so much that pairs of electrons would have no orbital. */
    void checkCombinations(Molecule found, int combinations) {
        int pairs = electrons(found) / PAIR;
        if (pairs > combinations) {
            throw new ConfigException(String.format(Locale.ROOT, "%s has %d pairs of electrons, and the functions of"
                + " %s overlap so much that only %d combinations of them are left; atoms farther apart, or a larger"
                + " --charge, would fit", found.name(), pairs, basis().name(), combinations));
        }
    }

    private static BasisSet smallest() {
        return BasisSet.of(BasisSet.names().getFirst()).orElseThrow();
    }

    BasisSet basis() {
        return BasisSet.of(basis).orElseThrow();
    }

    int charge() {
        return charge;
    }

    int electrons(Molecule of) {
        return of.protons() - charge;
    }

    Guess guess() {
        return guess;
    }

    double tolerance() {
        return tolerance;
    }

    int maxIterations() {
        return maxIterations;
    }

    double screening() {
        return screening;
    }

    /** Most functions of a block; there are about an eighth of the fourth power of the number of blocks of tasks. */
    int block(int functions, int ranks) {
        double blocks = Math.sqrt(Math.sqrt((double) SYMMETRY * TASKS_OF_RANK * ranks));
        return block == null ? Math.clamp((int) (functions / blocks), 1, MOST_BLOCK) : block;
    }

    /** For a checkpoint: what must be the same to go on. */
    String identity(Molecule of) {
        return String.format(Locale.ROOT, "scf %s, charge %d, %s, atoms %s", of.formula(), charge, basis().name(),
            of.digest());
    }
}

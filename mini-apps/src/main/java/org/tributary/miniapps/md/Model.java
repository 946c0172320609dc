package org.tributary.miniapps.md;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tributary.config.ConfigException;
import picocli.CommandLine.Option;

/** Options that say what is simulated, as a mixin. */
final class Model {
    /** Madelung's constant of rock salt: D. Borwein, J. Borwein, K. Taylor, J. Math. Phys. 26 (1985) 2999. */
    static final double MADELUNG = 1.747564594633182;
    /** Every rank makes all atoms, of which it then takes its own. */
    private static final int MOST_ATOMS = 50_000_000;
    private static final double SHORTEST_CUTOFF = 1;
    private static final double USUAL_CHARGE = 1;
    /** Width of the Ewald sum, both parts of which then leave out about exp(-3.5^2), 5e-6. */
    private static final double EWALD_WIDTH = 3.5;
    /** Waves whose amplitudes a rank holds and reduces in every step, and terms of all atoms in a step. */
    private static final double MOST_WAVES = 1e7;
    private static final double MOST_TERMS = 1e11;
    /** Of a grid of ranks to advise. */
    private static final int MOST_RANKS_ALONG = 32;
    private static final double DIGITS = 100;
    private static final int FEWEST_EQUILIBRATION = 2000;
    private static final int FEWEST_STEPS = 5000;

    @Option(names = "--system", paramLabel = "SYSTEM", defaultValue = "lj",
        description = "What the box is filled with: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}). Charged atoms"
            + " have charges of both signs besides, whose long-ranged forces are an Ewald sum.")
    private Matter matter;

    @Option(names = "--atoms", paramLabel = "COUNT",
        description = "Number of atoms (default: 4000, or 512 if they are charged): 4 n^3 for a face-centred cubic"
            + " lattice, 8 n^3 for that of rock salt.")
    private Integer atoms;

    @Option(names = "--density", paramLabel = "NUMBER", defaultValue = "0.84",
        description = "Atoms in a cube of the size of their diameter (default: ${DEFAULT-VALUE}).")
    private double density;

    @Option(names = "--temperature", paramLabel = "NUMBER", defaultValue = "0.85",
        description = "Temperature, in depths of the potential (default: ${DEFAULT-VALUE}).")
    private double temperature;

    @Option(names = "--charge", paramLabel = "NUMBER",
        description = "Charge of an atom of a charged system (default: 1).")
    private Double charge;

    @Option(names = "--cutoff", paramLabel = "LENGTH", defaultValue = "3",
        description = "Where the potential is cut off (default: ${DEFAULT-VALUE}).")
    private double cutoff;

    @Option(names = "--skin", paramLabel = "LENGTH", defaultValue = "0.3",
        description = "How much farther neighbour lists reach (default: ${DEFAULT-VALUE}).")
    private double skin;

    @Option(names = "--timestep", paramLabel = "TIME", defaultValue = "0.005",
        description = "Length of a step (default: ${DEFAULT-VALUE}).")
    private double timestep;

    @Option(names = "--equilibration", paramLabel = "STEPS", defaultValue = "500",
        description = "Steps before those that are timed, which keep the temperature (default: ${DEFAULT-VALUE}).")
    private int equilibration;

    @Option(names = "--steps", paramLabel = "STEPS", defaultValue = "500",
        description = "Steps, which keep the energy (default: ${DEFAULT-VALUE}).")
    private int steps;

    @Option(names = "--seed", paramLabel = "NUMBER", defaultValue = "1",
        description = "Seed of the velocities at the beginning (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(names = "--nist",
        description = "Compare mean energy and pressure with the table of NIST's Standard Reference Simulation Website,"
            + " which has the densities 0.776, 0.78, 0.82, 0.84 and 0.86 at temperatures of about 0.85.")
    private boolean nist;

    /** Refuses what does not fit together, or so many ranks. */
    void check(int ranks) {
        checkPositive("--atoms", atoms());
        checkPositive("--density", density);
        checkPositive("--temperature", temperature);
        checkPositive("--charge", charge());
        checkPositive("--skin", skin);
        checkPositive("--timestep", timestep);
        checkPositive("--steps", steps);
        if (equilibration < 0) {
            refuse("--equilibration must not be negative: " + equilibration);
        }
        if (!(cutoff >= SHORTEST_CUTOFF && Double.isFinite(cutoff))) {
            refuse("--cutoff must be " + SHORTEST_CUTOFF + " at least: " + cutoff);
        }
        if (atoms() > MOST_ATOMS) {
            refuse("--atoms must be " + MOST_ATOMS + " at most: " + atoms());
        }
        if (charge != null && matter == Matter.LJ) {
            refuse("--charge is for --system charged");
        }
        int cells = matter.cells(atoms());
        if (matter.atoms(cells) != atoms()) {
            refuse(atoms() + " atoms do not fill a cube of lattice cells; " + Stream.of(cells, cells + 1)
                .map(matter::atoms).filter(fit -> fit > 0 && fit <= MOST_ATOMS).map(Object::toString)
                .collect(Collectors.joining(" or ")) + " would");
        }
        if (nist) {
            checkNist();
        }
        checkRanks(ranks);
        checkPairs(ranks);
        if (matter == Matter.CHARGED) {
            checkWaves(ranks);
        }
    }

    private static void checkPositive(String option, double value) {
        if (!(value > 0 && Double.isFinite(value))) {
            refuse(option + " must be positive: " + value);
        }
    }

    private static void refuse(String problem) {
        throw new ConfigException(problem);
    }

    private void checkNist() {
        if (matter != Matter.LJ || cutoff != NistState.CUTOFF) {
            refuse("--nist is for --system lj with --cutoff " + NistState.CUTOFF);
        }
        if (NistState.of(density).isEmpty()) {
            refuse("NIST's table has no density " + density + ", but " + NistState.densities());
        }
        NistState.of(density).orElseThrow().checkTemperature(temperature);
        if (equilibration < FEWEST_EQUILIBRATION || steps < FEWEST_STEPS) {
            refuse("--nist needs --equilibration " + FEWEST_EQUILIBRATION + " and --steps " + FEWEST_STEPS
                + " or more, for means that can be compared");
        }
    }

    private void checkRanks(int ranks) {
        double needed = cutoff + skin;
        if (Brick.shortest(edge(), ranks) >= needed) {
            return;
        }
        int fewer = ranks;
        while (fewer > 0 && Brick.shortest(edge(), fewer) < needed) {
            fewer--;
        }
        int cells = matter.cells(atoms());
        while (matter.atoms(cells) <= MOST_ATOMS
            && Brick.shortest(Math.cbrt(matter.atoms(cells) / density), ranks) < needed) {
            cells++;
        }
        List<String> fitting = new ArrayList<>();
        if (fewer > 0) {
            fitting.add(ranks(fewer));
        }
        if (matter.atoms(cells) <= MOST_ATOMS) {
            fitting.add(matter.atoms(cells) + " atoms");
        }
        refuse(String.format(Locale.ROOT, "%d atoms of density %s fill a cube of %.2f, of which %d ranks, a"
            + " grid of %s, have %.2f each, less than the cut-off and the skin, %.2f; %s", atoms(), density, edge(),
            ranks, Brick.grid(ranks), Brick.shortest(edge(), ranks), needed, advice(fitting, "a shorter --cutoff")));
    }

    private static String ranks(int ranks) {
        return ranks == 1 ? "1 rank" : ranks + " ranks";
    }

    private static String advice(List<String> fitting, String otherwise) {
        return fitting.isEmpty() ? "use " + otherwise : String.join(" or ", fitting) + " would fit";
    }

    private void checkPairs(int ranks) {
        double load = NeighbourLists.load((double) atoms() / ranks, density, cutoff + skin);
        if (load <= 1) {
            return;
        }
        List<String> fitting = new ArrayList<>();
        double shorter = roundDown((cutoff + skin) / Math.cbrt(load) - skin);
        if (shorter >= SHORTEST_CUTOFF) {
            fitting.add("--cutoff " + shorter);
        }
        double along = Math.ceil(Math.cbrt(ranks * load)); // a grid that is a cube has the thickest bricks
        if (edge() / along >= cutoff + skin && along <= MOST_RANKS_ALONG) {
            fitting.add(ranks((int) (along * along * along)));
        }
        refuse(String.format(Locale.ROOT, "%d atoms of density %s with a cut-off and a skin of %s have %.1f times as"
            + " many neighbours as the lists of %s hold; %s", atoms(), density, cutoff + skin, load, ranks(ranks),
            advice(fitting, "fewer --atoms or a lower --density")));
    }

    private void checkWaves(int ranks) {
        double waves = Ewald.waves(edge(), cutoff, EWALD_WIDTH);
        double terms = waves * atoms();
        double load = Math.max(waves / MOST_WAVES, terms / MOST_TERMS);
        if (load <= 1) {
            return;
        }
        List<String> fitting = new ArrayList<>();
        double longer = -roundDown(-cutoff * Math.cbrt(load)); // waves are as the inverse cube of the cut-off
        if (longer + skin <= Brick.shortest(edge(), ranks)
            && NeighbourLists.load((double) atoms() / ranks, density, longer + skin) <= 1) {
            fitting.add("--cutoff " + longer);
        }
        // Waves are as the atoms, and terms as their square.
        double fewer = atoms() / Math.max(waves / MOST_WAVES, Math.sqrt(terms / MOST_TERMS));
        long fewerAtoms = matter.atoms(matter.cells((int) fewer));
        if (Brick.shortest(Math.cbrt(fewerAtoms / density), ranks) >= cutoff + skin) {
            fitting.add(fewerAtoms + " atoms");
        }
        refuse(String.format(Locale.ROOT, "the Ewald sum of %d atoms in a cube of %.2f with a cut-off of %s has %.2g"
            + " waves and %.2g terms a step, more than %.0g or %.0g; %s", atoms(), edge(), cutoff, waves, terms,
            MOST_WAVES, MOST_TERMS, advice(fitting, "a higher --density")));
    }

    private static double roundDown(double length) {
        return Math.floor(length * DIGITS) / DIGITS;
    }

    Matter matter() {
        return matter;
    }

    int atoms() {
        return atoms == null ? matter.usualAtoms() : atoms;
    }

    private double edge() {
        return Math.cbrt(atoms() / density);
    }

    private double charge() {
        return charge == null ? USUAL_CHARGE : charge;
    }

    double density() {
        return density;
    }

    double temperature() {
        return temperature;
    }

    double cutoff() {
        return cutoff;
    }

    int equilibration() {
        return equilibration;
    }

    int steps() {
        return steps;
    }

    /** The state of NIST's table to compare with, if wanted. */
    Optional<NistState> nist() {
        return nist ? NistState.of(density) : Optional.empty();
    }

    /** The atoms at the beginning. */
    Configuration start() {
        return Configuration.lattice(matter, matter.cells(atoms()), density, temperature, charge(), seed);
    }

    Simulation.Parameters parameters() {
        return new Simulation.Parameters(timestep, cutoff, skin, matter == Matter.LJ ? 0 : EWALD_WIDTH);
    }

    /** Energy of the charges at the beginning by Madelung's constant of rock salt, or 0. */
    double madelungEnergy() {
        double distance = Math.cbrt(1 / density);
        return matter == Matter.LJ ? 0 : -MADELUNG * charge() * charge() / distance * atoms() / 2;
    }
}

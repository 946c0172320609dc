package org.tributary.miniapps.scf;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tributary.client.Gas;
import org.tributary.client.error.OutOfSharedMemoryException;
import org.tributary.config.ConfigException;
import org.tributary.config.Topology;
import org.tributary.globalarrays.GlobalArray;
import org.tributary.globalarrays.file.ArrayFileException;
import org.tributary.globalarrays.file.Checkpoint;
import org.tributary.miniapps.JsonOption;
import org.tributary.miniapps.MiniApp;
import org.tributary.miniapps.OutputFile;
import org.tributary.miniapps.Report;
import org.tributary.miniapps.scf.Phases.Phase;
import org.tributary.wire.shape.ReduceOp;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Energy and electron density of a molecule by the self-consistent field of Hartree and Fock. */
@Command(name = "scf", sortOptions = false,
    description = "Computes the energy of a molecule with closed shells by the self-consistent field of Hartree and"
        + " Fock, as NWChem does: ranks draw quartets of blocks from a shared counter, get blocks of the density"
        + " matrix, compute integrals, and accumulate to the Fock matrix; rank 0 diagonalizes. Verifies the energy of"
        + " the molecules it knows against NWChem's.")
public final class Scf extends MiniApp {
    private static final double SPACING = 0.2;
    /** On rank 0's host, a file of 13 bytes for each. */
    private static final double MOST_POINTS = 2e7;
    private static final double MOST_ELECTRONS_LOST = 1e-6;

    @Mixin
    private Calculation calculation = new Calculation();

    @OutputFile(isReplaced = true)
    @Option(names = "--checkpoint", paramLabel = "FILE",
        description = "Write the density matrix to this file, which all hosts see, after every iteration. If the file"
            + " is there when the program begins, it goes on from that iteration, on any number of ranks.")
    private Path checkpoint;

    @OutputFile
    @Option(names = "--density", paramLabel = "FILE",
        description = "Write the density of electrons on a grid to this file, of the form cube, which ParaView opens;"
            + " rank 0 does, on its host.")
    private Path density;

    @Option(names = "--density-spacing", paramLabel = "BOHR",
        description = "Distance of the points of that grid (default: " + SPACING + ").")
    private Double spacing;

    @Mixin
    private JsonOption json = new JsonOption();

    public static void main(String[] arguments) {
        main(new Scf(), arguments);
    }

    /** Any layout fits; refuses options that do not. */
    @Override
    public void checkLayout(Topology topology) {
        calculation.check();
        if (spacing != null && density == null) {
            throw new ConfigException("--density-spacing needs --density FILE");
        }
        if (spacing != null && !(spacing > 0 && Double.isFinite(spacing))) {
            throw new ConfigException("--density-spacing must be positive: " + spacing);
        }
    }

    @Override
    protected Map<String, String> inputs() {
        return calculation.inputs();
    }

    @Override
    public boolean run(Gas gas, Report out) {
        Molecule molecule = calculation.molecule(gas);
        checkGrid(molecule);
        Functions functions = new Functions(molecule, calculation.basis());
        out.line("scf: %s (%s), %d electrons, %d functions in %s, %d ranks on %d nodes", molecule.name(),
            molecule.formula(), calculation.electrons(molecule), functions.count(), calculation.basis().name(),
            gas.rankCount(), gas.nodeCount());
        long startNs = System.nanoTime();
        try (SelfConsistency field = new SelfConsistency(gas, molecule, calculation.basis(),
            calculation.electrons(molecule), calculation.block(functions.count(), gas.rankCount()),
            calculation.screening())) {
            calculation.checkCombinations(molecule, field.combinations());
            Checkpoint saved = checkpoint == null ? null
                : field.checkpoint(checkpoint, calculation.identity(molecule));
            int done = begin(field, saved, out);
            boolean converged = field.iterate(done, calculation.maxIterations(), calculation.tolerance(), saved, out);
            double seconds = gas.world().allreduce(ReduceOp.MAX, (System.nanoTime() - startNs) * 1e-9);
            boolean right = report(gas, out, molecule, field, seconds, converged);
            // After the results, which are not lost when the grid has no room.
            return (!converged || density == null || writeDensity(gas, molecule, field.functions(), field.density(),
                Grid.around(molecule, spacing()), out)) && right;
        }
    }

    private void checkGrid(Molecule molecule) {
        if (density == null) {
            return;
        }
        double points = Grid.around(molecule, spacing()).count();
        if (points > MOST_POINTS) {
            throw new ConfigException(String.format(Locale.ROOT, "--density-spacing %s makes a grid of %.2g points,"
                + " more than %.0g; %.2f would fit", spacing(), points, MOST_POINTS,
                Grid.finest(molecule, MOST_POINTS)));
        }
    }

    private double spacing() {
        return spacing == null ? SPACING : spacing;
    }

    /** The iterations that are done already. */
    private int begin(SelfConsistency field, Checkpoint saved, Report out) {
        try {
            int done = saved == null ? 0 : (int) field.resume(saved).orElse(0);
            if (done >= calculation.maxIterations()) {
                throw new ConfigException("--checkpoint: " + checkpoint + " has " + done + " iterations already; a"
                    + " larger --max-iterations than " + calculation.maxIterations() + " would fit");
            }
            if (done == 0) {
                field.guess(calculation.guess(), calculation.basis());
            } else {
                out.line("goes on from iteration %d: %s", done, checkpoint);
            }
            return done;
        } catch (ArrayFileException e) { // on all ranks
            throw new ConfigException("--checkpoint: " + e.getMessage());
        }
    }

    /** Returns whether nothing went wrong, the same on every rank. Collective. */
    boolean writeDensity(Gas gas, Molecule molecule, Functions functions, GlobalArray matrix, Grid grid, Report out) {
        try (ElectronDensity values = ElectronDensity.of(gas, molecule, functions, matrix, grid, out)) {
            out.line("density: %d x %d x %d points, %.3f of %d electrons", grid.points()[0], grid.points()[1],
                grid.points()[2], values.electrons(), calculation.electrons(molecule));
            return values.write(density, molecule.formula() + " " + calculation.basis().name(), out);
        } catch (OutOfSharedMemoryException e) { // on all ranks
            if (gas.rank() == 0) {
                System.err.println("cannot write the density to " + density + ": " + e.getMessage());
            }
            return false;
        }
    }

    private boolean report(Gas gas, Report out, Molecule molecule, SelfConsistency field, double seconds,
        boolean converged) {
        Field.Step last = field.last();
        Map<Phase, Double> means = field.phases().means(gas.world());
        Map<Phase, Double> longest = field.phases().longest(gas.world());
        long[] tasks = field.tasksOfRanks();
        long computed = field.computed();
        out.line("%.4f s: %s", seconds, Stream.of(Phase.values()).filter(phase -> longest.get(phase) > 0)
            .map(phase -> String.format(Locale.ROOT, "%s %.3f", phase.name().toLowerCase(Locale.ROOT),
                means.get(phase))).collect(Collectors.joining(", ")));
        out.line("tasks a rank in all iterations: %d to %d, of %d in each; %d quartets of shells computed",
            Arrays.stream(tasks).min().orElseThrow(), Arrays.stream(tasks).max().orElseThrow(), field.tasks(),
            computed);
        out.line("highest orbital with electrons %.6f hartree%s", last.highest(), Double.isNaN(last.gap())
            ? ", no other" : String.format(Locale.ROOT, ", gap %.6f hartree", last.gap()));
        Optional<Reference> reference = Reference.of(molecule, calculation.basis(), calculation.charge());
        boolean right = verify(molecule, last, converged, reference, out);
        Map<String, Object> figures = JsonOption.figures("scf", gas);
        figures.put("molecule", molecule.name());
        figures.put("formula", molecule.formula());
        figures.put("basis", calculation.basis().name());
        figures.put("functions", field.functions().count());
        figures.put("electrons", calculation.electrons(molecule));
        figures.put("iterations", field.iterations());
        figures.put("converged", converged);
        figures.put("seconds", seconds);
        means.forEach((phase, mean) -> figures.put(phase.figure(), mean));
        figures.put("secondsOfIntegralsLongest", longest.get(Phase.INTEGRALS));
        figures.put("tasks", field.tasks());
        figures.put("quartetsComputed", computed);
        figures.put("energy", last.energy());
        figures.put("nuclearRepulsion", molecule.nuclearRepulsion());
        figures.put("highestOccupied", last.highest());
        figures.put("gap", last.gap());
        reference.ifPresent(known -> figures.put("referenceEnergy", known.energy()));
        return reference.isEmpty() && right ? json.write(gas, figures) : json.write(gas, figures, right);
    }

    /** Whether nothing is wrong; without a known energy there is little that could be. */
    private boolean verify(Molecule molecule, Field.Step last, boolean converged, Optional<Reference> reference,
        Report out) {
        if (!converged) {
            out.line("not converged within %d iterations: error %.1e, --tolerance %.1e; more --max-iterations or"
                + " another --guess may do", calculation.maxIterations(), last.error(), calculation.tolerance());
            return false;
        }
        double lost = Math.abs(last.electrons() - calculation.electrons(molecule));
        out.line("energy %.9f hartree%s", last.energy(), reference
            .map(known -> String.format(Locale.ROOT, ", %s's %.9f", known.source(), known.energy())).orElse(""));
        if (reference.isEmpty() && lost <= MOST_ELECTRONS_LOST) { // as they must be, whatever the energy
            out.line("not verified: there is no known energy of %s to compare it with", molecule.name());
            return true;
        }
        double difference = reference.map(known -> Math.abs(last.energy() - known.energy())).orElse(Double.NaN);
        boolean right = lost <= MOST_ELECTRONS_LOST && difference <= Reference.TOLERANCE;
        out.line("verification: energy differs by %.1e, electrons by %.1e: %s", difference, lost,
            right ? "passed" : "FAILED");
        return right;
    }
}

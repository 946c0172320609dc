package org.tributary.miniapps.md;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.tributary.client.Gas;
import org.tributary.config.Topology;
import org.tributary.miniapps.JsonOption;
import org.tributary.miniapps.MiniApp;
import org.tributary.miniapps.OutputFile;
import org.tributary.miniapps.Progress;
import org.tributary.miniapps.Report;
import org.tributary.miniapps.exchange.ExchangeOptions;
import org.tributary.miniapps.exchange.ProcessGrid;
import org.tributary.miniapps.exchange.Synchronization;
import org.tributary.wire.shape.ReduceOp;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Molecular dynamics of a Lennard-Jones fluid, and of a small charged one. */
@Command(name = "md", sortOptions = false,
    description = "Molecular dynamics of Lennard-Jones atoms, or of charged ones, in a periodic cube. Ranks have bricks"
        + " of it; 26 neighbours exchange positions in every step, by any synchronization of windows, by put and"
        + " notify, or by get, and atoms move from rank to rank. Verifies that energy, momentum and all atoms are kept,"
        + " Madelung's constant of rock salt, and with --nist energy and pressure of the fluid.")
public final class Md extends MiniApp {
    private static final int STEPS_OF_SAMPLE = 10;

    @Mixin
    private Model model = new Model();

    @Mixin
    private ExchangeOptions options = new ExchangeOptions(Synchronization.MAILBOX);

    @OutputFile
    @Option(names = "--frame", paramLabel = "FILE",
        description = "Write the atoms at the end to this file, in VTK's legacy format, which ParaView opens; rank 0"
            + " does, on its host.")
    private Path frame;

    @Mixin
    private JsonOption json = new JsonOption();

    public static void main(String[] arguments) {
        main(new Md(), arguments);
    }

    @Override
    public void checkLayout(Topology topology) {
        options.check();
        model.check(topology.rankCount());
    }

    @Override
    public boolean run(Gas gas, Report out) {
        ProcessGrid grid = Brick.grid(gas.rankCount());
        Configuration start = model.start();
        out.line("md: %s, %d atoms, density %s, temperature %s, cut-off %s, %d steps, %s, %d ranks on %d nodes in a"
            + " grid of %s", model.matter(), model.atoms(), model.density(), model.temperature(), model.cutoff(),
            model.steps(), options, gas.rankCount(), gas.nodeCount(), grid);
        try (Simulation simulation = new Simulation(gas, options, grid, start, model.parameters())) {
            Means means = new Means(model, start.volume(), simulation.sample());
            equilibrate(simulation, out.progress("md, equilibration", model.equilibration()));
            means.begin(simulation.sample());
            int rebuilds = simulation.rebuilds();
            gas.barrier();
            long startNs = System.nanoTime();
            measure(simulation, means, out.progress("md", model.steps()));
            double seconds = gas.world().allreduce(ReduceOp.MAX, (System.nanoTime() - startNs) * 1e-9);
            boolean right = report(gas, out, seconds, simulation.rebuilds() - rebuilds, means);
            // After the results, which are not lost when the atoms have no room on rank 0's node.
            return (frame == null || Frame.write(gas, simulation.atoms(), model.atoms(), frame, out)) && right;
        }
    }

    /** Brings the temperature back to the one that is wanted again and again, and at the end. */
    private void equilibrate(Simulation simulation, Progress progress) {
        for (int step = 1; step <= model.equilibration(); step++) {
            boolean sampling = isSampled(step, model.equilibration());
            simulation.step(sampling);
            if (sampling) {
                simulation.scale(Math.sqrt(model.temperature() / simulation.sample().temperature()));
            }
            progress.step();
        }
    }

    private void measure(Simulation simulation, Means means, Progress progress) {
        for (int step = 1; step <= model.steps(); step++) {
            boolean sampling = isSampled(step, model.steps());
            simulation.step(sampling);
            if (sampling) {
                means.add(simulation.sample());
            }
            progress.step();
        }
    }

    private static boolean isSampled(int step, int steps) {
        return step % STEPS_OF_SAMPLE == 0 || step == 1 || step == steps;
    }

    private boolean report(Gas gas, Report out, double seconds, int rebuilds, Means means) {
        List<String> wrong = means.wrong();
        double rate = (double) model.atoms() * model.steps() / seconds;
        out.line("%.4f s, %.3f million atom steps/s, lists made %d times", seconds, rate * 1e-6, rebuilds);
        out.line("temperature %.4f, potential energy of an atom %.4f, pressure %.4f", means.temperature(),
            means.energy(), means.pressure());
        model.nist().ifPresent(state -> out.line("NIST's table, at this temperature: energy %.4f, pressure %.4f",
            state.energyAt(means.temperature()), state.pressureAt(means.temperature())));
        means.madelungError().ifPresent(error -> out.line("Madelung's constant: relative error %.1e", error));
        out.line("verification: energy of an atom changes by %.1e, momentum %.1e: %s", means.drift(), means.momentum(),
            wrong.isEmpty() ? "passed" : "FAILED: " + String.join("; ", wrong));
        Map<String, Object> figures = JsonOption.figures("md", gas);
        figures.put("system", model.matter());
        figures.put("atoms", model.atoms());
        figures.put("density", model.density());
        figures.put("cutoff", model.cutoff());
        figures.put("steps", model.steps());
        figures.put("synchronization", options);
        figures.put("seconds", seconds);
        figures.put("atomStepsPerSecond", rate);
        figures.put("rebuilds", rebuilds);
        figures.put("temperature", means.temperature());
        figures.put("energy", means.energy());
        figures.put("pressure", means.pressure());
        figures.put("energyDrift", means.drift());
        means.madelungError().ifPresent(error -> figures.put("madelungError", error));
        return json.write(gas, figures, wrong.isEmpty());
    }
}

package org.tributary.miniapps.lu;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.tributary.client.Gas;
import org.tributary.config.ConfigException;
import org.tributary.config.Topology;
import org.tributary.globalarrays.file.ArrayFileException;
import org.tributary.miniapps.JsonOption;
import org.tributary.miniapps.MiniApp;
import org.tributary.miniapps.OutputFile;
import org.tributary.miniapps.Progress;
import org.tributary.miniapps.Report;
import org.tributary.miniapps.exchange.ProcessGrid;
import org.tributary.wire.shape.ReduceOp;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The flow of a compressible fluid by symmetric successive over-relaxation: LU of the NAS Parallel Benchmarks. */
@Command(name = "lu", sortOptions = false,
    description = "Solves the Navier-Stokes equations on a cube by symmetric successive over-relaxation, as LU of the"
        + " NAS Parallel Benchmarks. Ranks have pencils; wavefronts go from rank to rank plane by plane, by put and"
        + " notify. Verifies residuals, errors and a surface integral against the published ones.")
public final class Lu extends MiniApp {
    /** Points along a dimension that a rank needs. */
    private static final int FEWEST = 3;
    /** Steps between checkpoints, where there are twice as many. */
    private static final int EVERY = 50;

    @Option(names = "--class", paramLabel = "CLASS", defaultValue = "W",
        description = "Size of the problem: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}); 12, 33, 64 and 102"
            + " points along each dimension, 50, 300, 250 and 250 steps.")
    private ProblemClass problem;

    @Option(names = "--warmup", paramLabel = "COUNT", defaultValue = "1",
        description = "Steps before those that are timed (default: ${DEFAULT-VALUE}, the benchmark's); the solution"
            + " begins anew after them.")
    private int warmup;

    @OutputFile(isReplaced = true)
    @Option(names = "--checkpoint", paramLabel = "FILE",
        description = "Write the solution to this file, which all hosts see, every so many steps. If the file is there"
            + " when the program begins, it goes on from that step, on any number of ranks, without a warm-up.")
    private Path checkpoint;

    @Option(names = "--checkpoint-every", paramLabel = "STEPS",
        description = "So many steps, fewer than the class has (default: " + EVERY + ", in class S 25).")
    private Integer every;

    @Mixin
    private JsonOption json = new JsonOption();

    public static void main(String[] arguments) {
        main(new Lu(), arguments);
    }

    @Override
    public void checkLayout(Topology topology) {
        if (warmup < 0) {
            throw new ConfigException("--warmup must not be negative: " + warmup);
        }
        if (every != null && checkpoint == null) {
            throw new ConfigException("--checkpoint-every needs --checkpoint FILE");
        }
        if (every != null && every < 1) {
            throw new ConfigException("--checkpoint-every must be 1 step or more: " + every);
        }
        if (every != null && every >= problem.steps()) {
            throw new ConfigException("--checkpoint-every " + every + " writes none before the last step, as class "
                + problem + " has " + problem.steps() + " steps; 1 to " + (problem.steps() - 1) + " would fit");
        }
        int ranks = topology.rankCount();
        if (!fits(ranks)) {
            int fewer = ranks - 1;
            while (!fits(fewer)) {
                fewer--;
            }
            throw new ConfigException("class " + problem + " has " + problem.extent() + " points along a dimension, and"
                + " a rank needs " + FEWEST + "; " + ranks + " ranks are a grid of " + grid(ranks) + ", and " + fewer
                + " would fit as " + grid(fewer));
        }
    }

    private boolean fits(int ranks) {
        return problem.extent() / grid(ranks).extent(0) >= FEWEST; // the larger
    }

    private static ProcessGrid grid(int ranks) {
        return ProcessGrid.of(ranks, 2);
    }

    @Override
    public boolean run(Gas gas, Report out) {
        ProcessGrid processes = grid(gas.rankCount());
        out.line("lu: class %s, %d x %d x %d points, %d steps, %d ranks on %d nodes in a grid of %s", problem,
            problem.extent(), problem.extent(), problem.extent(), problem.steps(), gas.rankCount(), gas.nodeCount(),
            processes);
        try (Solver solver = new Solver(gas, problem, processes);
            SavedSolution saved = checkpoint == null ? null
                : new SavedSolution(gas, problem, solver.box(), processes, checkpoint)) {
            int done = resume(solver, saved, out);
            if (done == 0) {
                solver.reset();
                solver.step(0, warmup, out.progress("lu, warm-up", warmup), (steps, solution) -> { });
                solver.reset();
            }
            gas.barrier();
            Progress progress = out.progress("lu", problem.steps() - done);
            long startNs = System.nanoTime();
            solver.step(done, problem.steps(), progress, (steps, solution) -> save(saved, steps, solution));
            double seconds = gas.world().allreduce(ReduceOp.MAX, (System.nanoTime() - startNs) * 1e-9);
            return report(gas, out, problem.steps() - done, seconds, solver.answer());
        }
    }

    /** The steps that are done already. */
    private int resume(Solver solver, SavedSolution saved, Report out) {
        try {
            OptionalLong done = saved == null ? OptionalLong.empty() : saved.restore();
            if (done.isEmpty()) {
                return 0;
            }
            solver.resume(saved);
            out.line("goes on from step %d of %d: %s", done.getAsLong(), problem.steps(), checkpoint);
            return (int) done.getAsLong();
        } catch (ArrayFileException e) { // on all ranks
            throw new ConfigException("--checkpoint: " + e.getMessage());
        }
    }

    private void save(SavedSolution saved, int steps, double[] solution) {
        int between = every == null ? Math.min(EVERY, problem.steps() / 2) : every;
        if (saved != null && steps % between == 0 && steps < problem.steps()) {
            saved.write(solution, steps);
        }
    }

    private boolean report(Gas gas, Report out, int steps, double seconds, Answer answer) {
        boolean right = problem.isRight(answer);
        out.line("%.4f s, %.1f Mop/s", seconds, problem.megaOperations(steps, seconds));
        out.line("residuals %s, errors %s, surface integral %.13e", text(answer.residuals()), text(answer.errors()),
            answer.integral());
        out.line("verification: largest relative difference from the published values %.1e: %s",
            problem.error(answer), right ? "passed" : "FAILED");
        Map<String, Object> figures = JsonOption.figures("lu", gas);
        figures.put("class", problem);
        figures.put("extent", problem.extent());
        figures.put("steps", steps);
        figures.put("seconds", seconds);
        figures.put("megaOperationsPerSecond", problem.megaOperations(steps, seconds));
        figures.put("residuals", Arrays.stream(answer.residuals()).boxed().toList());
        figures.put("errors", Arrays.stream(answer.errors()).boxed().toList());
        figures.put("surfaceIntegral", answer.integral());
        return json.write(gas, figures, right);
    }

    private static String text(double... values) {
        return Arrays.stream(values).mapToObj(value -> String.format(Locale.ROOT, "%.6e", value))
            .collect(Collectors.joining(" "));
    }
}

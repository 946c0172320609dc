package org.tributary.miniapps.halo;

import java.util.Locale;
import java.util.Map;
import java.util.stream.LongStream;
import org.tributary.client.Gas;
import org.tributary.config.ConfigException;
import org.tributary.config.Topology;
import org.tributary.miniapps.Agreement;
import org.tributary.miniapps.JsonOption;
import org.tributary.miniapps.MiniApp;
import org.tributary.miniapps.Progress;
import org.tributary.miniapps.Report;
import org.tributary.miniapps.exchange.Exchange;
import org.tributary.miniapps.exchange.Neighbourhood;
import org.tributary.miniapps.exchange.ProcessGrid;
import org.tributary.miniapps.exchange.Workload;
import org.tributary.miniapps.halo.StepOptions.Verification;
import org.tributary.wire.shape.ReduceOp;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A stencil on a periodic grid in two or three dimensions, computed while the borders of blocks are exchanged. */
@Command(name = "halo", sortOptions = false,
    description = "Computes a stencil on a periodic grid. Each rank has a block and exchanges its border with its"
        + " neighbours in each step, by any synchronization of windows or by put and notify, while it computes what"
        + " needs no border. Verifies that a serial model gets exactly the same.")
public final class Halo extends MiniApp {
    private static final int THREE = 3;
    /** Java arrays have at most about this many elements, and a block is in memory twice. */
    private static final long MOST_NUMBERS_OF_BLOCK = 2_000_000_000L;
    private static final long MOST_CELLS_OF_MODEL = 2_000_000_000L;
    private static final double MOST_MICROSECONDS = 1e9;
    private static final int FACES_2D = 4;
    private static final int ALL_2D = 8;
    private static final int FACES_3D = 6;
    private static final int ALL_3D = 26;

    @Mixin
    private StepOptions options = new StepOptions();

    @Option(names = "--dimensions", paramLabel = "D", defaultValue = "2",
        description = "Dimensions of the grid, 2 or 3 (default: ${DEFAULT-VALUE}).")
    private int dimensions;

    @Option(names = "--neighbours", paramLabel = "N",
        description = "Neighbours of a block, and of a cell: 4 or 8 in two dimensions, 6 or 26 in three (default: the"
            + " smaller).")
    private Integer neighbours;

    @Option(names = "--cells", paramLabel = "N", defaultValue = "32",
        description = "Cells of a block in each dimension (default: ${DEFAULT-VALUE}). A message has that many in two"
            + " dimensions, the square of it in three; fewer to neighbours at edges and corners.")
    private int cells;

    @Option(names = "--fields", paramLabel = "F", defaultValue = "1",
        description = "Numbers of 8 bytes in each cell (default: ${DEFAULT-VALUE}).")
    private int fields;

    @Option(names = "--compute", paramLabel = "US", defaultValue = "0",
        description = "Microseconds of further computation in each step, between the issue of messages and the closing"
            + " synchronization (default: ${DEFAULT-VALUE}).")
    private double computeMicroseconds;

    @Mixin
    private JsonOption json = new JsonOption();

    public static void main(String[] arguments) {
        main(new Halo(), arguments);
    }

    @Override
    public void checkLayout(Topology topology) {
        options.check();
        if (dimensions != 2 && dimensions != THREE) {
            throw new ConfigException("--dimensions must be 2 or 3: " + dimensions);
        }
        int all = dimensions == 2 ? ALL_2D : ALL_3D;
        if (wanted() != faces() && wanted() != all) {
            throw new ConfigException("--neighbours must be " + faces() + " or " + all + " in " + dimensions
                + " dimensions: " + wanted());
        }
        if (cells < 1 || fields < 1) {
            throw new ConfigException("--cells and --fields must be positive: " + cells + ", " + fields);
        }
        checkBlock();
        if (!(computeMicroseconds >= 0 && computeMicroseconds <= MOST_MICROSECONDS)) {
            throw new ConfigException("--compute must be between 0 and " + MOST_MICROSECONDS + ": "
                + computeMicroseconds);
        }
        double ofModel = Math.pow(cells, dimensions) * topology.rankCount();
        if (options.verification() != Verification.OFF && ofModel > MOST_CELLS_OF_MODEL) {
            throw new ConfigException(String.format(Locale.ROOT, "the serial model of %.0f cells would be too large;"
                + " --verify=off, or fewer --cells", ofModel));
        }
    }

    private void checkBlock() {
        double ofField = Math.pow(cells + 2.0, dimensions);
        if (ofField * fields <= MOST_NUMBERS_OF_BLOCK) {
            return;
        }
        String fitting = ofField <= MOST_NUMBERS_OF_BLOCK ? "--fields " + (long) (MOST_NUMBERS_OF_BLOCK / ofField)
            : "--cells " + (long) (Math.pow(MOST_NUMBERS_OF_BLOCK, 1.0 / dimensions) - 2) + " with --fields 1";
        throw new ConfigException(String.format(Locale.ROOT, "--cells %d and --fields %d make a block of %.3g numbers"
            + " with its ghosts, more than %d; %s would fit", cells, fields, ofField * fields, MOST_NUMBERS_OF_BLOCK,
            fitting));
    }

    private int faces() {
        return dimensions == 2 ? FACES_2D : FACES_3D;
    }

    private int wanted() {
        return neighbours == null ? faces() : neighbours;
    }

    @Override
    public boolean run(Gas gas, Report out) {
        ProcessGrid processes = ProcessGrid.of(gas.rankCount(), dimensions);
        Neighbourhood neighbourhood = wanted() == faces() ? Neighbourhood.faces(processes, gas.rank())
            : Neighbourhood.all(processes, gas.rank());
        Stencil stencil = new Stencil(neighbourhood);
        WholeGrid grid = new WholeGrid(processes, cells, stencil);
        HaloBlock block = block(gas, neighbourhood, stencil);
        long[] bytes = LongStream.range(0, neighbourhood.count()).map(j -> block.messageBytes((int) j)).toArray();
        out.line("halo: %d neighbours in %d dimensions, messages of %d to %d bytes, %s, compute %.1f us, %d ranks on %d"
            + " nodes in a grid of %s", neighbourhood.count(), dimensions, LongStream.of(bytes).min().orElseThrow(),
            LongStream.of(bytes).max().orElseThrow(), options, computeMicroseconds, gas.rankCount(), gas.nodeCount(),
            processes);
        try (Exchange exchange = options.open(gas, neighbourhood, bytes)) {
            return run(gas, out, neighbourhood, block, grid, exchange);
        }
    }

    boolean run(Gas gas, Report out, Neighbourhood neighbourhood, HaloBlock block, WholeGrid grid, Exchange exchange) {
        StepClock clock = new StepClock(options.warmup());
        Workload workload = new Workload(gas, computeMicroseconds);
        block.initialize(grid);
        if (options.verification() != Verification.OFF) {
            reserve(gas, grid);
        }
        long wrongGhosts = 0;
        Progress progress = out.progress("halo", options.allSteps());
        gas.barrier();
        for (int step = 0; step < options.allSteps(); step++) {
            progress.at(step);
            clock.beginStep();
            for (int direction = 0; direction < neighbourhood.count(); direction++) {
                block.pack(direction, exchange.outgoing(direction));
            }
            clock.issue(exchange);
            block.updateInterior();
            workload.compute();
            clock.finish(exchange);
            for (int direction = 0; direction < neighbourhood.count(); direction++) {
                block.unpack(direction, exchange.incoming(direction));
            }
            block.updateBorder();
            clock.endStep();
            if (options.verification() == Verification.STEPS) {
                shareModel(gas, grid, step, progress);
                wrongGhosts += block.wrongGhosts(grid);
            }
        }
        long bytes = LongStream.range(0, neighbourhood.count()).map(j -> block.messageBytes((int) j)).sum();
        Map<String, Object> figures = JsonOption.figures("halo", gas);
        figures.put("synchronization", options);
        figures.put("dimensions", dimensions);
        figures.put("neighbours", neighbourhood.count());
        figures.put("cells", cells);
        figures.put("fields", fields);
        figures.put("computeMicroseconds", computeMicroseconds);
        clock.report(gas, out, neighbourhood, bytes, figures);
        exchange.choice().ifPresent(why -> out.line("last choice of %s: %s", options, why));
        return options.verification() == Verification.OFF ? json.write(gas, figures)
            : json.write(gas, figures, verify(gas, out, block, grid, wrongGhosts, workload.isSound()));
    }

    /** Takes the memory of the model before the first step: there may be too little. */
    private void reserve(Gas gas, WholeGrid grid) {
        Agreement.on(gas, () -> {
            try {
                return grid.reserve(gas.rank() == 0);
            } catch (OutOfMemoryError e) {
                throw noRoom("the serial model of " + grid.size() + " cells has", "--verify=off, fewer --cells");
            }
        });
    }

    /** This rank's block, which hosts may have no room for. */
    private HaloBlock block(Gas gas, Neighbourhood neighbourhood, Stencil stencil) {
        return Agreement.on(gas, () -> {
            try {
                return new HaloBlock(neighbourhood, stencil, cells, fields);
            } catch (OutOfMemoryError e) {
                throw noRoom("two copies of a block of --cells " + cells + " and --fields " + fields + " have",
                    "fewer --cells or --fields");
            }
        });
    }

    private static ConfigException noRoom(String what, String smaller) {
        return new ConfigException(what + " no room in the " + (Runtime.getRuntime().maxMemory() >> 20) + " MB of a"
            + " rank's heap; " + smaller + " or a larger heap (--jvm-option=-Xmx…) would fit");
    }

    private boolean verify(Gas gas, Report out, HaloBlock block, WholeGrid grid, long wrongGhosts, boolean sound) {
        shareModel(gas, grid, options.allSteps(), out.progress("halo, verification", options.allSteps()));
        long[] wrong = {wrongGhosts, block.wrongCells(grid), sound ? 0 : 1};
        gas.world().allreduce(ReduceOp.SUM, wrong);
        boolean right = wrong[0] == 0 && wrong[1] == 0 && wrong[2] == 0;
        out.line("verification: %s%d of %d numbers differ from the serial model: %s",
            options.verification() == Verification.STEPS ? wrong[0] + " ghost cells wrong, " : "", wrong[1],
            grid.size() * fields, right ? "passed" : "FAILED");
        return right;
    }

    /** Gives every rank the model after some steps; rank 0 computes it. */
    private static void shareModel(Gas gas, WholeGrid grid, int steps, Progress progress) {
        if (gas.rank() == 0) {
            grid.advanceTo(steps, progress);
        }
        gas.world().broadcast(0, grid.values());
    }
}

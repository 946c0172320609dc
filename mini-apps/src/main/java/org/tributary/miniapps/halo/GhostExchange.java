package org.tributary.miniapps.halo;

import java.util.Arrays;
import java.util.Map;
import org.tributary.client.Gas;
import org.tributary.config.ConfigException;
import org.tributary.config.Topology;
import org.tributary.miniapps.JsonOption;
import org.tributary.miniapps.MiniApp;
import org.tributary.miniapps.Progress;
import org.tributary.miniapps.Report;
import org.tributary.miniapps.exchange.Exchange;
import org.tributary.miniapps.exchange.Neighbourhood;
import org.tributary.miniapps.exchange.ProcessGrid;
import org.tributary.miniapps.halo.StepOptions.Verification;
import org.tributary.wire.shape.ReduceOp;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The exchange of ghost cells with four neighbours of Thakur, Gropp and Toonen (2004), figure 3. */
@Command(name = "ghost-exchange", sortOptions = false,
    description = "Each rank sends ints to its four neighbours in a periodic grid, step after step, by any"
        + " synchronization of windows or by put and notify, and computes nothing. Verifies what arrives.")
public final class GhostExchange extends MiniApp {
    private static final int DIMENSIONS = 2;

    @Mixin
    private StepOptions options = new StepOptions();

    @Option(names = "--ints", paramLabel = "N", defaultValue = "4",
        description = "Ints, of 4 bytes, in each message (default: ${DEFAULT-VALUE}).")
    private int ints;

    @Mixin
    private JsonOption json = new JsonOption();

    public static void main(String[] arguments) {
        main(new GhostExchange(), arguments);
    }

    @Override
    public void checkLayout(Topology topology) {
        options.check();
        if (ints < 1) {
            throw new ConfigException("--ints must be positive: " + ints);
        }
    }

    @Override
    public boolean run(Gas gas, Report out) {
        Neighbourhood neighbourhood = Neighbourhood.faces(ProcessGrid.of(gas.rankCount(), DIMENSIONS), gas.rank());
        out.line("ghost-exchange: %d bytes to each of 4 neighbours, %s, %d ranks on %d nodes in a grid of %s",
            (long) ints * Integer.BYTES, options, gas.rankCount(), gas.nodeCount(), neighbourhood.grid());
        long[] bytes = new long[neighbourhood.count()];
        Arrays.fill(bytes, (long) ints * Integer.BYTES);
        try (Exchange exchange = options.open(gas, neighbourhood, bytes)) {
            return run(gas, out, neighbourhood, exchange);
        }
    }

    boolean run(Gas gas, Report out, Neighbourhood neighbourhood, Exchange exchange) {
        GhostCells cells = new GhostCells(neighbourhood, ints, options.verification() == Verification.STEPS);
        StepClock clock = new StepClock(options.warmup());
        long wrong = 0;
        Progress progress = out.progress("ghost-exchange", options.allSteps());
        gas.barrier();
        for (int step = 0; step < options.allSteps(); step++) {
            progress.at(step);
            cells.fill(exchange, step);
            clock.beginStep();
            clock.issue(exchange);
            clock.finish(exchange);
            clock.endStep();
            if (options.verification() != Verification.OFF) {
                wrong += cells.wrong(exchange, step, step == options.allSteps() - 1);
            }
        }
        Map<String, Object> figures = JsonOption.figures("ghost-exchange", gas);
        figures.put("synchronization", options);
        figures.put("bytesOfMessage", (long) ints * Integer.BYTES);
        clock.report(gas, out, neighbourhood, (long) neighbourhood.count() * ints * Integer.BYTES, figures);
        exchange.choice().ifPresent(why -> out.line("last choice of %s: %s", options, why));
        if (options.verification() == Verification.OFF) {
            return json.write(gas, figures);
        }
        long total = gas.world().allreduce(ReduceOp.SUM, wrong);
        out.line("verification: %d ghost cells wrong: %s", total, total == 0 ? "passed" : "FAILED");
        return json.write(gas, figures, total == 0);
    }
}

package org.tributary.benchmarks.overlap;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.tributary.benchmarks.Benchmark;
import org.tributary.benchmarks.measure.Partner;
import org.tributary.benchmarks.measure.Sizes;
import org.tributary.benchmarks.results.Column;
import org.tributary.benchmarks.results.Run;
import org.tributary.benchmarks.results.Table;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.miniapps.Progress;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tributary bench overlap}: rank 0 puts to the first rank of the next node, which is blocked. */
@Command(name = "overlap", mixinStandardHelpOptions = true, sortOptions = false, showDefaultValues = true,
    description = "Measures how much of a put and its fence is hidden behind computation.",
    footer = {"", "Rank 0 puts to the first rank of the next node, which is blocked. 'alone' is the computation with",
        "an empty fence, 'together' the whole epoch. Overlap: 1 - (together - alone) / put+fence. Puts at once and",
        "deferred ones take turns, after a repetition that does not count."})
public final class OverlapBenchmark extends Benchmark {
    private static final int ORIGIN = 0;

    @Option(names = "--sizes", split = ",", paramLabel = "BYTES", converter = Sizes.class,
        defaultValue = "16K,64K,256K,1M,4M", description = "sizes of puts")
    private List<Long> sizes;

    @Option(names = "--computation", paramLabel = "FACTOR", defaultValue = "1",
        description = "how long to compute, in multiples of the time of put and fence")
    private double factor;

    @Option(names = "--epochs", paramLabel = "N", defaultValue = "1000", description = "epochs of each kind and size")
    private int epochs;

    @Option(names = "--repeat", paramLabel = "N", defaultValue = "3", description = "how often to measure everything")
    private int repeat;

    /** The program of every rank. */
    public static void main(String[] arguments) {
        main(new OverlapBenchmark(), arguments);
    }

    @Override
    public Integer call() throws IOException {
        if (epochs < 1 || repeat < 1 || !(factor > 0)) {
            throw refusal("--epochs and --repeat must be at least 1 and"
                + " --computation above 0, not " + epochs + ", " + repeat + " and " + factor);
        }
        try (Gas gas = Gas.attach(); Arena arena = Arena.ofShared()) {
            if (gas.nodeCount() < 2) {
                throw refusal("needs two nodes: tributary bench overlap --nodes 2");
            }
            long maxBytes = sizes.stream().mapToLong(Long::longValue).max().orElseThrow();
            GlobalMemory memory = gas.allocate(gas.rank() == ORIGIN ? 0 : maxBytes);
            if (gas.rank() == ORIGIN) {
                measure(new Epochs(gas, memory, Partner.onOtherNode(gas.topology()).orElseThrow(), arena, maxBytes),
                    run(gas.topology()));
            }
            gas.barrier();
            memory.close();
        }
        return 0;
    }

    private void measure(Epochs at, Run run) throws IOException {
        System.out.println("deferred    bytes  empty us  put+fence us    alone us  together us  overlap");
        Table table = Table.of(null, Column.words("deferred"), Column.of("size", "bytes"), Column.of("empty", "us"),
            Column.of("put+fence", "us"), Column.of("alone", "us"), Column.of("together", "us"),
            Column.of("overlap", "%"));
        List<Step> steps = steps(sizes, repeat);
        Progress progress = Progress.of("overlap", steps.size(), true);
        for (int i = 0; i < steps.size(); i++) {
            progress.at(i);
            Step step = steps.get(i);
            Overlap of = at.measure(step.deferred, step.bytes, factor, epochs);
            if (step.counts) {
                print(step.deferred, of);
                table.row(step.deferred ? "deferred" : "at once", step.bytes, us(of.emptyNs()),
                    us(of.communicationNs()), us(of.computationNs()), us(of.totalNs()), 100 * of.hidden());
            }
        }
        run.write(System.out, List.of(table), "Medians of " + epochs + " epochs, every repetition in rows of its own,"
            + " in the order in which they were measured, after a repetition that does not count."
            + " Overlap: 1 - (together - alone) / put+fence.");
    }

    /** What is measured at a time; the first repetition is there for the compilers, and does not count. */
    record Step(boolean deferred, long bytes, boolean counts) {
    }

    /** At once and deferred in turns; which of them comes first alternates with the size and with the repetition. */
    static List<Step> steps(List<Long> sizes, int repeat) {
        List<Step> steps = new ArrayList<>();
        for (int repetition = 0; repetition <= repeat; repetition++) {
            for (int i = 0; i < sizes.size(); i++) {
                boolean isDeferredFirst = (repetition + i) % 2 == 1;
                steps.add(new Step(isDeferredFirst, sizes.get(i), repetition > 0));
                steps.add(new Step(!isDeferredFirst, sizes.get(i), repetition > 0));
            }
        }
        return steps;
    }

    private static void print(boolean deferred, Overlap of) {
        System.out.printf(Locale.ROOT, "%-8s %8s %9.1f %13.1f %11.1f %12.1f %7.1f%%%n", deferred,
            Sizes.format(of.bytes()), us(of.emptyNs()), us(of.communicationNs()), us(of.computationNs()),
            us(of.totalNs()), 100 * of.hidden());
    }

    private static double us(long ns) {
        return ns / 1e3;
    }
}

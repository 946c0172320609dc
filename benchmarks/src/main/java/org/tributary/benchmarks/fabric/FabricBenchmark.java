package org.tributary.benchmarks.fabric;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.tributary.benchmarks.Benchmark;
import org.tributary.benchmarks.job.LauncherCommand;
import org.tributary.benchmarks.measure.Effort;
import org.tributary.benchmarks.measure.Sample;
import org.tributary.benchmarks.results.Column;
import org.tributary.benchmarks.results.Run;
import org.tributary.benchmarks.results.Table;
import org.tributary.config.ChannelDesign;
import org.tributary.config.EnumText;
import org.tributary.config.JobEnvironment;
import org.tributary.fabric.Fabric;
import org.tributary.fabric.FabricKind;
import org.tributary.fabric.Provider;
import org.tributary.fabric.channel.Arrival;
import org.tributary.fabric.channel.ChannelShape;
import org.tributary.fabric.channel.FabricChannels;
import org.tributary.miniapps.Progress;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tributary bench fabric}. */
@Command(name = "fabric", mixinStandardHelpOptions = true, sortOptions = false, showDefaultValues = true,
    description = "Measures reads and writes of libfabric's providers between two processes of this machine, the"
        + " four designs of Veloblock channels on them, against writes alone, and gets and puts of ranks, against the"
        + " provider alone.",
    footer = {"", "Rank 0 starts the other processes itself; other ranks do nothing."})
public final class FabricBenchmark extends Benchmark {
    private static final int SMALL = 8;
    private static final int[] MESSAGES = {8, 64, 512, 2 << 10, 8_000};
    private static final int[] LARGE = {64 << 10, 1 << 20};
    private static final int[] POLLED = {1, 8, 32, FabricSide.POLLED};
    private static final int MAX_ROUNDS = 100;
    private static final double KIB = 1 << 10;

    @Option(names = "--providers", paramLabel = "KIND", split = ",", defaultValue = "shm,tcp",
        description = "which providers, by their names: ${COMPLETION-CANDIDATES}")
    private List<FabricKind> kinds;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "5", description = "how often to measure everything")
    private int rounds;

    @Option(names = "--iterations", paramLabel = "N", defaultValue = "2000",
        description = "operations timed in each round")
    private int iterations;

    private final Table transfers = Table.of("Reads and writes", Column.words("provider"), Column.words("operation"),
        Column.of("size", "B"), Column.of("time", "us"), Column.of("bandwidth", "MB/s"));
    private final Table channels = Table.of("Channels", Column.words("provider"), Column.words("arrival"),
        Column.words("design"), Column.of("message", "B"), Column.of("round trip", "us"),
        Column.of("writes alone", "us"), Column.ratio("over writes", "less"), Column.words("of the rounds"));
    private final Table polled = Table.of("Channels that are polled, of which one is used", Column.words("provider"),
        Column.words("arrival"), Column.of("channels", null), Column.of("round trip of 8 B", "us"),
        Column.ratio("to one channel", null), Column.words("of the rounds"));
    private final Table ranks = Table.of("Gets and puts of ranks in Java", Column.words("provider"),
        Column.words("operation"), Column.of("size", "B"), Column.of("provider alone", "us"), Column.of("rank", "us"),
        Column.ratio("of its speed", "more"));
    private final Table memory = Table.of("Memory of a channel in one direction", Column.words("design"),
        Column.of("receiver", "KiB"), Column.of("sender", "KiB"), Column.of("together", "KiB"),
        Column.ratio("of fixed-top", null));

    private Progress progress;

    /** The program of every rank. */
    public static void main(String[] arguments) {
        main(new FabricBenchmark(), arguments);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (rounds < 1 || rounds > MAX_ROUNDS || iterations < 1) {
            throw refusal("--rounds must be between 1 and " + MAX_ROUNDS + ", --iterations positive, not " + rounds
                + " and " + iterations);
        }
        JobEnvironment job = JobEnvironment.forRank(System.getenv());
        if (job.rank() != 0) {
            return 0;
        }
        if (!Fabric.load().isPresent()) {
            throw refusal("there is nothing to measure: " + Fabric.load());
        }
        Run run = run(job.topology());
        System.out.println(run + "\n" + Fabric.load());
        LauncherCommand launcher = launcherOfThisJob();
        int perRound = 2 + 2 * LARGE.length + MESSAGES.length * (1 + ChannelDesign.values().length)
            + POLLED.length + 2 * RankTransfers.SIZES.length;
        progress = Progress.of("fabric", (long) kinds.size() * rounds * perRound, true);
        for (FabricKind kind : kinds) {
            Provider provider = FabricSide.find(kind);
            if (provider == null) {
                throw refusal(Fabric.load() + " has no provider " + kind + " here. It has "
                    + Fabric.load().providers());
            }
            if (FabricChannels.arrival(provider) == Arrival.COMPLETION && !provider.carriesData()) {
                throw refusal(provider + " has no channels: " + provider.describe());
            }
            try (FabricPair pair = new FabricPair(kind, provider)) {
                measure(kind, provider, pair);
            }
            RankJob.run(launcher, kind, rounds, iterations, progress::step)
                .forEach((transfer, times) -> rank(kind, transfer, times));
        }
        for (ChannelDesign design : ChannelDesign.values()) {
            addMemory(ChannelShape.of(design));
        }
        run.write(System.out, List.of(transfers, channels, polled, ranks, memory), String.format(Locale.ROOT,
            "Medians of %d rounds of %d operations, of fewer above 8 KiB; %s. Both processes spin, but for those of"
            + " ranks: there rank 0 gets and puts on another node of this machine, whose rank sleeps, and the provider"
            + " alone moves the same between the same two processes. 'Writes alone' are messages of one write each, of"
            + " the kind that a channel uses with the provider: plain and polled by its last byte (flag), or with"
            + " immediate data (completion), and injected where it fits. Ratios of channels are medians of the rounds'"
            + " ratios, beside the smallest and the largest of them; there is none where the ratio of the medians"
            + " differs by more than a fifth: then the rounds show none.", rounds, iterations, Fabric.load()));
        return 0;
    }

    /** Something that can be measured again. */
    private interface Measurement {
        Sample take() throws IOException;
    }

    private double measured(Measurement measurement) throws IOException {
        double us = measurement.take().medianUs();
        progress.step();
        return us;
    }

    private double medianUs(Measurement measurement) throws IOException {
        double[] times = new double[rounds];
        for (int i = 0; i < rounds; i++) {
            times[i] = measured(measurement);
        }
        return Sample.median(times);
    }

    private Effort effort(int bytes) {
        int count = Math.max(1, bytes > MESSAGES[MESSAGES.length - 1] ? iterations / 20 : iterations);
        return new Effort(count, count);
    }

    private void measure(FabricKind kind, Provider provider, FabricPair pair) throws IOException {
        transfer(kind, "read", SMALL, medianUs(() -> pair.read(SMALL, effort(SMALL))));
        transfer(kind, "write, delivered", SMALL, medianUs(() -> pair.write(SMALL, effort(SMALL))));
        for (int bytes : LARGE) {
            transfer(kind, "read", bytes, medianUs(() -> pair.read(bytes, effort(bytes))));
            transfer(kind, "write, delivered", bytes, medianUs(() -> pair.write(bytes, effort(bytes))));
        }
        for (int bytes : MESSAGES) {
            double[] alone = new double[rounds];
            double[][] times = new double[ChannelDesign.values().length][rounds];
            for (int round = 0; round < rounds; round++) {
                alone[round] = measured(() -> pair.roundTrip(bytes, effort(bytes)));
                for (ChannelDesign design : ChannelDesign.values()) {
                    times[design.ordinal()][round] = measured(() -> pair.channel(design, bytes, effort(bytes)));
                }
            }
            for (ChannelDesign design : ChannelDesign.values()) {
                channel(kind, provider, design, bytes, times[design.ordinal()], alone);
            }
        }
        measurePolled(kind, provider, pair);
    }

    /** The numbers of channels take turns. */
    private void measurePolled(FabricKind kind, Provider provider, FabricPair pair) throws IOException {
        double[][] times = new double[POLLED.length][rounds];
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < POLLED.length; i++) {
                int count = POLLED[i];
                times[i][round] = measured(() -> pair.polled(count, effort(SMALL)));
            }
        }
        String arrival = EnumText.underscored(FabricChannels.arrival(provider));
        for (int i = 0; i < POLLED.length; i++) {
            double us = Sample.median(times[i]);
            RoundRatio ratio = RoundRatio.of(times[i], times[0]);
            System.out.printf(Locale.ROOT, "%-4s %-10s %4d channels polled %8.2f us there and back, %s times one%n",
                kind, arrival, POLLED[i], us, ratio);
            polled.row(kind, arrival, POLLED[i], us, i == 0 ? null : ratio.settled(), i == 0 ? null : ratio.range());
        }
    }

    private void rank(FabricKind kind, RankJob.Transfer what, RankJob.Times times) {
        System.out.printf(Locale.ROOT, "%-4s %-9s of a rank %8d B %9.2f us, %.2f of the provider's speed%n", kind,
            what.operation(), what.bytes(), times.rankUs(), times.ratio());
        ranks.row(kind, what.operation(), what.bytes(), times.aloneUs(), times.rankUs(), times.ratio());
    }

    private void transfer(FabricKind kind, String operation, int bytes, double us) {
        System.out.printf(Locale.ROOT, "%-4s %-17s %8d B %9.2f us %8.0f MB/s%n", kind, operation, bytes, us,
            bytes / us);
        transfers.row(kind, operation, bytes, us, bytes / us);
    }

    private void channel(FabricKind kind, Provider provider, ChannelDesign design, int bytes, double[] times,
        double[] alone) {
        String arrival = EnumText.underscored(FabricChannels.arrival(provider));
        double us = Sample.median(times);
        RoundRatio ratio = RoundRatio.of(times, alone);
        System.out.printf(Locale.ROOT, "%-4s %-10s %-15s %5d B %8.2f us there and back, %s times writes alone%n",
            kind, arrival, design, bytes, us, ratio);
        channels.row(kind, arrival, design, bytes, us, Sample.median(alone), ratio.settled(), ratio.range());
    }

    private void addMemory(ChannelShape shape) {
        ChannelShape most = ChannelShape.of(ChannelDesign.FIXED_TOP);
        double together = shape.blockBytes() + shape.keptBytes();
        System.out.printf(Locale.ROOT, "%-15s %4.0f KiB a channel%n", shape.design(), together / KIB);
        memory.row(shape.design(), shape.blockBytes() / KIB, shape.keptBytes() / KIB, together / KIB,
            together / (most.blockBytes() + most.keptBytes()));
    }
}

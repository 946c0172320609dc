package org.tributary.benchmarks.encryption;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.tributary.benchmarks.Benchmark;
import org.tributary.benchmarks.job.JvmJob;
import org.tributary.benchmarks.measure.Effort;
import org.tributary.benchmarks.measure.Repeatable;
import org.tributary.benchmarks.measure.Sample;
import org.tributary.benchmarks.measure.Stopwatch;
import org.tributary.benchmarks.results.Column;
import org.tributary.benchmarks.results.Run;
import org.tributary.benchmarks.results.Table;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.remote.Handle;
import org.tributary.config.EnumText;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.miniapps.Progress;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tributary bench encryption}. */
@Command(name = "encryption", mixinStandardHelpOptions = true, sortOptions = false, showDefaultValues = true,
    description = "Compares operations on another node, encrypted and in the clear, with each other and with the cipher"
        + " alone.",
    footer = {"", "Rank 0 has two nodes of its own in its process; other ranks do nothing.",
        "Times are medians of all rounds, which alternate in the clear and encrypted; ratios are medians of theirs."})
public final class EncryptionBenchmark extends Benchmark {
    static final int TARGET = 1;
    private static final int SMALL = 8;
    static final int LARGE = 4 << 20;
    static final int AT_ONCE = 16;
    static final long STREAM_BYTES = (long) AT_ONCE * LARGE;
    private static final Effort SMALL_EFFORT = new Effort(2_000, 5_000);
    private static final Effort LARGE_EFFORT = new Effort(2, 6);
    private static final int MAX_ROUNDS = 100;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "5", description = "how often to measure everything")
    private int rounds;

    enum Op { FETCH_AND_ADD, GET_8, PUT_FENCE_8, GET_1K, PUT_STREAM, GET_STREAM }

    /** The program of every rank. */
    public static void main(String[] arguments) {
        main(new EncryptionBenchmark(), arguments);
    }

    @Override
    public Integer call() throws IOException {
        if (rounds < 1 || rounds > MAX_ROUNDS) {
            throw refusal("--rounds must be between 1 and " + MAX_ROUNDS + ", not "
                + rounds);
        }
        JobEnvironment job = JobEnvironment.forRank(System.getenv());
        if (job.rank() != 0) {
            return 0;
        }
        try (JvmJob clear = start("none"); JvmJob encrypted = start("aes-gcm");
            Arena arena = Arena.ofShared()) {
            MemorySegment local = arena.allocate(STREAM_BYTES, Long.BYTES).fill((byte) 1);
            Run run = run(job.topology());
            System.out.println(run);
            CipherSpeed before = CipherSpeed.measure();
            List<Compared> all = new ArrayList<>();
            Progress progress = Progress.of("encryption", (long) Op.values().length * rounds, true);
            for (Op op : Op.values()) {
                double[] inTheClear = new double[rounds];
                double[] inRecords = new double[rounds];
                for (int i = 0; i < rounds; i++) {
                    inTheClear[i] = medianUs(op, clear.rank(0), local);
                    inRecords[i] = medianUs(op, encrypted.rank(0), local);
                    progress.step();
                }
                double[] ratios = IntStream.range(0, rounds).mapToDouble(i -> inRecords[i] / inTheClear[i]).toArray();
                all.add(new Compared(op, Sample.median(inTheClear), Sample.median(inRecords), Sample.median(ratios)));
            }
            report(run, all, before.better(CipherSpeed.measure()));
        }
        return 0;
    }

    /** Medians of the rounds. */
    private record Compared(Op op, double clearUs, double encryptedUs, double ratio) {
    }

    private void report(Run run, List<Compared> all, CipherSpeed cipher) throws IOException {
        System.out.printf(Locale.ROOT, "cipher alone: seals %.0f MB/s, opens %.0f MB/s%n", cipher.sealedMbPerSecond(),
            cipher.openedMbPerSecond());
        Table times = Table.of("Operations", Column.words("operation"), Column.of("in the clear", "us"),
            Column.of("encrypted", "us"), Column.ratio("encrypted over clear", "less"));
        Table streams = Table.of("Streams", Column.words("operation"), Column.of("in the clear", "MB/s"),
            Column.of("encrypted", "MB/s"), Column.ratio("encrypted over clear", "more"),
            Column.ratio("of the cipher alone", null));
        all.forEach(each -> print(each, cipher, isStream(each.op) ? streams : times));
        run.write(System.out, List.of(times, streams), String.format(Locale.ROOT, "Medians of %d rounds. Streams are %d"
            + " puts and a fence, and %d gets, all of which are on their way at a time, of 4 MiB each. The cipher alone"
            + " seals %.0f MB/s and opens %.0f MB/s, the better of two measurements before and after the rounds.",
            rounds, AT_ONCE, AT_ONCE, cipher.sealedMbPerSecond(), cipher.openedMbPerSecond()));
    }

    static JvmJob start(String encryption) throws IOException {
        return new JvmJob(Topology.uniform(2, 1), Settings.builder().set("server.bind-address=127.0.0.1")
            .set("job.on-failure=throw").set("network.encryption=" + encryption).build(), LARGE);
    }

    private static double medianUs(Op op, JvmJob.Rank rank, MemorySegment local) throws IOException {
        return new Stopwatch().measure(operation(op, rank, local), isStream(op) ? LARGE_EFFORT : SMALL_EFFORT)
            .medianUs();
    }

    private static boolean isStream(Op op) {
        return op == Op.PUT_STREAM || op == Op.GET_STREAM;
    }

    /** {@code local} has a place for each get of a stream. */
    static Repeatable operation(Op op, JvmJob.Rank rank, MemorySegment local) {
        Gas gas = rank.gas();
        GlobalMemory memory = rank.memory();
        Handle handle = gas.handle();
        return switch (op) {
            case FETCH_AND_ADD -> () -> memory.fetchAndAdd(TARGET, 0, 1);
            case GET_8 -> () -> memory.get(TARGET, 0, local, 0, SMALL);
            case GET_1K -> () -> memory.get(TARGET, 0, local, 0, 1 << 10);
            case PUT_FENCE_8 -> () -> {
                memory.put(TARGET, 0, local, 0, SMALL);
                gas.fence(TARGET);
            };
            case PUT_STREAM -> () -> {
                for (int i = 0; i < AT_ONCE; i++) {
                    memory.put(TARGET, 0, local, 0, LARGE);
                }
                gas.fence(TARGET);
            };
            case GET_STREAM -> () -> {
                for (int i = 0; i < AT_ONCE; i++) {
                    memory.nbGet(handle, TARGET, 0, local, (long) i * LARGE, LARGE);
                }
                handle.await();
            };
        };
    }

    private static void print(Compared compared, CipherSpeed cipher, Table table) {
        String name = EnumText.words(compared.op);
        double ratio = compared.ratio;
        if (isStream(compared.op)) {
            double clear = STREAM_BYTES / compared.clearUs;
            double encrypted = STREAM_BYTES / compared.encryptedUs;
            System.out.printf(Locale.ROOT, "%-14s %8.0f MB/s in the clear %8.0f MB/s encrypted, %.2f of it;"
                + " %.2f of the cipher alone%n", name, clear, encrypted, 1 / ratio,
                encrypted / cipher.slowerMbPerSecond());
            table.row(name, clear, encrypted, 1 / ratio, encrypted / cipher.slowerMbPerSecond());
        } else {
            System.out.printf(Locale.ROOT, "%-14s %8.2f us in the clear %8.2f us encrypted, %.2f times that%n", name,
                compared.clearUs, compared.encryptedUs, ratio);
            table.row(name, compared.clearUs, compared.encryptedUs, ratio);
        }
    }
}

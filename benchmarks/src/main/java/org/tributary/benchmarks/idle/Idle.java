package org.tributary.benchmarks.idle;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.tributary.benchmarks.Benchmark;
import org.tributary.benchmarks.measure.CpuTime;
import org.tributary.benchmarks.measure.Reach;
import org.tributary.benchmarks.results.Column;
import org.tributary.benchmarks.results.Run;
import org.tributary.benchmarks.results.Table;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.miniapps.Progress;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code tributary bench idle}: rank 0 sleeps and all others block in a barrier that it has not entered. The first
 * rank of each node reads the processor times of the node's processes right before and after.
 */
@Command(name = "idle", mixinStandardHelpOptions = true, showDefaultValues = true,
    description = "Measures the processor time of a job whose ranks block in a barrier, with its servers and launcher.")
public final class Idle extends Benchmark {
    private static final int ORIGIN = 0;
    /** Time for compilers and collectors to finish with what the start left them. */
    private static final int SETTLE_SECONDS = 2;
    private static final int NAP_SECONDS = 2;
    private static final int MAX_SECONDS = 3_600;
    private static final Reach AIM = Reach.atMost(1);

    @Option(names = "--seconds", paramLabel = "N", defaultValue = "10", description = "how long to stay idle")
    private int seconds;

    /** The program of every rank. */
    public static void main(String[] arguments) {
        main(new Idle(), arguments);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (seconds < 1 || seconds > MAX_SECONDS) {
            throw refusal("--seconds must be between 1 and " + MAX_SECONDS + ", not "
                + seconds);
        }
        Settings settings = Settings.builder().environment(System.getenv()).build();
        JobEnvironment job = JobEnvironment.forRank(System.getenv());
        try (Gas gas = Gas.attach(job, settings)) {
            // One share of a core for each node, gathered at rank 0.
            GlobalMemory shares = gas.allocate(gas.rank() == ORIGIN ? (long) Double.BYTES * gas.nodeCount() : 0);
            Progress progress = Progress.of("idle", (long) SETTLE_SECONDS + seconds, gas.rank() == ORIGIN);
            idle(gas, SETTLE_SECONDS, progress);
            if (gas.rank() == job.topology().firstRank(job.node())) {
                double share = measure(gas, NodeProcesses.find(job, settings), progress);
                shares.putDouble(ORIGIN, (long) Double.BYTES * gas.node(), share);
            } else {
                idle(gas, seconds, progress);
            }
            gas.barrier();
            if (gas.rank() == ORIGIN) {
                report(shares, gas.nodeCount(), run(job.topology()));
            }
            shares.close();
        }
        return 0;
    }

    private double measure(Gas gas, NodeProcesses processes, Progress progress)
        throws IOException, InterruptedException {
        processes.before(); // the first look loads classes, which is no time of an idle job
        long start = System.nanoTime();
        Map<String, CpuTime> before = processes.before();
        idle(gas, seconds, progress);
        Map<String, CpuTime> after = processes.after();
        double elapsedNs = System.nanoTime() - start;
        double sum = 0;
        for (Map.Entry<String, CpuTime> process : after.entrySet()) {
            double share = process.getValue().since(before.get(process.getKey())) / elapsedNs;
            System.out.printf(Locale.ROOT, "%-10s %8.3f %% of a core%n", process.getKey(), 100 * share);
            sum += share;
        }
        return sum;
    }

    /** To say how far it is rank 0 wakes up now and then, which takes no time that could be seen. */
    private static void idle(Gas gas, int seconds, Progress progress) throws InterruptedException {
        for (int left = seconds; gas.rank() == ORIGIN && left > 0; left -= NAP_SECONDS) {
            TimeUnit.SECONDS.sleep(Math.min(left, NAP_SECONDS));
            for (int i = 0; i < Math.min(left, NAP_SECONDS); i++) {
                progress.step();
            }
        }
        gas.barrier();
    }

    private void report(GlobalMemory shares, int nodes, Run run) throws IOException {
        Table table = Table.of(null, Column.words("node"), Column.of("processor time", "% of a core"),
            Column.words("aim"), Column.words("met"));
        double sum = 0;
        for (int node = 0; node < nodes; node++) {
            double share = shares.local().get(ValueLayout.JAVA_DOUBLE, (long) Double.BYTES * node);
            table.row("" + node, 100 * share, null, null);
            sum += share;
        }
        System.out.printf(Locale.ROOT, "in all     %8.3f %% of a core, over %d s with all ranks blocked%n", 100 * sum,
            seconds);
        run.write(System.out, List.of(table.row("all", 100 * sum, AIM, AIM.isMet(100 * sum))),
            "Over " + seconds + " s with all ranks blocked; the node of rank 0 has the launcher.");
    }
}

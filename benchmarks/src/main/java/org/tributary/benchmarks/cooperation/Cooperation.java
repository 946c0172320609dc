package org.tributary.benchmarks.cooperation;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.function.Consumer;
import org.tributary.benchmarks.Benchmark;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Topology;
import org.tributary.miniapps.Progress;
import org.tributary.simulator.Costs;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tributary bench cooperation}. */
@Command(name = "cooperation", mixinStandardHelpOptions = true, sortOptions = false, showDefaultValues = true,
    description = "The figures of the paper on multinode cooperation: simulated, with the classes of the real servers,"
        + " and measured.",
    footer = {"", "Rank 0 simulates; others have nothing to do. Values are operations a second (contention, against",
        "the percentage of ranks that contend, and scale, where a fifth do), seconds (fock-build), megabytes of",
        "receive rings as they are computed (rings), and megabytes by which the resident set of a real server grows",
        "(memory), all of them against the number of processes. Memory takes up to 1 GB and 12,300 open files in each",
        "of two processes. Loops has operations a second on a server with several event loops (server.threads),",
        "against the ranks of other nodes that send to it, and from how many on all loops are full.",
        "Parts REAL measure jobs whose servers and ranks live in rank 0's process: microseconds",
        "against bytes, and what the simulated parts of the same names have. 'of none' is the rate over that of a",
        "job without cooperation beside it in the same rounds; for fock-build it is the time."})
public final class Cooperation extends Benchmark {
    /** Parts of the benchmark, which can be chosen one by one. */
    enum Part {
        CONTENTION(81), FOCK_BUILD(28), SCALE(9), LOOPS(160), RINGS(18), MEMORY(16), REAL(102), REAL_CONTENTION(24),
        REAL_FOCK_BUILD(5);

        private final int results;

        Part(int results) {
            this.results = results;
        }

        /** How many results it has, unless the machine is too small for some. */
        int results() {
            return results;
        }
    }

    private static final int MAX_ROUNDS = 1000;
    /** A job with ranks in this JVM has a minute for what it is asked for, the longest of which is 20 rounds. */
    private static final long MAX_ROUND_MS = 1000;
    private static final long MAX_TASK_MS = 100_000;

    @Option(names = "--parts", split = ",", paramLabel = "PART",
        defaultValue = "CONTENTION,FOCK_BUILD,SCALE,LOOPS,RINGS,MEMORY,REAL,REAL_CONTENTION,REAL_FOCK_BUILD",
        description = "which figures: ${COMPLETION-CANDIDATES}")
    private List<Part> parts;

    @Option(names = "--task-ms", paramLabel = "MS", defaultValue = "20",
        description = "mean time of a task of fock-build")
    private long taskMs;

    @Option(names = "--group-size", paramLabel = "K", defaultValue = "0",
        description = "nodes of a group; 0 for the square root of their number")
    private int groupSize;

    @Option(names = "--rounds", paramLabel = "COUNT", defaultValue = "15",
        description = "rounds of which the real parts take medians")
    private int rounds;

    @Option(names = "--round-ms", paramLabel = "MS", defaultValue = "10",
        description = "length of a round of the real parts, each with and without cooperation in turn")
    private long roundMs;

    @Option(names = "--calibrate", description = "measure the costs of messages here, print and use them; otherwise"
        + " those of the machine of docs/results.md are used")
    private boolean calibrates;

    /** The program of every rank. */
    public static void main(String[] arguments) {
        main(new Cooperation(), arguments);
    }

    private void check() {
        if (rounds < 1 || rounds > MAX_ROUNDS || roundMs < 1 || roundMs > MAX_ROUND_MS) {
            throw refusal("--rounds must be between 1 and " + MAX_ROUNDS + ", and --round-ms between 1 and "
                + MAX_ROUND_MS + ", not " + rounds + " and " + roundMs);
        }
        if (taskMs < 1 || taskMs > MAX_TASK_MS || groupSize < 0) {
            throw refusal("--task-ms must be between 1 and " + MAX_TASK_MS + ", and --group-size at least 0, not "
                + taskMs + " and " + groupSize);
        }
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        check();
        JobEnvironment job = JobEnvironment.forRank(System.getenv());
        if (job.rank() != 0) {
            return 0;
        }
        PrintStream out = System.out;
        Costs costs = calibrates ? Calibration.measure(Costs.calibrated()) : Costs.calibrated();
        Report report = new Report(out, run(job.topology()));
        Progress progress = Progress.of("cooperation", parts.stream().mapToInt(Part::results).sum(), true);
        Consumer<Result> results = result -> {
            report.add(result);
            progress.step();
        };
        Figures figures = new Figures(costs, groupSize, results);
        RealServers servers = new RealServers(System.getenv(), rounds, roundMs, results);
        for (Part part : Part.values()) {
            if (parts.contains(part)) {
                switch (part) {
                    case CONTENTION -> figures.contention(256, 4);
                    // 12 processes a node; 12,800 as in the paper.
                    case FOCK_BUILD -> figures.application(List.of(Topology.uniform(8, 12), Topology.uniform(64, 12),
                        Topology.uniform(256, 12), Topology.parse("1066*12,8")), taskMs * 1_000_000);
                    case SCALE -> figures.scale(List.of(Topology.uniform(256, 4), Topology.uniform(1024, 12),
                        Topology.uniform(50_000, 20)));
                    case LOOPS -> new LoopFigures(costs, results).run();
                    case RINGS -> figures.rings();
                    case MEMORY -> new MemoryMeasurement(groupSize, results, report::note).run();
                    case REAL -> servers.uncontended();
                    case REAL_CONTENTION -> servers.contended();
                    case REAL_FOCK_BUILD -> servers.application();
                }
                report.keep(costs.toString());
            }
        }
        report.end(costs.toString());
        return 0;
    }
}

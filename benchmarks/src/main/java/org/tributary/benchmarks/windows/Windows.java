package org.tributary.benchmarks.windows;

import java.io.IOException;
import java.util.List;
import org.tributary.benchmarks.Benchmark;
import org.tributary.client.Gas;
import org.tributary.config.ConfigException;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tributary bench windows}. */
@Command(name = "windows", mixinStandardHelpOptions = true, sortOptions = false, showDefaultValues = true,
    description = "Measures the synchronization of windows, every design beside every other, as the papers do.",
    footer = {"", "Times are of rank 0: medians and 99th percentiles of means of short blocks of iterations, in which",
        "the designs take turns. A first contest of all designs does not count. Messages are those of all members,",
        "requests and answers, an iteration.",
        "Overlap 'epoch' is the largest computation that does not make the epoch longer over the epoch's latency, as",
        "in the paper; 'transfer' is the same computation over what the put adds to an empty epoch."})
public final class Windows extends Benchmark {
    @Option(names = "--parts", split = ",", paramLabel = "PART", converter = Part.Converter.class,
        description = "what to measure (default: all that the job has ranks for): overlap, fence, halo,"
            + " ghost-exchange, lock-put-unlock, lock-messages, two-fences")
    private List<Part> parts;

    @Option(names = "--seconds", paramLabel = "S", defaultValue = "3",
        description = "how long the designs compete for each row of results, a third of it for warm-up, which takes up"
            + " to five times as long while a design still becomes faster")
    private double seconds;

    /** The program of every rank. */
    public static void main(String[] arguments) {
        main(new Windows(), arguments);
    }

    @Override
    public Integer call() throws IOException {
        Effort effort = effort();
        Settings settings = Settings.builder().environment(System.getenv()).build();
        JobEnvironment job = JobEnvironment.forRank(System.getenv());
        List<Part> wanted = parts(job.topology());
        Report report = job.rank() == 0 ? new Report(System.out, run(job.topology())) : null;
        try (Gas gas = Gas.attach(job, settings)) {
            new Suite(new Bench(gas, effort, report == null ? result -> { } : report::add), wanted).run();
        }
        if (report != null) {
            report.end();
        }
        return 0;
    }

    private Effort effort() {
        try {
            return Effort.ofSeconds(seconds);
        } catch (ConfigException e) {
            throw refusal("--seconds: " + e.getMessage());
        }
    }

    private List<Part> parts(Topology topology) {
        List<Part> wanted = parts == null ? Suite.available(topology) : parts;
        try {
            Suite.check(wanted, topology);
        } catch (ConfigException e) {
            throw refusal("--parts: " + e.getMessage());
        }
        return wanted;
    }
}

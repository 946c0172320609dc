package org.tributary.it;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.tributary.benchmarks.results.Column;
import org.tributary.benchmarks.results.Run;
import org.tributary.benchmarks.results.Table;

/** Many jobs, several at a time, and the report of what came of them. */
final class Campaign {
    private static final Map<CampaignPlan.Blow, String> WORDS = Map.of(CampaignPlan.Blow.KILL, "killed",
        CampaignPlan.Blow.STOP, "stopped for 10 s, then goes on", CampaignPlan.Blow.CUT, "cut off",
        CampaignPlan.Blow.POWER, "without power");

    private final Path directory;
    private final double slack;
    private final List<CampaignVerdict.Outcome> outcomes = new ArrayList<>();

    Campaign(Path directory, double slack) {
        this.directory = directory;
        this.slack = slack;
    }

    /** The seeds of that many jobs of those wanted. */
    static long[] seeds(long seed, int jobs, Predicate<CampaignPlan> wanted) {
        SplittableRandom random = new SplittableRandom(seed);
        return LongStream.generate(() -> random.nextLong() >>> 16)
            .filter(one -> wanted.test(CampaignPlan.of(one, CampaignJob.hasC()))).limit(jobs).toArray();
    }

    /** The first seed of such a job. */
    static long seedOf(Predicate<CampaignPlan> wanted) {
        return LongStream.range(0, 100_000).filter(seed -> wanted.test(CampaignPlan.of(seed, CampaignJob.hasC())))
            .findFirst().orElseThrow();
    }

    /** Runs the jobs of these seeds on {@code lanes} sets of hosts; says each that went wrong, with its seed. */
    List<CampaignVerdict.Outcome> run(long[] seeds, int lanes) throws Exception {
        boolean c = CampaignJob.hasC();
        AtomicInteger next = new AtomicInteger();
        List<Callable<Void>> all = new ArrayList<>();
        for (int lane = 0; lane < lanes; lane++) {
            all.add(() -> {
                try (CampaignHosts hosts = new CampaignHosts()) {
                    for (int i = next.getAndIncrement(); i < seeds.length; i = next.getAndIncrement()) {
                        String id = "c" + ProcessHandle.current().pid() + "-" + i;
                        add(CampaignVerdict.of(CampaignPlan.of(seeds[i], c), hosts, directory, id, slack));
                    }
                }
                return null;
            });
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(lanes)) {
            for (Future<Void> lane : threads.invokeAll(all)) {
                lane.get();
            }
        }
        return outcomes;
    }

    private synchronized void add(CampaignVerdict.Outcome outcome) {
        outcomes.add(outcome);
        System.out.printf(Locale.ROOT, "%d %s%s: %s after %.1f s%s%n", outcomes.size(),
            outcome.faults().isEmpty() ? "" : "FAULT ", outcome.plan(), outcome.endedWell() ? "right" : "ended",
            outcome.endedAfterS(),
            outcome.faults().isEmpty() ? "" : " " + outcome.faults() + "\n" + outcome.transcript());
        System.out.flush();
    }

    /** Writes the figures as results, one row a kind of blow. */
    void report(Path file, long seed, long tookS) throws IOException {
        Table table = Table.of("By blow", Column.words("blow"), Column.of("jobs", "jobs"),
            Column.of("right result", "jobs"), Column.of("ended with a message", "jobs"), Column.of("median", "s"),
            Column.of("90th percentile", "s"), Column.of("longest", "s"),
            Column.of("left files that a sweep removed", "jobs"), Column.of("faults", "jobs"));
        for (CampaignPlan.Blow blow : CampaignPlan.Blow.values()) {
            List<CampaignVerdict.Outcome> of = outcomes.stream().filter(outcome -> outcome.plan().blow() == blow)
                .toList();
            double[] ended = of.stream().filter(outcome -> !outcome.endedWell())
                .mapToDouble(CampaignVerdict.Outcome::endedAfterS).sorted().toArray();
            table.row(WORDS.get(blow), of.size(), of.size() - ended.length, ended.length, at(ended, 0.5),
                at(ended, 0.9), at(ended, 1), of.stream().filter(CampaignVerdict.Outcome::sweptLater).count(),
                faults(of).size());
        }
        Run run = Run.ofCampaign(file, "campaign", "Jobs on three hosts made of network namespaces, in Java, C or both,"
            + " with and without launcher, in every mode, in which something dies at a random moment, start and end"
            + " included.", "mvn -B verify -Pcampaign -Dcampaign.jobs=" + outcomes.size() + " -Dcampaign.seed=" + seed);
        run.write(System.out, List.of(table), String.format(Locale.ROOT, "A random process, or several, is killed or"
            + " stopped for 10 s, or a host cut off or without power. %d jobs, %d of them encrypted and %d with a"
            + " network adapter, took %d s with a slack of %.1f. Seconds are from the blow until nobody was left, of"
            + " jobs that ended. Seeds of faults: %s.", outcomes.size(), count(CampaignPlan::encrypted),
            count(CampaignPlan::adapter), tookS, slack, faults(outcomes).stream()
                .map(outcome -> Long.toString(outcome.plan().seed())).collect(Collectors.joining(", ", "[", "]"))));
    }

    private long count(Predicate<CampaignPlan> what) {
        return outcomes.stream().filter(outcome -> what.test(outcome.plan())).count();
    }

    static List<CampaignVerdict.Outcome> faults(List<CampaignVerdict.Outcome> outcomes) {
        return outcomes.stream().filter(outcome -> !outcome.faults().isEmpty()).toList();
    }

    private static double at(double[] sorted, double quantile) {
        return sorted.length == 0 ? Double.NaN : sorted[(int) Math.min(sorted.length - 1, quantile * sorted.length)];
    }
}

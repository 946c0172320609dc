package org.tributary.benchmarks.cold;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.tributary.benchmarks.job.LauncherCommand;
import org.tributary.benchmarks.job.MeasuredJob;
import org.tributary.benchmarks.measure.Sample;
import org.tributary.client.Gas;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;

/** One job, new for its operations: rank 0 calls the first ones of each kind, then all until they are warm. */
final class ColdJob {
    static final int MAX_COUNT = 100_000;
    private static final List<String> LAYOUT = List.of("--nodes", "2", "--ranks-per-node", "1");
    private static final String MARK = "first-operations";
    private static final int WORDS = 9;
    /** Beside the calls. */
    private static final long SPARE_SECONDS = 120;

    /** The first operations of a kind, and later ones. */
    record Times(Sample first, Sample warm) {
        double medianToWarm() {
            return first.medianUs() / warm.medianUs();
        }

        double meanToWarm() {
            return first.meanUs() / warm.meanUs();
        }
    }

    private final Map<FirstOperation, Sample> firstOnes = new EnumMap<>(FirstOperation.class);
    private final Map<FirstOperation, Times> times = new EnumMap<>(FirstOperation.class);

    /**
     * Runs one; {@code progress} is told of each kind of operation.
     *
     * @throws IOException when the job fails, or does not end in time
     */
    static Map<FirstOperation, Times> run(LauncherCommand launcher, List<FirstOperation> operations, int first,
        double seconds, Runnable progress) throws IOException, InterruptedException {
        ColdJob job = new ColdJob();
        List<String> program = new ArrayList<>(List.of(ColdJob.class.getName(), Integer.toString(first),
            Double.toString(seconds)));
        operations.forEach(operation -> program.add(operation.name()));
        MeasuredJob.run(launcher, LAYOUT, program, (long) (2 * seconds * operations.size()) + SPARE_SECONDS,
            (line, process) -> {
                if (job.read(line)) {
                    progress.run();
                }
            });
        if (!job.times.keySet().containsAll(operations)) {
            throw new IOException("the job has timed " + job.times.keySet() + " only, not " + operations);
        }
        return job.times;
    }

    /** Takes a line of the job's output; true when it completes the times of an operation. */
    boolean read(String line) {
        String[] words = line.split(" ");
        if (words.length != WORDS || !words[0].equals(MARK)) {
            return false;
        }
        FirstOperation operation = FirstOperation.valueOf(words[1]);
        Sample sample = new Sample(Integer.parseInt(words[3]), Long.parseLong(words[4]), Long.parseLong(words[5]),
            Long.parseLong(words[6]), Long.parseLong(words[7]), Long.parseLong(words[8]));
        boolean isWarm = Boolean.parseBoolean(words[2]);
        if (isWarm) {
            times.put(operation, new Times(firstOnes.get(operation), sample));
        } else {
            firstOnes.put(operation, sample);
        }
        return isWarm;
    }

    Map<FirstOperation, Times> times() {
        return times;
    }

    static String line(FirstOperation operation, boolean isWarm, Sample sample) {
        return String.join(" ", MARK, operation.name(), Boolean.toString(isWarm),
            Integer.toString(sample.iterations()), Long.toString(sample.medianNs()), Long.toString(sample.p99Ns()),
            Long.toString(sample.maxNs()), Long.toString(sample.totalNs()), Long.toString(sample.firstNs()));
    }

    /** The program of its ranks. Arguments: how many are the first, seconds until they are warm, and operations. */
    public static void main(String[] arguments) {
        int first = Integer.parseInt(arguments[0]);
        double seconds = Double.parseDouble(arguments[1]);
        Settings settings = Settings.builder().environment(System.getenv()).build();
        JobEnvironment job = JobEnvironment.forRank(System.getenv());
        try (Gas gas = Gas.attach(job, settings); Arena arena = Arena.ofConfined();
            Place place = Place.allocate(gas, arena)) {
            if (gas.rank() == 0) {
                measure(List.of(arguments).subList(2, arguments.length).stream().map(FirstOperation::valueOf).toList(),
                    place, first, (long) (seconds * TimeUnit.SECONDS.toNanos(1)));
            }
            gas.barrier();
        }
    }

    /** Nothing is printed before all the first ones are done. */
    private static void measure(List<FirstOperation> operations, Place place, int first, long warmNs) {
        List<Sample> cold = operations.stream().map(operation -> firstOnes(operation, place, first)).toList();
        for (int i = 0; i < operations.size(); i++) {
            System.out.println(line(operations.get(i), false, cold.get(i)));
            System.out.println(line(operations.get(i), true, warm(operations.get(i), place, first, warmNs)));
        }
    }

    private static Sample firstOnes(FirstOperation operation, Place place, int first) {
        long[] timesNs = new long[first];
        long startNs = System.nanoTime();
        long beforeNs = startNs;
        for (int i = 0; i < first; i++) {
            operation.call(place);
            long nowNs = System.nanoTime();
            timesNs[i] = nowNs - beforeNs;
            beforeNs = nowNs;
        }
        long firstNs = timesNs[0];
        return Sample.of(timesNs, first, beforeNs - startNs, firstNs);
    }

    private static Sample warm(FirstOperation operation, Place place, int first, long warmNs) {
        for (long startNs = System.nanoTime(); System.nanoTime() - startNs < warmNs;) {
            operation.call(place);
        }
        long[] timesNs = new long[MAX_COUNT];
        long startNs = System.nanoTime();
        long beforeNs = startNs;
        int count = 0;
        while (count < MAX_COUNT && (count < first || beforeNs - startNs < warmNs / 4)) {
            operation.call(place);
            long nowNs = System.nanoTime();
            timesNs[count++] = nowNs - beforeNs;
            beforeNs = nowNs;
        }
        return Sample.of(timesNs, count, beforeNs - startNs, 0);
    }
}

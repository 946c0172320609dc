package org.tributary.benchmarks.fabric;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tributary.benchmarks.job.LauncherCommand;
import org.tributary.benchmarks.job.MeasuredJob;
import org.tributary.benchmarks.measure.Sample;
import org.tributary.fabric.FabricKind;

/** A job of {@link RankTransfers}. */
final class RankJob {
    private static final Pattern TRANSFER = Pattern.compile("transfer (\\S+) (\\d+) ([0-9.]+) ([0-9.]+)");
    private static final long LIMIT_SECONDS = 1800;

    /** What is transferred. */
    record Transfer(String operation, int bytes) {
    }

    /** Microseconds of the rounds, of the adapter alone and of a rank. */
    record Times(List<Double> alone, List<Double> rank) {
        private static double median(List<Double> values) {
            return Sample.median(values.stream().mapToDouble(Double::doubleValue).toArray());
        }

        double aloneUs() {
            return median(alone);
        }

        double rankUs() {
            return median(rank);
        }

        /** The median of those of the rounds. */
        double ratio() {
            List<Double> ratios = new ArrayList<>();
            for (int round = 0; round < rank.size(); round++) {
                ratios.add(alone.get(round) / rank.get(round));
            }
            return median(ratios);
        }
    }

    private RankJob() {
    }

    /**
     * Runs one; {@code progress} is told of each measurement.
     *
     * @throws IOException when the job fails, or does not end in time
     */
    static Map<Transfer, Times> run(LauncherCommand launcher, FabricKind kind, int rounds, int iterations,
        Runnable progress) throws IOException, InterruptedException {
        Map<Transfer, Times> results = new LinkedHashMap<>();
        MeasuredJob.run(launcher, List.of("--nodes", "2", "--ranks-per-node", "1", "--set", "network.fabric=" + kind),
            List.of(RankTransfers.class.getName(), kind.name(), Integer.toString(rounds),
                Integer.toString(iterations)), LIMIT_SECONDS, (line, process) -> {
                if (read(line, results)) {
                    progress.run();
                }
            });
        return results;
    }

    /** Takes a line of the job's output; false when it says something else. */
    static boolean read(String line, Map<Transfer, Times> results) {
        Matcher found = TRANSFER.matcher(line);
        if (!found.matches()) {
            return false;
        }
        Times times = results.computeIfAbsent(new Transfer(found.group(1), Integer.parseInt(found.group(2))),
            transfer -> new Times(new ArrayList<>(), new ArrayList<>()));
        times.alone().add(Double.parseDouble(found.group(3)));
        times.rank().add(Double.parseDouble(found.group(4)));
        return true;
    }
}

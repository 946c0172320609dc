package org.tributary.benchmarks.fabric;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tributary.benchmarks.job.LauncherCommand;
import org.tributary.benchmarks.job.MeasuredJob;
import org.tributary.benchmarks.miniapps.MiniApps;

/** A job that times programs, from its start to its end. */
final class ProgramJob {
    /** As {@link MiniApps} prints it. */
    private static final Pattern LINE = Pattern.compile("(\\S+)\\s+first .*, median ([0-9.]+) s, .*");
    private static final long LIMIT_SECONDS = 1800;

    private ProgramJob() {
    }

    /**
     * Runs one with these options of {@code tributary run}.
     *
     * @return the median time of each program in seconds
     * @throws IOException when the job fails, or does not end in time
     */
    static Map<String, Double> run(LauncherCommand launcher, List<String> options, List<String> apps, int repeat)
        throws IOException, InterruptedException {
        List<String> program = List.of(MiniApps.class.getName(), "--repeat", Integer.toString(repeat), "--apps",
            String.join(",", apps));
        Map<String, Double> medians = new HashMap<>();
        MeasuredJob.run(launcher, options, program, LIMIT_SECONDS, (line, process) -> {
            Matcher matcher = LINE.matcher(line);
            if (matcher.matches()) {
                medians.put(matcher.group(1), Double.valueOf(matcher.group(2)));
            }
        });
        if (!medians.keySet().containsAll(apps)) {
            throw new IOException("the job has timed " + medians.keySet() + " only, not " + apps);
        }
        return medians;
    }
}

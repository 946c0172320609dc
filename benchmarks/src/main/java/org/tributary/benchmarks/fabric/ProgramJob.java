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
import org.tributary.client.connection.ChannelTraffic;

/** A job that times programs, from its start to its end. */
final class ProgramJob {
    /** As {@link MiniApps} prints them. */
    private static final Pattern LINE = Pattern.compile("(\\S+)\\s+first .*, median ([0-9.]+) s, .*");
    private static final Pattern CHANNELS = Pattern.compile(
        "(\\S+) channels hand-overs of requests (\\d+), by channels (\\d+), of which (\\d+) waited for room");
    private static final long LIMIT_SECONDS = 1800;

    /**
     * A program in a job.
     *
     * @param seconds the median time
     * @param traffic of all ranks in all runs; none where there are no channels
     */
    record Outcome(double seconds, ChannelTraffic traffic) {
    }

    private ProgramJob() {
    }

    /**
     * Runs one with these options of {@code tributary run}.
     *
     * @return how each program went
     * @throws IOException when the job fails, or does not end in time
     */
    static Map<String, Outcome> run(LauncherCommand launcher, List<String> options, List<String> apps, int repeat)
        throws IOException, InterruptedException {
        List<String> program = List.of(MiniApps.class.getName(), "--repeat", Integer.toString(repeat), "--apps",
            String.join(",", apps));
        Map<String, Outcome> outcomes = new HashMap<>();
        MeasuredJob.run(launcher, options, program, LIMIT_SECONDS, (line, process) -> read(line, outcomes));
        if (!outcomes.keySet().containsAll(apps)) {
            throw new IOException("the job has timed " + outcomes.keySet() + " only, not " + apps);
        }
        return outcomes;
    }

    /** Takes a line of the job's output. */
    static void read(String line, Map<String, Outcome> outcomes) {
        Matcher time = LINE.matcher(line);
        Matcher channels = CHANNELS.matcher(line);
        if (time.matches()) {
            outcomes.put(time.group(1), new Outcome(Double.parseDouble(time.group(2)), ChannelTraffic.NONE));
        } else if (channels.matches()) {
            ChannelTraffic traffic = new ChannelTraffic(Long.parseLong(channels.group(2)),
                Long.parseLong(channels.group(3)), Long.parseLong(channels.group(4)));
            outcomes.computeIfPresent(channels.group(1), (app, timed) -> new Outcome(timed.seconds(), traffic));
        }
    }
}

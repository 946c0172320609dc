package org.tributary.benchmarks.fabric;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tributary.benchmarks.job.LauncherCommand;
import org.tributary.benchmarks.miniapps.MiniApps;

/** A job that times programs, from its start to its end. */
final class ProgramJob {
    /** As {@link MiniApps} prints it. */
    private static final Pattern LINE = Pattern.compile("(\\S+)\\s+first .*, median ([0-9.]+) s, .*");
    private static final int LAST_LINES = 20;
    private static final long LIMIT_SECONDS = 1800;
    private static final long END_SECONDS = 30;

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
        List<String> arguments = new ArrayList<>(options);
        arguments.addAll(List.of("--output", "plain", "--timeout", LIMIT_SECONDS + "s", MiniApps.class.getName(),
            "--repeat", Integer.toString(repeat), "--apps", String.join(",", apps)));
        ProcessBuilder builder = launcher.run(arguments).redirectErrorStream(true);
        Process process = builder.start();
        // The launcher ends a job that takes too long; this is for a launcher that does not.
        process.onExit().orTimeout(LIMIT_SECONDS + END_SECONDS, TimeUnit.SECONDS)
            .exceptionally(late -> process.destroyForcibly());
        Map<String, Double> medians = new HashMap<>();
        ArrayDeque<String> last = new ArrayDeque<>();
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                last.add(line);
                if (last.size() > LAST_LINES) {
                    last.remove();
                }
                Matcher matcher = LINE.matcher(line);
                if (matcher.matches()) {
                    medians.put(matcher.group(1), Double.valueOf(matcher.group(2)));
                }
            }
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException("exit code " + (process.isAlive() ? "missing" : process.exitValue()) + " of "
                    + builder.command() + ", which said last: " + String.join(System.lineSeparator(), last));
            }
        } finally {
            process.destroy();
            process.waitFor(END_SECONDS, TimeUnit.SECONDS);
        }
        if (!medians.keySet().containsAll(apps)) {
            throw new IOException("the job has timed " + medians.keySet() + " only: " + builder.command());
        }
        return medians;
    }
}

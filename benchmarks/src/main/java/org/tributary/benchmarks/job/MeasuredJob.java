package org.tributary.benchmarks.job;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A job that a benchmark starts by {@code tributary run}, and whose output it reads until the end. */
public final class MeasuredJob {
    private static final int LAST_LINES = 20;
    private static final long END_SECONDS = 30;

    /** Takes the output, a line at a time. */
    public interface Reader {
        /** A line of the launcher or of a rank; {@code launcher} still runs, or has just ended. */
        void take(String line, Process launcher) throws IOException;
    }

    private MeasuredJob() {
    }

    /**
     * Runs one to its end.
     *
     * @param options      of {@code tributary run}
     * @param program      its name and its arguments
     * @param limitSeconds after which the launcher ends it
     * @throws IOException when the job fails or does not end in time, with the last of its output
     */
    public static void run(LauncherCommand launcher, List<String> options, List<String> program, long limitSeconds,
        Reader reader) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(options);
        arguments.addAll(List.of("--output", "plain", "--timeout", limitSeconds + "s"));
        arguments.addAll(program);
        ProcessBuilder builder = launcher.run(arguments).redirectErrorStream(true);
        Process process = builder.start();
        // For a launcher that does not end it.
        process.onExit().orTimeout(limitSeconds + END_SECONDS, TimeUnit.SECONDS)
            .exceptionally(late -> process.destroyForcibly());
        ArrayDeque<String> last = new ArrayDeque<>();
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                last.add(line);
                if (last.size() > LAST_LINES) {
                    last.remove();
                }
                reader.take(line, process);
            }
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException("exit code " + (process.isAlive() ? "missing" : process.exitValue()) + " of "
                    + builder.command() + ", which said last: " + String.join(System.lineSeparator(), last));
            }
        } finally {
            process.destroy();
            process.waitFor(END_SECONDS, TimeUnit.SECONDS);
        }
    }
}

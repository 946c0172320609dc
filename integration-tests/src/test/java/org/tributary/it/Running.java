package org.tributary.it;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.tributary.wire.Deadline;

/** A process of a test and the lines it has printed. */
final class Running {
    /** Only what hangs takes that long: a start on a machine that others load may take a minute. */
    static final long DEADLINE_S = 150;

    /** For the end of the output, which comes soon unless a process that was left behind holds it open. */
    private static final long READERS_MS = 30_000;

    private final Process process;
    private final List<String> out = new CopyOnWriteArrayList<>();
    private final List<String> err = new CopyOnWriteArrayList<>();
    private final Thread outReader;
    private final Thread errReader;

    Running(ProcessBuilder builder) throws IOException {
        process = builder.start();
        outReader = collect(process.getInputStream(), out);
        errReader = collect(process.getErrorStream(), err);
    }

    private static Thread collect(InputStream stream, List<String> lines) {
        return Thread.ofVirtual().start(() -> {
            try (BufferedReader reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                reader.lines().filter(line -> !line.contains("NOTE: Picked up JDK_JAVA_OPTIONS")).forEach(lines::add);
            } catch (IOException | UncheckedIOException e) {
                lines.add("output broke off: " + e);
            }
        });
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    List<String> out() {
        return out;
    }

    /** What went to standard error, as one text, without lines that say that something takes long. */
    String err() {
        return err.stream().filter(line -> !line.matches(".*tributary: .*still wait(s|ing) for .*"))
            .filter(line -> !line.matches(".*: \\d+ % after \\d+ s, about \\d+ s left"))
            .filter(line -> !line.matches("tributary: [a-z ]+: \\d+ of \\d+.* after \\d+ s(, about \\d+ s left)?"))
            .collect(Collectors.joining("\n"));
    }

    /** Everything it has printed. */
    String said() {
        return String.join("\n", out) + "\n" + String.join("\n", err);
    }

    /** Waits for a line of standard output. */
    Matcher awaitLine(String regex) {
        return awaitLine(regex, DEADLINE_S);
    }

    /** The same with another deadline. */
    Matcher awaitLine(String regex, long seconds) {
        Pattern pattern = Pattern.compile(regex);
        Deadline deadline = Deadline.in(TimeUnit.SECONDS.toNanos(seconds));
        while (!deadline.isOver()) {
            boolean ended = !process.isAlive() && !outReader.isAlive();
            for (String line : out) {
                Matcher matcher = pattern.matcher(line);
                if (matcher.matches()) {
                    return matcher;
                }
            }
            if (ended) {
                break;
            }
            LockSupport.parkNanos(2_000_000);
        }
        throw new AssertionError("no line " + regex + " from " + this);
    }

    /** Waits for the end; its exit code. */
    int exitCode() throws InterruptedException {
        return exitCode(DEADLINE_S);
    }

    int exitCode(long seconds) throws InterruptedException {
        Deadline deadline = Deadline.in(TimeUnit.SECONDS.toNanos(seconds));
        while (!process.waitFor(Deadline.LOOK_NS, TimeUnit.NANOSECONDS)) {
            if (deadline.isOver()) {
                throw new AssertionError("runs for more than " + seconds + " s: " + this);
            }
        }
        outReader.join(READERS_MS);
        errReader.join(READERS_MS);
        return process.exitValue();
    }

    /** Whether it runs on for that long. */
    boolean runsFor(long seconds) throws InterruptedException {
        return !process.waitFor(seconds, TimeUnit.SECONDS);
    }

    @Override
    public String toString() {
        return "process " + process.pid() + (process.isAlive() ? " (alive)" : " (exit " + process.exitValue() + ")")
            + "\nout: " + String.join("\n     ", out) + "\nerr: " + String.join("\n     ", err);
    }
}

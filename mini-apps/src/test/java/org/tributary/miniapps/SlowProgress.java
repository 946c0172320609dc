package org.tributary.miniapps;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Reports of a program whose every step takes a minute, so that all progress is said. */
public final class SlowProgress {
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final PrintStream said = new PrintStream(err, true, StandardCharsets.UTF_8);
    private final AtomicLong nowNs = new AtomicLong();

    /** That of one rank, {@code printing} on one only. */
    public Report report(boolean printing) {
        return new Report(new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8), printing,
            (what, steps) -> new Progress(what, steps, printing ? said : null, false,
                () -> nowNs.addAndGet(TimeUnit.MINUTES.toNanos(1))));
    }

    /** What was said about something, as percentages. */
    public List<String> percentages(String what) {
        return err.toString(StandardCharsets.UTF_8).lines().filter(line -> line.startsWith(what + ": "))
            .map(line -> line.substring(what.length() + 2, line.indexOf(" %"))).toList();
    }
}

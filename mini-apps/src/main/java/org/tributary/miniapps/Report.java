package org.tributary.miniapps;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.Locale;
import java.util.function.BiFunction;

/** Where results go: printed by one rank, dropped by the others. */
public final class Report {
    private final PrintStream out;
    private final boolean printing;
    private final BiFunction<String, Long, Progress> progress;

    /** {@code printing} is true on one rank only, whose report stands for all. */
    public Report(PrintStream out, boolean printing) {
        this(out, printing, (what, steps) -> Progress.of(what, steps, printing));
    }

    /** The same with another way to say how far something is. */
    Report(PrintStream out, boolean printing, BiFunction<String, Long, Progress> progress) {
        this.out = out;
        this.printing = printing;
        this.progress = progress;
    }

    /** Prints a line, formatted as by {@link String#format}, without regard to the machine's locale. */
    public void line(String format, Object... arguments) {
        if (printing) {
            out.println(String.format(Locale.ROOT, format, arguments));
        }
    }

    /** How far something is that takes long, said by the same rank on standard error. */
    public Progress progress(String what, long steps) {
        return progress.apply(what, steps);
    }

    /** A writer that drops everything. */
    static PrintWriter nowhere() {
        return new PrintWriter(Writer.nullWriter());
    }
}

package org.tributary.miniapps;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.Locale;

/** Where results go: printed by one rank, dropped by the others. */
public final class Report {
    private final PrintStream out;
    private final boolean printing;

    /** {@code printing} is true on one rank only, whose report stands for all. */
    public Report(PrintStream out, boolean printing) {
        this.out = out;
        this.printing = printing;
    }

    /** Prints a line, formatted as by {@link String#format}, without regard to the machine's locale. */
    public void line(String format, Object... arguments) {
        if (printing) {
            out.println(String.format(Locale.ROOT, format, arguments));
        }
    }

    /** How far something is that takes long, said by the same rank on standard error. */
    public Progress progress(String what, long steps) {
        return Progress.of(what, steps, printing);
    }

    /** A writer that drops everything. */
    static PrintWriter nowhere() {
        return new PrintWriter(Writer.nullWriter());
    }
}

package org.tributary.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Limits of a process (getrlimit(2)); a large number is none. Stateless. */
public final class ProcessLimits {
    public static final String FILE = "/proc/self/limits";
    public static final String OPEN_FILES = "Max open files";

    private static final String FORM = "(?m)^%s +(\\S+) +(\\S+)";

    private ProcessLimits() {
    }

    /** How many files this process may have open: the soft limit, which a JVM raises to the hard one as it starts. */
    public static long openFiles() throws IOException {
        return soft(Files.readString(Path.of(FILE), StandardCharsets.ISO_8859_1), OPEN_FILES);
    }

    /** From the text of the file. */
    public static long soft(String limits, String name) {
        return value(limits, name, 1);
    }

    /** From the text of the file. */
    public static long hard(String limits, String name) {
        return value(limits, name, 2);
    }

    private static long value(String limits, String name, int column) {
        Matcher matcher = Pattern.compile(FORM.formatted(name)).matcher(limits);
        return matcher.find() && matcher.group(column).matches("\\d{1,18}") ? Long.parseLong(matcher.group(column))
            : Long.MAX_VALUE;
    }
}

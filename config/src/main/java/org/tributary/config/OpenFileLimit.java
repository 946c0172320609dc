package org.tributary.config;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How many files this process may have open. Stateless. */
public final class OpenFileLimit {
    private static final Pattern LIMIT = Pattern.compile("(?m)^Max open files +(\\d+) ");

    private OpenFileLimit() {
    }

    /** The soft limit, which a JVM raises to the hard one as it starts; a large number when there is none. */
    public static long get() throws IOException {
        return in(Files.readString(Path.of("/proc/self/limits"), StandardCharsets.ISO_8859_1));
    }

    static long in(String limits) {
        Matcher matcher = LIMIT.matcher(limits);
        return matcher.find() ? Long.parseLong(matcher.group(1)) : Long.MAX_VALUE;
    }
}

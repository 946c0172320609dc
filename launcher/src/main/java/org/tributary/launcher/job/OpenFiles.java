package org.tributary.launcher.job;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.tributary.config.ProcessLimits;

/**
 * Whether this process may open enough files for what it is to do. Asked beforehand, because a JVM that may not open
 * any more cannot even load the classes that it needs to say so. Stateless.
 */
public final class OpenFiles {
    /** Files of a launcher or a server for itself and a few others: the class path, pipes, sockets, selectors. */
    public static final int OF_A_JVM = 128;
    /** The three ends of pipes that belong to a process. */
    private static final int OF_A_CHILD = 3;
    /** While a process is started, and for files that are open for a moment. */
    private static final int SPARE = 16;

    private OpenFiles() {
    }

    /** @throws IOException when this process may open fewer than {@code needed} in all, with both numbers */
    public static void require(int needed) throws IOException {
        require(needed, ProcessLimits.openFiles(), "this command");
    }

    /** @throws IOException when this process may not open the pipes of so many more, with both numbers */
    static void requireForChildren(int children) throws IOException {
        long open;
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            open = files.count();
        }
        require(Math.addExact(open, (long) OF_A_CHILD * children + SPARE), ProcessLimits.openFiles(),
            "a launcher of " + children + " servers and ranks");
    }

    static void require(long needed, long limit, String who) throws IOException {
        if (limit < needed) {
            throw new IOException(who + " needs " + needed + " open files and may open " + limit
                + "; raise the number of files that a process may open (ulimit -n)");
        }
    }
}

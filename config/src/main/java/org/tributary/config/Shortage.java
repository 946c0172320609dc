package org.tributary.config;

import java.util.Arrays;

/**
 * Says in one line what the machine had too little of, and what to do about it. The JDK tells a lack of threads, files
 * or space apart only by words of its messages. Stateless and thread-safe.
 */
public enum Shortage {
    FILES("raise the number of files that a process may open (ulimit -n)", "Too many open files", "error(-24)",
        "error: 24"),
    PROCESSES("raise the number of processes and threads (ulimit -u, and pids.max of the control group), or start"
        + " fewer ranks", "unable to create native thread", "Resource temporarily unavailable", "error: 11"),
    SPACE("free some space or files on that mount, or enlarge it", "No space left on device", "error(-28)"),
    MEMORY("raise the memory that a process may have (ulimit -v, and the memory limit of the control group), or -Xmx",
        "Cannot allocate memory", "OutOfMemoryError", "Out of Memory", "error: 12"),
    EITHER("a limit may be too low: files (ulimit -n), processes (ulimit -u, pids.max of the control group), memory"
        + " (ulimit -v)", "spawn helper");

    private final String advice;
    private final String[] words;

    Shortage(String advice, String... words) {
        this.advice = advice;
        this.words = words;
    }

    /** The first line of a failure's message, and what to do where something has run out. */
    public static String describe(Throwable failure) {
        String message = failure.getMessage() == null ? failure.toString() : failure.getMessage();
        String line = message.lines().findFirst().orElse(message).strip();
        Shortage shortage = of(failure);
        return shortage == null ? line : line + "; " + shortage.advice;
    }

    /** The resource that has run out according to a failure or one of its causes; null for any other failure. */
    public static Shortage of(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String said = cause.toString();
            for (Shortage shortage : values()) {
                if (Arrays.stream(shortage.words).anyMatch(said::contains)) {
                    return shortage;
                }
            }
        }
        return null;
    }
}

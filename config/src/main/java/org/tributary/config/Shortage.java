package org.tributary.config;

import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
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

    /**
     * The first line of a failure's message, and what to do where something has run out. Of a file, what is wrong with
     * it: the messages of the JDK say only its name, and leave the rest to the name of their class.
     */
    public static String describe(Throwable failure) {
        String message = message(failure);
        String line = message.lines().findFirst().orElse(message).strip();
        Shortage shortage = of(failure);
        return shortage == null ? line : line + "; " + shortage.advice;
    }

    /** The same behind words that have named the file already. */
    public static String describe(Throwable failure, Path named) {
        String said = describe(failure);
        String name = named + ": ";
        return said.startsWith(name) ? said.substring(name.length()) : said;
    }

    private static String message(Throwable failure) {
        return switch (failure) {
            case FileSystemException file when file.getFile() != null && file.getReason() == null ->
                file.getFile() + ": " + problem(file);
            case CharacterCodingException text -> "it is no text in UTF-8";
            default -> failure.getMessage() == null ? failure.toString() : failure.getMessage();
        };
    }

    private static String problem(FileSystemException file) {
        return switch (file) {
            case NoSuchFileException missing -> "no such file or folder";
            case AccessDeniedException denied -> "permission denied";
            case FileAlreadyExistsException there -> "it exists already";
            case NotDirectoryException other -> "it is no folder";
            case DirectoryNotEmptyException full -> "it is not empty";
            default -> file.getClass().getSimpleName();
        };
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

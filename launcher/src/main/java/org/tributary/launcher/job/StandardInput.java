package org.tributary.launcher.job;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.tributary.config.ProcessFiles;

/**
 * Input of rank 0. A file or a pipe is handed over as it is: a job takes nothing from it that its rank does not read.
 * A terminal is read here, and only while this job is in the foreground of its shell: a rank that read it in the
 * background would be stopped, and the whole job with it.
 *
 * <p>One reader, whatever the number of jobs: what it has read and the rank of one job has not taken is for the next.
 */
public final class StandardInput {
    private static final Path DESCRIPTOR = Path.of("/proc/self/fd/0");
    private static final Path NOTHING = Path.of("/dev/null");
    private static final String FLAGS = "flags:";
    /** {@code O_WRONLY} of {@code O_ACCMODE}. */
    private static final int WRITE_ONLY = 1;
    private static final int ACCESS_MODE = 3;
    private static final int CLOSE_ON_EXEC = 0x80000; // of open(2)
    private static final int OCTAL = 8;
    private static final int PROCESS_GROUP = 5; // fields of /proc/PID/stat
    private static final int FOREGROUND_GROUP = 8;
    private static final int CHUNK = 16 << 10;
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long STACK_BYTES = 256 << 10;

    private final Kind kind;
    private final InputStream source;
    /** Null while nobody reads. */
    private InputTaker taker;
    private boolean isReading;

    private StandardInput(Kind kind, InputStream source) {
        this.kind = kind;
        this.source = source;
    }

    /** Nothing, as for every other rank. */
    public static StandardInput none() {
        return new StandardInput(Kind.NONE, InputStream.nullInputStream());
    }

    /** Input from a stream, which is closed when nobody reads any more. */
    public static StandardInput of(InputStream source) {
        return new StandardInput(Kind.GIVEN, source);
    }

    /** Input of this process; {@link #none} when its descriptor 0 is closed or write-only. */
    public static StandardInput ofThisProcess() {
        if (!isOpen(ProcessFiles.own().text("fdinfo/0"), file())) {
            return none();
        }
        if (!Terminal.is(0)) {
            return new StandardInput(Kind.INHERITED, new FileInputStream(FileDescriptor.in));
        }
        Signals.ignoreTerminalInput(); // a read in the background then fails, and stops nobody
        return ofTerminal(new FileInputStream(FileDescriptor.in));
    }

    /** Input from a terminal, taken only while the job is in the foreground. */
    static StandardInput ofTerminal(InputStream source) {
        return new StandardInput(Kind.TERMINAL, source);
    }

    /**
     * Whether descriptor 0 was open for reading when this process began. Where it was not, a file of the JVM's own may
     * have its number. Such a file is closed on exec, which one that has come through exec cannot be; or it is in the
     * JDK.
     *
     * @param fdinfo text of {@code /proc/PID/fdinfo/0}, empty when there is none
     * @param file   that it stands for
     */
    static boolean isOpen(String fdinfo, Path file) {
        return !file.startsWith(System.getProperty("java.home"))
            && fdinfo.lines().filter(line -> line.startsWith(FLAGS))
            .mapToLong(line -> Long.parseLong(line.substring(FLAGS.length()).strip(), OCTAL))
            .anyMatch(flags -> (flags & CLOSE_ON_EXEC) == 0 && (flags & ACCESS_MODE) != WRITE_ONLY);
    }

    ProcessBuilder.Redirect redirect() {
        return switch (kind) {
            case NONE -> ProcessBuilder.Redirect.from(NOTHING.toFile());
            case INHERITED -> ProcessBuilder.Redirect.INHERIT;
            case TERMINAL, GIVEN -> ProcessBuilder.Redirect.PIPE;
        };
    }

    /** Copies what the rank does not read by itself; nobody waits for the thread that does. */
    void feed(InputTaker rank, String name) {
        if (kind == Kind.TERMINAL || kind == Kind.GIVEN) {
            copyTo(rank, name);
        }
    }

    /** Copies the rest of it, on a thread of its own for which nobody waits; from now on to this one alone. */
    public synchronized void copyTo(InputTaker next, String name) {
        taker = next;
        notifyAll();
        if (!isReading) {
            Thread thread = new Thread(null, this::copy, "input of " + name, STACK_BYTES);
            thread.setDaemon(true);
            thread.start();
            isReading = true;
        }
    }

    /** The job ends: what its rank 0 has not been given is for that of the next one. */
    public synchronized void keep() {
        taker = null;
    }

    /** Bytes that a taker refuses, and the end, are kept for the next one; a given stream has one taker only. */
    private void copy() {
        byte[] buffer = new byte[CHUNK];
        int length = 0;
        InputTaker to;
        do {
            to = awaitTaker();
            while (length >= 0 && to != null && to.give(buffer, length)) {
                length = read(buffer);
                to = current();
            }
            if (to != null) {
                to.closeInput();
                drop(to);
            }
        } while (kind != Kind.GIVEN);
        closeGiven();
    }

    /** How much; 0 perhaps, and negative at the end. */
    private int read(byte[] buffer) {
        try {
            return source.read(buffer);
        } catch (IOException e) {
            int length = kind == Kind.TERMINAL && isInBackground() ? 0 : -1;
            LockSupport.parkNanos(LOOK_NS);
            return length;
        }
    }

    private synchronized InputTaker current() {
        return taker;
    }

    private synchronized InputTaker awaitTaker() {
        while (taker == null) {
            try {
                wait();
            } catch (InterruptedException e) {
                // Nobody interrupts the thread.
            }
        }
        return taker;
    }

    private synchronized void drop(InputTaker refusing) {
        if (taker == refusing) {
            taker = null;
        }
    }

    /** Standard input itself is not ours to close. */
    private void closeGiven() {
        if (kind == Kind.GIVEN) {
            try {
                source.close();
            } catch (IOException e) {
                // Nobody reads it any more.
            }
        }
    }

    private static boolean isInBackground() {
        ProcessFiles files = ProcessFiles.own();
        String foreground = files.stat(FOREGROUND_GROUP);
        return !foreground.equals("-1") && !foreground.equals(files.stat(PROCESS_GROUP));
    }

    /** Not absolute for pipes and sockets. */
    private static Path file() {
        try {
            return Files.readSymbolicLink(DESCRIPTOR);
        } catch (IOException e) {
            return Path.of("");
        }
    }

    private enum Kind { NONE, INHERITED, TERMINAL, GIVEN }
}

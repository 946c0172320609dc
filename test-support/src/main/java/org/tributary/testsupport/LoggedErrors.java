package org.tributary.testsupport;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The errors that servers and ranks of the present test have logged. One a process, because what collects them, the
 * JDK's log and the handler of uncaught exceptions, is so, too; where classes run side by side, one a class, which the
 * threads that its tests start inherit. The tests of a class run one after the other. Safe for all threads.
 */
public final class LoggedErrors {
    /** How long an expected error may take: a server logs on its own thread. */
    private static final long PATIENCE_MS = 10_000;

    private static final LoggedErrors OF_THIS_PROCESS = new LoggedErrors();
    private static final ThreadLocal<LoggedErrors> OF_CLASS = new InheritableThreadLocal<>();

    private final List<String> errors = new ArrayList<>();
    private final List<Pattern> expected = new ArrayList<>();
    private final List<Pattern> tolerated = new ArrayList<>();
    private final List<WatchedStream> watched = new ArrayList<>();
    private long patienceMs = PATIENCE_MS;
    private boolean closed;

    private LoggedErrors() {
    }

    /** Those of the test to which the calling thread belongs. */
    static LoggedErrors ofPresentTest() {
        LoggedErrors own = OF_CLASS.get();
        return own == null ? OF_THIS_PROCESS : own;
    }

    /** A class begins whose tests the calling thread runs, while other threads run those of others. */
    static void beginClassBesideOthers() {
        OF_CLASS.set(new LoggedErrors());
    }

    /**
     * The tests of such a class are over. What its threads and processes still say is an error of the process from now
     * on, as is what threads say that belong to no class.
     *
     * @return the errors of the process, which no class has been blamed for yet
     */
    static List<String> endClassBesideOthers() throws InterruptedException {
        ofPresentTest().close();
        OF_CLASS.remove();
        OF_THIS_PROCESS.searchWatched();
        return OF_THIS_PROCESS.takeUnexpected();
    }

    private void close() {
        List<WatchedStream> left;
        synchronized (this) {
            closed = true;
            left = List.copyOf(watched);
        }
        synchronized (OF_THIS_PROCESS) {
            OF_THIS_PROCESS.watched.addAll(left);
        }
    }

    /** Takes the errors out of all that a process of the present test has printed. */
    public static void scan(String process, String output) {
        ErrorLines.of(output).forEach(error -> report(process, error));
    }

    /** A process of the present test has printed an error. */
    private static void report(String process, String error) {
        ofPresentTest().add(process + ": " + error);
    }

    /** The errors in what a process has printed. */
    public static List<String> in(String output) {
        return ErrorLines.of(output);
    }

    /** Copies what a process of the present test says on standard error, and takes the errors out of it. */
    public static Process watch(String name, Process process) {
        LoggedErrors present = ofPresentTest();
        synchronized (present) {
            present.watched.add(new WatchedStream(name, process));
        }
        return process;
    }

    /** The present test provokes an error with this text, a regular expression: it fails if that does not come. */
    public static void expect(String regex) {
        LoggedErrors present = ofPresentTest();
        synchronized (present) {
            present.expected.add(Pattern.compile(regex));
        }
    }

    /** The present test may bring about errors with this text, a regular expression. */
    public static void tolerate(String regex) {
        LoggedErrors present = ofPresentTest();
        synchronized (present) {
            present.tolerated.add(Pattern.compile(regex));
        }
    }

    /** The present test gives up expected errors at once. */
    static void impatient() {
        LoggedErrors present = ofPresentTest();
        synchronized (present) {
            present.patienceMs = 0;
        }
    }

    /** A test begins, or the tests of a class. */
    synchronized void begin(List<Pattern> declared) {
        tolerated.addAll(declared);
    }

    /** Whether the present test has said that it brings such an error about. */
    synchronized boolean isDeclared(String error) {
        return Stream.concat(expected.stream(), tolerated.stream()).anyMatch(text -> text.matcher(error).find());
    }

    void add(String error) {
        synchronized (this) {
            if (!closed) {
                errors.add(error);
                notifyAll();
                return;
            }
        }
        OF_THIS_PROCESS.add(error);
    }

    /** Has what the processes of the present test have said; those that live on are searched again later. */
    void searchWatched() throws InterruptedException {
        List<WatchedStream> all;
        synchronized (this) {
            all = List.copyOf(watched);
        }
        for (WatchedStream stream : all) {
            if (stream.search(LoggedErrors::report)) {
                synchronized (this) {
                    watched.remove(stream);
                }
            }
        }
    }

    /** Waits a while for each of the errors that the present test expects; those that have not come. */
    synchronized List<Pattern> missing(List<Pattern> more) throws InterruptedException {
        expected.addAll(more);
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMs);
        while (true) {
            List<Pattern> missing = expected.stream().filter(pattern -> !came(pattern)).toList();
            long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
            if (missing.isEmpty() || leftMs <= 0) {
                return missing;
            }
            wait(leftMs);
        }
    }

    synchronized boolean came(Pattern pattern) {
        return errors.stream().anyMatch(error -> pattern.matcher(error).find());
    }

    /** Forgets everything about the present test; its errors that it has neither expected nor tolerated. */
    synchronized List<String> takeUnexpected() {
        List<String> unexpected = errors.stream().filter(error -> !isDeclared(error)).toList();
        errors.clear();
        expected.clear();
        tolerated.clear();
        patienceMs = PATIENCE_MS;
        return unexpected;
    }
}

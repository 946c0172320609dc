package org.tributary.launcher.job;

import java.util.Map;

/** Exit codes that the launcher gives out and understands. */
public final class ExitCodes {
    public static final int FAILURE = 1;
    public static final int USAGE = 2;
    /** A rank that ended because something else ended its job (EX_TEMPFAIL of sysexits.h): never the cause itself. */
    public static final int ABORTED = 75;
    /** The job ran into its {@code --timeout}; the same code as timeout(1). */
    public static final int TIMEOUT = 124;

    static final int SIGHUP = 1;
    static final int SIGINT = 2;
    /** Of signal(7). */
    public static final int SIGTERM = 15;
    public static final int SIGQUIT = 3;
    public static final int SIGUSR1 = 10;
    private static final int SIGABRT = 6;
    private static final int SIGBUS = 7;
    private static final int SIGSEGV = 11;
    private static final int SIGNAL_BASE = 128;
    private static final Map<Integer, String> SIGNAL_NAMES = Map.ofEntries(Map.entry(SIGHUP, "SIGHUP"),
        Map.entry(SIGINT, "SIGINT"), Map.entry(SIGQUIT, "SIGQUIT"), Map.entry(4, "SIGILL"), Map.entry(5, "SIGTRAP"),
        Map.entry(SIGABRT, "SIGABRT"), Map.entry(SIGBUS, "SIGBUS"), Map.entry(8, "SIGFPE"), Map.entry(9, "SIGKILL"),
        Map.entry(SIGUSR1, "SIGUSR1"), Map.entry(SIGSEGV, "SIGSEGV"), Map.entry(12, "SIGUSR2"),
        Map.entry(13, "SIGPIPE"), Map.entry(14, "SIGALRM"), Map.entry(SIGTERM, "SIGTERM"), Map.entry(24, "SIGXCPU"),
        Map.entry(25, "SIGXFSZ"));

    private ExitCodes() {
    }

    /** The code of a process ended by {@code signal}, as shells and {@link Process#exitValue} report it. */
    public static int ofSignal(int signal) {
        return SIGNAL_BASE + signal;
    }

    /** Whether the process ended by its own access to memory, or, as a JVM then does, by {@code abort}. */
    static boolean isCrash(int exitCode) {
        return exitCode == ofSignal(SIGABRT) || exitCode == ofSignal(SIGBUS) || exitCode == ofSignal(SIGSEGV);
    }

    /** Whether a signal has ended the process. */
    static boolean isSignal(int exitCode) {
        return SIGNAL_NAMES.containsKey(exitCode - SIGNAL_BASE);
    }

    static String signalName(int signal) {
        return SIGNAL_NAMES.getOrDefault(signal, "signal " + signal);
    }

    /** The end of a sentence whose subject is the process. */
    static String describe(int exitCode) {
        int signal = exitCode - SIGNAL_BASE;
        return isSignal(exitCode)
            ? "was killed by signal " + signal + " (" + SIGNAL_NAMES.get(signal) + ")"
            : "exited with code " + exitCode;
    }
}

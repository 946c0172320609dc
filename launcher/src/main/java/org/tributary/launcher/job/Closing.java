package org.tributary.launcher.job;

import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The time when nothing of a job is left but its last output, and what its hosts have to remove. Of the signals that
 * come then, or have come too late to end anything, the first drops output, and a second one gives up hosts. Where the
 * time for output is over, the first gives them up.
 */
final class Closing {
    private static final long SIGNALLED_OUTPUT_NS = TimeUnit.SECONDS.toNanos(10);

    private final JobNodes nodes;
    private final BlockingQueue<Event> events;
    private final LineSink err;
    private volatile boolean hasBegun;

    Closing(JobNodes nodes, BlockingQueue<Event> events, LineSink err) {
        this.nodes = nodes;
        this.events = events;
        this.err = err;
    }

    static boolean isForTheEnd(int signal) {
        return signal != ExitCodes.SIGUSR1 && signal != ExitCodes.SIGQUIT;
    }

    boolean hasBegun() {
        return hasBegun;
    }

    /** To be called when a signal has been added to the events; may be called by any thread. */
    void signalAdded() {
        if (hasBegun) {
            obey();
        }
    }

    private void obey() {
        long signals = events.stream().filter(event -> signalOf(event) != 0).count();
        if (signals > 0) {
            nodes.dropOutput();
        }
        if (signals > 1) {
            nodes.giveUp();
        }
    }

    /** What ends the wait, or 0. */
    private int firstSignal() {
        return events.stream().mapToInt(Closing::signalOf).filter(signal -> signal != 0).findFirst().orElse(0);
    }

    private static int signalOf(Event event) {
        return event instanceof Event.SignalReceived received && isForTheEnd(received.signal()) ? received.signal() : 0;
    }

    /** The exit code of a wait that was ended by the first signal, which is said, or by the one that ended the job. */
    private int ended(String how) {
        int signal = firstSignal();
        if (signal == 0) {
            return ExitCodes.FAILURE;
        }
        err.say(how + ": received " + ExitCodes.signalName(signal));
        return ExitCodes.ofSignal(signal);
    }

    /**
     * A reader of the output may take as long as it wants, unless somebody wants the end of this process.
     *
     * @param exitCode    of the job
     * @param isSignalled whether a signal has ended it
     * @return the exit code of the launcher
     */
    int run(int exitCode, boolean isSignalled) throws InterruptedException, IOException {
        hasBegun = true; // before the events are looked at, which a signal is added to before it looks at this
        if (isSignalled) { // a reader that has stopped does not keep this process for ever
            nodes.limitOutput(SIGNALLED_OUTPUT_NS);
        }
        obey();
        LastOutput output = nodes.close();
        int code = switch (output) {
            case WRITTEN -> 0;
            case DROPPED -> ended("dropping output that has not been read");
            case HOSTS_GIVEN_UP -> ended("giving up hosts whose agents have not ended");
            case MISSING -> ExitCodes.FAILURE;
        };
        return exitCode == 0 ? code : exitCode;
    }
}

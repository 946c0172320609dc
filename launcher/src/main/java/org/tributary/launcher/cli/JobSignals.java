package org.tributary.launcher.cli;

import java.util.function.IntConsumer;
import org.tributary.launcher.job.ExitCodes;
import org.tributary.launcher.job.QuitSignal;
import org.tributary.launcher.job.Signals;

/** Signals to this process, for one taker after the other, on whatever thread they come. */
final class JobSignals {
    private volatile IntConsumer taker = signal -> { };
    private volatile int endSignal;

    private JobSignals() {
    }

    /** They are received from now on; before there is a taker, no report is made. */
    static JobSignals receive() {
        JobSignals signals = new JobSignals();
        Signals.receive(signals::received);
        QuitSignal.receive(() -> signals.received(ExitCodes.SIGQUIT));
        return signals;
    }

    /** They go to this one from now on. */
    void setTaker(IntConsumer next) {
        taker = next; // before endSignal is looked at: a signal that does not reach the next is seen there
    }

    private void received(int signal) {
        if (isForTheEnd(signal)) {
            endSignal = signal; // before the taker is looked at, as above
        }
        taker.accept(signal);
    }

    /** Whether it asks for the end of the job, and not for a report. */
    static boolean isForTheEnd(int signal) {
        return signal != ExitCodes.SIGUSR1 && signal != ExitCodes.SIGQUIT;
    }

    /** The last one that wanted an end, 0 if none has. */
    int endSignal() {
        return endSignal;
    }
}

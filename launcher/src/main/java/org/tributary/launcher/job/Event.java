package org.tributary.launcher.job;

import java.util.List;

/** News from the threads around a job to the one that runs it. */
sealed interface Event {
    record ServerReady(int node, String address) implements Event {
    }

    /** The server says why it is about to end, so that its exit code need not speak for itself. */
    record ServerAborted(int node, String reason) implements Event {
    }

    record ServerEnded(int node, int exitCode) implements Event {
    }

    record RankEnded(int rank, int exitCode) implements Event {
    }

    record SignalReceived(int signal) implements Event {
    }

    /** Why the job does not go on, in lines; a report has several parts. */
    record Report(List<String> lines, boolean isComplete) implements Event {
        public Report {
            lines = List.copyOf(lines);
        }
    }
}

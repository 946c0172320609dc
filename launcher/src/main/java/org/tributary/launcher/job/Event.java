package org.tributary.launcher.job;

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
}

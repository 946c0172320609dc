package org.tributary.launcher.job;

import java.util.List;

/** News from the threads around a job, and from its hosts, to the thread that runs it. */
public sealed interface Event {
    /**
     * A host can take part, unless there are problems, one sentence each.
     *
     * @param node     the node that it is to be
     * @param identity of the machine: equal for two names of one
     */
    record HostReady(int node, String hostName, String identity, List<String> problems) implements Event {
        public HostReady {
            problems = List.copyOf(problems);
        }
    }

    /**
     * The connection to a host has ended, and with it that to hosts that were reached through it.
     *
     * @param node  the first node of these hosts
     * @param count of nodes
     * @param why   how it ended, with the last that was heard
     */
    record HostGone(int node, int count, String host, String why) implements Event {
    }

    /** A server or rank could not be started. */
    record StartFailed(String reason) implements Event {
    }

    /** Something that a curious user wants to know. */
    record Remark(String text) implements Event {
    }

    record ServerReady(int node, String address) implements Event {
    }

    /** The server says why it is about to end, so that its exit code need not speak for itself. */
    record ServerAborted(int node, String reason) implements Event {
    }

    record SignalReceived(int signal) implements Event {
    }

    /**
     * Why the job does not go on, in lines; a report has several parts.
     *
     * @param isEnd whether they are the last part of one that was asked for
     */
    record Report(List<String> lines, boolean isEnd) implements Event {
        public Report {
            lines = List.copyOf(lines);
        }
    }

    /** All processes of a node on another host have ended, of which this is the last news; output may follow. */
    record NodeEnded(int node) implements Event {
    }

    /** A process of the job has ended. */
    sealed interface Ended extends Event {
        /** The subject of messages: {@code rank 3 (node 1, pid 1234)}. */
        String name();

        int exitCode();
    }

    /** {@code lastWords} is the last line that it wrote to its standard error, or empty. */
    record ServerEnded(int node, String name, int exitCode, String lastWords) implements Ended {
    }

    /** {@code leaver} is the rank that has left while this one waited for it, or -1. */
    record RankEnded(int rank, String name, int exitCode, int leaver) implements Ended {
    }
}

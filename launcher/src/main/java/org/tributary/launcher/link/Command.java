package org.tributary.launcher.link;

import java.util.List;
import java.util.Map;

/** Commands of a launcher to its agents. */
public sealed interface Command {
    /**
     * The first one. All nodes have the same, but for the hosts to be started.
     *
     * @param settings      as environment variables
     * @param userVariables those of {@code --env}
     * @param bind          the name of a {@link org.tributary.launcher.bind.BindPolicy}
     * @param environment   of the launcher
     * @param launchCommand starts an agent on another host, see {@link LaunchCommand}
     * @param peers         some hosts of the job: the way to them is the way to all
     * @param launcher      where the launcher is, for messages
     * @param hosts         the agent's own, which is that of {@code firstNode}, and those that it is to start
     */
    record Begin(String jobId, byte[] secret, String layout, Map<String, String> settings, List<String> serverCommand,
                 List<String> rankCommand, Map<String, String> userVariables, boolean prefixed, String bind,
                 Map<String, String> environment, String directory, List<String> launchCommand, List<String> peers,
                 String launcher, List<String> hosts, int firstNode) implements Command {
        /** The same for an agent of other hosts. */
        public Begin of(List<String> others, int first) {
            return new Begin(jobId, secret, layout, settings, serverCommand, rankCommand, userVariables, prefixed,
                bind, environment, directory, launchCommand, peers, launcher, others, first);
        }
    }

    record StartServers() implements Command {
    }

    /** {@code addresses} of all servers, by node. */
    record StartRanks(List<String> addresses) implements Command {
    }

    record Release() implements Command {
    }

    record End(int signal, String reason) implements Command {
    }

    record Kill() implements Command {
    }

    /** So many bytes of the output of one agent have been written: it may send as many again. */
    record OutputTaken(int bytes) implements Command {
    }

    /** The next input of rank 0; no bytes at its end. */
    record Input(byte[] bytes) implements Command {
    }

    /** The agent answers by an {@link Answer} of that number. The agent of a job answers for that one alone. */
    record Inquire(String jobId, int number, Question question, String text) implements Command {
    }

    /**
     * The first command of a diagnosis, instead of {@link Begin}. The agent answers with what it finds, see
     * {@code Checkup}.
     *
     * @param settings   as environment variables
     * @param connection the variable {@code SSH_CONNECTION} there, or nothing
     * @param peers      as in {@link Begin}
     */
    record Examine(Map<String, String> settings, String connection, List<String> peers) implements Command {
    }

    /**
     * The first command of a process that looks at jobs of others, instead of {@link Begin}. Inquiries follow,
     * see {@code Onlooker}.
     *
     * @param settings   as environment variables
     * @param connection the variable {@code SSH_CONNECTION} there, or nothing
     */
    record Look(Map<String, String> settings, String connection) implements Command {
    }

    /**
     * The first command when a job has ended, instead of {@link Begin}. The agent gives the traces of its host, see
     * {@code TraceSender}.
     *
     * @param folder     that the job was given
     * @param marker     name of a file that the launcher has made in its folder of that name
     * @param connection as in {@link Look}
     * @param silenceNs  {@code connection.silence-timeout}
     */
    record Collect(String jobId, String folder, String marker, String connection, long silenceNs) implements Command {
    }

    /** The agent sends the traces of these. */
    record Fetch(List<Integer> ranks) implements Command {
        public Fetch {
            ranks = List.copyOf(ranks);
        }
    }

    /** The agent answers with its clock, in ms; of a host whose traces are collected as {@code ClockProbe} does. */
    record TellTime() implements Command {
    }

    /** The agent connects to these, each a name of a host and an address with a port, and answers how that went. */
    record Reach(List<String> others) implements Command {
    }

    /**
     * The agent tries to start agents on these hosts, and answers for each with a problem or nothing.
     *
     * @param launchCommand as in {@link Begin}
     * @param limitNs       for all of them
     */
    record Launch(List<String> launchCommand, List<String> hosts, long limitNs) implements Command {
        public Launch {
            launchCommand = List.copyOf(launchCommand);
            hosts = List.copyOf(hosts);
        }
    }
}

package org.tributary.launcher.job;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.tributary.config.Topology;
import org.tributary.launcher.bind.BindPolicy;

/**
 * Which nodes of a job are those of one machine.
 *
 * @param secret       of the job
 * @param host         the machine's name in messages, or null when the whole job is on the launcher's
 * @param launcher     where the launcher is, for messages; null together with {@code host}
 * @param surroundings of processes, unless they inherit their parent's
 */
public record NodeShare(String jobId, byte[] secret, int firstNode, int count, String host, String launcher,
                        Optional<Surroundings> surroundings, BindPolicy bind) {
    private static final int SECRET_BYTES = 32;

    /** All nodes of a new job, on this machine. */
    public static NodeShare whole(String jobId, Topology topology, BindPolicy bind) {
        return new NodeShare(jobId, newSecret(), 0, topology.nodeCount(), null, null, Optional.empty(), bind);
    }

    /** A secret for a new job. */
    public static byte[] newSecret() {
        byte[] secret = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        return secret;
    }

    /**
     * The environment and working directory that the user has chosen, on whichever machine.
     */
    public record Surroundings(Map<String, String> environment, Path directory) {
        public Surroundings {
            environment = Map.copyOf(environment);
        }

        void applyTo(ProcessBuilder builder) {
            builder.environment().clear();
            builder.environment().putAll(environment);
            builder.directory(directory.toFile());
        }
    }

    int endNode() {
        return firstNode + count;
    }

    /** In ascending order. */
    int[] ranks(Topology topology) {
        return IntStream.range(firstNode, endNode()).flatMap(node ->
            IntStream.range(0, topology.rankCount(node)).map(index -> topology.rankAt(node, index))).sorted()
            .toArray();
    }

    /** Several machines may share a temporary directory, and launchers on one. */
    String filesName() {
        return host == null ? jobId : jobId + "." + firstNode;
    }

    /** Prefix of each line of output of {@code who}. */
    String prefix(String who) {
        return host == null ? "[" + who + "] " : "[" + who + " " + host + "] ";
    }

    /** Of the name of a process, {@code node} first. */
    String place(String node) {
        return host == null ? node : node + "host " + host + ", ";
    }
}

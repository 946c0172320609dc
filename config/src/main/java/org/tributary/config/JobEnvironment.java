package org.tributary.config;

import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Environment of a server or a rank: its job, its place in it, and where the servers are. */
public final class JobEnvironment {
    private final String jobId;
    private final byte[] secret;
    private final Path secretFile;
    private final Topology topology;
    private final int node;
    private final int rank;
    private final ServerAddresses servers;
    private final boolean supervised;
    private final Path trace;

    JobEnvironment(JobEnvironmentReader read) {
        jobId = read.jobId;
        secret = read.secret.clone();
        secretFile = read.secretFile;
        topology = read.topology;
        node = read.node;
        rank = read.rank;
        servers = read.servers;
        supervised = read.supervised;
        trace = read.trace;
    }

    /** For the server of one node; throws {@link ConfigException} with every problem found. */
    public static JobEnvironment forServer(Map<String, String> environment) {
        return new JobEnvironment(new JobEnvironmentReader(environment).readServer());
    }

    /** For a rank; throws {@link ConfigException} with every problem found. */
    public static JobEnvironment forRank(Map<String, String> environment) {
        return new JobEnvironment(new JobEnvironmentReader(environment).readRank());
    }

    /** Of a server, the same for that of another node. */
    public JobEnvironment ofNode(int other) {
        Map<String, String> environment = toEnvironment();
        environment.put(JobVariables.NODE, Integer.toString(other));
        return forServer(environment);
    }

    /** For embedders and tests, which have no environment of their own. */
    public static Builder builder() {
        return new Builder();
    }

    /** 1 to 32 letters, digits, dots, underscores or hyphens. */
    public String jobId() {
        return jobId;
    }

    /** A copy; at least 16 bytes. */
    public byte[] secret() {
        return secret.clone();
    }

    public Topology topology() {
        return topology;
    }

    public int node() {
        return node;
    }

    /** -1 for a server. */
    public int rank() {
        return rank;
    }

    /**
     * The servers' addresses by node, each {@code host:port} with IPv6 hosts in brackets. Empty as long as they are not
     * all known: a file of addresses is read again at each call until it is complete.
     */
    public List<String> servers() {
        return servers.get();
    }

    /** Whether the launcher started this process, and so ends it with the job. */
    public boolean supervised() {
        return supervised;
    }

    /** The folder in which the rank records its operations and waits, if it is to. */
    public Optional<Path> trace() {
        return Optional.ofNullable(trace);
    }

    /** The variables from which {@link #forServer} or {@link #forRank} reads an equal description. */
    public Map<String, String> toEnvironment() {
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put(JobVariables.JOB_ID, jobId);
        if (secretFile == null) {
            environment.put(JobVariables.SECRET, HexFormat.of().formatHex(secret));
        } else {
            environment.put(JobVariables.SECRET_FILE, secretFile.toString());
        }
        environment.put(JobVariables.LAYOUT, topology.toString());
        environment.put(JobVariables.NODE, Integer.toString(node));
        if (rank >= 0) {
            environment.put(JobVariables.RANK, Integer.toString(rank));
        }
        servers.addTo(environment);
        if (supervised) {
            environment.put(JobVariables.SUPERVISED, "1");
        }
        if (trace != null) {
            environment.put(JobVariables.TRACE, trace.toString());
        }
        return environment;
    }

    @Override
    public String toString() {
        return "job " + jobId + " (" + topology.shortened() + "), node " + node
            + (rank < 0 ? ", server" : ", rank " + rank);
    }

    /** Goes through the same reading and checks as an environment does. */
    public static final class Builder {
        private Map<String, String> environment = new LinkedHashMap<>();

        private Builder() {
        }

        public Builder jobId(String jobId) {
            return put(JobVariables.JOB_ID, jobId);
        }

        public Builder secret(byte[] secret) {
            return put(JobVariables.SECRET, HexFormat.of().formatHex(secret));
        }

        /** Instead of {@link #secret}: a file that holds it in hexadecimal, readable by its owner alone. */
        public Builder secretFile(Path file) {
            return put(JobVariables.SECRET_FILE, file.toString());
        }

        public Builder topology(Topology topology) {
            return put(JobVariables.LAYOUT, topology.toString());
        }

        public Builder node(int node) {
            return put(JobVariables.NODE, Integer.toString(node));
        }

        /** Not called for a server. */
        public Builder rank(int rank) {
            return put(JobVariables.RANK, Integer.toString(rank));
        }

        public Builder servers(List<String> servers) {
            return put(JobVariables.SERVERS, String.join(",", servers));
        }

        public Builder serversFile(Path file) {
            return put(JobVariables.SERVERS_FILE, file.toString());
        }

        public Builder supervised(boolean supervised) {
            return put(JobVariables.SUPERVISED, supervised ? "1" : "0");
        }

        /** Of a rank: the absolute path of the folder in which it records its operations and waits. */
        public Builder trace(String folder) {
            return put(JobVariables.TRACE, folder);
        }

        public JobEnvironment build() {
            return environment.containsKey(JobVariables.RANK) ? forRank(environment) : forServer(environment);
        }

        private Builder put(String variable, String value) {
            environment.put(variable, value);
            return this;
        }
    }
}

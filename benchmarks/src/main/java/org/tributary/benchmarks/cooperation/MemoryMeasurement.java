package org.tributary.benchmarks.cooperation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.tributary.benchmarks.cooperation.FarEnds.Source;
import org.tributary.config.CooperationScope;
import org.tributary.config.ProcessLimits;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.cooperation.CooperationOptions;
import org.tributary.cooperation.Groups;
import org.tributary.cooperation.Routes;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.Role;

/**
 * Figure 6 of the paper, measured: by how much the resident set of a real server grows when every source that may open
 * a connection to it has done so, and has used it. Its JVM has the quick compiler only.
 * <p>
 * Without cooperation a server of this runtime keeps no receive ring for a process. What it costs to keep one for each,
 * as the paper's does, is measured with a server that forwards for all processes: in groups of two, each takes the
 * requests for the other of all processes outside.
 */
final class MemoryMeasurement {
    /** Connections, channels and receive rings that the server of node 0 holds for the others. */
    enum Holding {
        /** A connection of each process. */
        NONE("none", "process"),
        /** A connection and a receive ring of each process. */
        RING_EACH("forward", "process"),
        /** Connections and rings of its share of the processes. */
        PROCESS("combine", "process"),
        /** Channels and rings of its share of the nodes. */
        NODE("combine", "node");

        private final String mode;
        private final String scope;

        Holding(String mode, String scope) {
            this.mode = mode;
            this.scope = scope;
        }

        @Override
        public String toString() {
            return switch (this) {
                case NONE -> "none";
                case RING_EACH -> "none, a ring each";
                default -> mode + ", " + scope;
            };
        }
    }

    private static final int RANKS_PER_NODE = 12;
    private static final int[] NODES = {256, 512, 1024};
    private static final int LARGE_NODES = 50_000;
    private static final int LARGE_RANKS_PER_NODE = 20;
    private static final int WARM_UP = 100;
    /** The other compiler takes and gives back megabytes at any time. */
    private static final String QUICK_COMPILER_ONLY = "-XX:TieredStopAtLevel=1";
    /** Descriptors and ports for everything else. */
    private static final int RESERVE = 512;
    private static final int PAPER_NODES = 1024;
    /** 812 MB within a factor. */
    private static final double PAPER_BYTES = 812e6;
    private static final double SAME_ORDER = 3;
    private static final double PROCESS_GAIN = 7;
    private static final double NODE_GAIN = 100;
    private static final double BYTES_PER_MEGABYTE = 1e6;

    private final int groupSize;
    private final Consumer<Result> results;
    private final Consumer<String> notes;
    private int jobs;

    MemoryMeasurement(int groupSize, Consumer<Result> results, Consumer<String> notes) {
        this.groupSize = groupSize;
        this.results = results;
        this.notes = notes;
    }

    /** Memory that one server was found to need for so many channels. */
    record Held(int channels, long bytes) {
        double perChannel() {
            return (double) bytes / channels;
        }
    }

    /** Measures every holding at every number of processes. */
    void run() throws IOException {
        int most = most();
        for (int nodes : NODES) {
            if ((nodes - 1) * RANKS_PER_NODE > most) {
                notes.accept("memory: " + nodes * RANKS_PER_NODE + " processes left out: this machine allows "
                    + most + " connections; raise the limit of open files (ulimit -n) of the whole job, or"
                    + " net.ipv4.ip_local_port_range");
            } else {
                measure(nodes);
            }
        }
    }

    private static int most() throws IOException {
        String[] ports = Files.readAllLines(Path.of("/proc/sys/net/ipv4/ip_local_port_range")).getFirst().split("\\s+");
        int descriptors = (int) Math.min(ProcessLimits.openFiles(), Integer.MAX_VALUE);
        return Math.min(descriptors, Integer.parseInt(ports[1]) - Integer.parseInt(ports[0])) - RESERVE;
    }

    private void measure(int nodes) throws IOException {
        double ringEach = 0;
        for (Holding holding : new Holding[] {Holding.RING_EACH, Holding.NONE, Holding.PROCESS, Holding.NODE}) {
            Held held = measure(holding, nodes, ServerProcess.SETTLES);
            ringEach = holding == Holding.RING_EACH ? held.bytes : ringEach;
            Result result = result(holding.toString(), nodes * RANKS_PER_NODE, held.bytes, ringEach);
            results.accept(nodes == PAPER_NODES ? judged(holding, result, held.bytes, ringEach) : result);
            notes.accept(String.format(Locale.ROOT, "memory: %s: %d connections, %.0f bytes each, %.0f a process",
                holding, held.channels, held.perChannel(), (double) held.bytes / (nodes * RANKS_PER_NODE)));
            if (nodes == NODES[NODES.length - 1]) {
                extrapolate(holding, held);
            }
        }
    }

    private static Result result(String name, int processes, double bytes, double ringEach) {
        return new Result("memory", name, processes, bytes / BYTES_PER_MEGABYTE, bytes / ringEach, Double.NaN, null,
            false);
    }

    private static Result judged(Holding holding, Result result, double bytes, double ringEach) {
        return switch (holding) {
            case NONE -> result;
            case RING_EACH -> result.judged("the order of the paper's 812 MB",
                bytes > PAPER_BYTES / SAME_ORDER && bytes < PAPER_BYTES * SAME_ORDER);
            case PROCESS -> result.judged("a ring each / 7", ringEach / bytes >= PROCESS_GAIN);
            case NODE -> result.judged("a ring each / 100", ringEach / bytes >= NODE_GAIN);
        };
    }

    /** By the connections that the server of a larger job has, and what one was found to need. */
    private void extrapolate(Holding holding, Held held) {
        long connections = connections(holding, LARGE_NODES);
        int processes = LARGE_NODES * LARGE_RANKS_PER_NODE;
        results.accept(result(holding + ", extrapolated", processes, connections * held.perChannel(), Double.NaN));
        double slope = (connections - connections(holding, LARGE_NODES / 2)) * held.perChannel() / (processes / 2);
        notes.accept(String.format(Locale.ROOT, "memory: %s: %d connections at %,d processes, %.0f bytes a further one",
            holding, connections, processes, slope));
    }

    private long connections(Holding holding, int nodes) {
        Topology topology = Topology.uniform(nodes, LARGE_RANKS_PER_NODE);
        if (holding == Holding.NONE || holding == Holding.RING_EACH) {
            return topology.rankCount();
        }
        Routes routes = new Routes(CooperationOptions.of(settings(holding, groupSize), topology), topology);
        // By scope process the ranks of the node itself are among them.
        return routes.incomingChannels(0) + (holding == Holding.NODE ? LARGE_RANKS_PER_NODE : 0);
    }

    private static Settings settings(Holding holding, int size) {
        return Settings.builder().set("cooperation.mode", holding.mode).set("cooperation.scope", holding.scope)
            .set("cooperation.group-size", Integer.toString(size)).set("cooperation.server-bytes", "1024g")
            .set("server.bind-address", "127.0.0.1").set("attach.timeout", "24h").build();
    }

    /** The growth of a server of a job of so many nodes, 12 processes each, whose memory may take so long to settle. */
    Held measure(Holding holding, int nodes, Duration settles) throws IOException {
        Topology topology = Topology.uniform(nodes, RANKS_PER_NODE);
        Settings settings = settings(holding, holding == Holding.RING_EACH ? 2 : groupSize);
        CooperationOptions options = CooperationOptions.of(settings, topology);
        List<Source> sources = sources(topology, options);
        String jobId = "memory-" + ProcessHandle.current().pid() + "-" + jobs++;
        // The server ends first: it would take a connection that closes for the death of a rank.
        try (FarEnds ends = new FarEnds(options.maxForwarded() - Frames.MAX_FORWARDED_OVERHEAD);
            ServerProcess server = new ServerProcess(topology, settings, jobId, QUICK_COMPILER_ONLY)) {
            ends.warmUp(server, WARM_UP);
            long before = server.residentBytes(settles);
            for (Source source : sources) {
                ends.add(server, source);
            }
            return new Held(ends.count(), server.residentBytes(settles) - before);
        }
    }

    /** Everybody who may open a connection to the server of node 0 to hand over requests. */
    private static List<Source> sources(Topology topology, CooperationOptions options) {
        Routes routes = new Routes(options, topology);
        Groups groups = options.groups();
        int own = topology.firstRank(0);
        // What comes from outside the group, or from the node itself, may be for another member.
        int group = groups.groupOf(0);
        int[] members = !routes.cooperates() ? new int[] {0}
            : IntStream.range(0, groups.size(group)).map(i -> groups.member(group, i)).toArray();
        int other = members.length == 1 ? own : topology.firstRank(members[1]);
        List<Source> sources = new ArrayList<>();
        for (int rank = 0; rank < topology.rankCount(); rank++) {
            int source = rank;
            int node = topology.nodeOf(rank);
            if (node == 0) {
                sources.add(new Source(Role.LOCAL_RANK, rank, 0, rank, other));
            } else if (Arrays.stream(members).anyMatch(target -> routes.firstHop(source, target) == 0)) {
                sources.add(new Source(Role.REMOTE_RANK, rank, node, rank, other));
            }
        }
        for (int node = 1; node < topology.nodeCount() && routes.cooperates(); node++) {
            int source = node;
            boolean isMember = groups.groupOf(node) == group;
            boolean isFromOutside = options.scope() == CooperationScope.NODE && !isMember
                && Arrays.stream(members).anyMatch(target -> routes.nextHop(source, target) == 0);
            if (isMember || isFromOutside) {
                sources.add(new Source(Role.CHANNEL, node, node, topology.firstRank(node), isMember ? own : other));
            }
        }
        return sources;
    }
}

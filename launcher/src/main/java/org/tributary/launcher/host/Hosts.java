package org.tributary.launcher.host;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.tributary.config.ConfigException;
import org.tributary.config.Topology;

/** The hosts that a batch system has named, and the layout of a job on those that are there. Stateless. */
public final class Hosts {
    private Hosts() {
    }

    /** Hosts of the Slurm allocation that this process runs in; empty outside of one. */
    public static Optional<List<Host>> ofSlurm(Map<String, String> environment) {
        String nodes = environment.get("SLURM_JOB_NODELIST");
        if (environment.get("SLURM_JOB_ID") == null || nodes == null) {
            return Optional.empty();
        }
        List<String> names = Scontrol.ofThePath().hostNames(nodes);
        int[] tasks = tasks(environment.getOrDefault("SLURM_TASKS_PER_NODE", ""), names.size());
        return Optional.of(IntStream.range(0, names.size()).mapToObj(i -> new Host(names.get(i), tasks[i])).toList());
    }

    /** Whether srun reaches them: the Slurm allocation that this process runs in has all of them. */
    public static boolean areOfSlurm(List<Host> hosts, Map<String, String> environment) {
        try {
            return ofSlurm(environment).map(nodes -> nodes.stream().map(Host::name)
                .collect(Collectors.toSet()).containsAll(hosts.stream().map(Host::name).toList())).orElse(false);
        } catch (ConfigException e) {
            return false; // its nodes are not known, and others are named
        }
    }

    /** {@code 4(x2),1} is 4, 4 and 1. */
    private static int[] tasks(String text, int nodes) {
        List<Integer> tasks = new ArrayList<>();
        for (String item : text.isBlank() ? new String[0] : text.split(",")) {
            String[] parts = item.replace(")", "").split("\\(x");
            int times = parts.length == 1 ? 1 : HostList.number(parts[1], "SLURM_TASKS_PER_NODE");
            for (int i = 0; i < times && tasks.size() < nodes; i++) {
                tasks.add(HostList.number(parts[0], "SLURM_TASKS_PER_NODE"));
            }
        }
        return IntStream.range(0, nodes).map(i -> i < tasks.size() ? tasks.get(i) : 0).toArray();
    }

    /** Hosts of the PBS allocation that this process runs in, whose file has a line a rank; empty outside of one. */
    public static Optional<List<Host>> ofPbs(Map<String, String> environment) {
        return Optional.ofNullable(environment.get("PBS_NODEFILE")).map(file -> HostList.file(Path.of(file))
            .orThrow().stream().map(host -> new Host(host.name(), Math.max(1, host.slots()))).toList());
    }

    /**
     * A layout of a job on hosts, and the reasons why it does not fit them; then it is one by which each host can be
     * asked for problems of its own, before all of them are told at once.
     */
    public record Fitted(Topology topology, List<String> problems) {
        public Fitted {
            problems = List.copyOf(problems);
        }
    }

    /**
     * The layout of a job on hosts.
     *
     * @param nodes        how many of the hosts to use, null for all
     * @param ranksPerNode how many ranks each has, null for as many as it may have
     * @param source       of the hosts
     */
    public static Fitted layout(List<Host> hosts, Integer nodes, Integer ranksPerNode, HostSource source) {
        int count = nodes == null ? hosts.size() : nodes;
        if (count < 1) {
            throw new ConfigException("a job needs at least one node, not " + count);
        }
        Topology there = Topology.of(hosts.stream().limit(count)
            .mapToInt(host -> ranksPerNode != null ? ranksPerNode : Math.max(1, host.slots())).toArray());
        Fitted fitted = fit(there, hosts, source);
        return count <= hosts.size() ? fitted : tooMany("--nodes " + nodes, count, hosts, fitted, source);
    }

    /** The same with a layout that the user has given. */
    public static Fitted fit(Topology topology, List<Host> hosts, HostSource source) {
        int count = topology.nodeCount();
        int some = Math.min(count, hosts.size());
        Topology there = some == count ? topology
            : Topology.of(IntStream.range(0, some).map(topology::rankCount).toArray());
        Fitted fitted = new Fitted(there, IntStream.range(0, some)
            .filter(node -> hosts.get(node).slots() > 0 && topology.rankCount(node) > hosts.get(node).slots())
            .mapToObj(node -> tooFew(hosts.get(node), topology, topology.rankCount(node), source)).toList());
        return some == count ? fitted
            : tooMany(topology.shortened() + " has " + count + " nodes", count, hosts, fitted, source);
    }

    /** The hosts that are there may also be too small. */
    private static Fitted tooMany(String wanted, int count, List<Host> hosts, Fitted there, HostSource source) {
        String problem = wanted + ", and there " + (hosts.size() == 1 ? "is 1 host" : "are " + hosts.size() + " hosts")
            + "; " + source.moreHosts(count - hosts.size());
        return new Fitted(there.topology(), Stream.concat(Stream.of(problem), there.problems().stream()).toList());
    }

    private static String tooFew(Host host, Topology topology, int wanted, HostSource source) {
        return "host " + host.name() + " may have " + host.slots() + (host.slots() == 1 ? " rank" : " ranks")
            + ", and " + topology.shortened() + " wants " + wanted + "; allow more with "
            + source.remedy(host.name(), wanted);
    }
}

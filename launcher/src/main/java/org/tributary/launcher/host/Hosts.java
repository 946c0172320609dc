package org.tributary.launcher.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.tributary.config.ConfigException;
import org.tributary.config.Shortage;
import org.tributary.config.Topology;

/** The hosts that a user or a batch system has named, and the layout of a job on them. Stateless. */
public final class Hosts {
    /** For words of MPICH that mean something else than a host, its user and its ranks. */
    private static final Map<String, String> INSTEAD = Map.of("ifname", "; instead, --set server.interface=NAME is for"
        + " all hosts", "binding", "; instead, --bind core or --bind numa is for all hosts", "bindto", "; instead,"
        + " --bind core or --bind numa is for all hosts");

    private Hosts() {
    }

    /** {@code a:4,b:4}, {@code me@a,[fe80::1]:2}: names with or without numbers of ranks. */
    public static List<Host> parse(String text) {
        Map<String, Integer> slots = new LinkedHashMap<>();
        Set<String> problems = new LinkedHashSet<>();
        for (String item : text.split(",", -1)) {
            collect(problems, () -> {
                if (item.isBlank()) {
                    throw new ConfigException("--hosts: a name is missing in '" + text + "'");
                }
                Host host = host(item.strip(), "--hosts");
                if (slots.put(host.name(), host.slots()) != null) {
                    throw new ConfigException("--hosts: " + host.name() + " is named twice");
                }
            });
        }
        return hosts(slots, problems);
    }

    /**
     * A file with a host a line: Open MPI's ({@code name slots=4}, with its other words for that), MPICH's
     * ({@code name:4}), or names alone, as often as a host may have ranks; one that is there once, without a number,
     * says nothing about that. {@code user=me} is {@code me@name}. {@code #} begins a comment.
     */
    public static List<Host> file(Path file) {
        Map<String, Integer> slots = new LinkedHashMap<>();
        Set<String> problems = new LinkedHashSet<>();
        try {
            List<String> lines = Files.readAllLines(file);
            for (int i = 0; i < lines.size(); i++) {
                String line = lines.get(i).replaceFirst("#.*", "").strip();
                String where = file + ":" + (i + 1);
                if (!line.isEmpty()) {
                    collect(problems, () -> {
                        Host host = line(line, where);
                        slots.merge(host.name(), host.slots(), (some, more) -> Math.max(1, some) + Math.max(1, more));
                    });
                }
            }
        } catch (IOException e) {
            throw new ConfigException("cannot read the file of hosts " + file + ": " + Shortage.describe(e, file));
        }
        if (slots.isEmpty() && problems.isEmpty()) {
            throw new ConfigException("the file of hosts " + file + " names none");
        }
        return hosts(slots, problems);
    }

    /** What is wrong with one of many, which are told together. */
    private static void collect(Set<String> problems, Runnable reading) {
        try {
            reading.run();
        } catch (ConfigException e) {
            problems.addAll(e.problems());
        }
    }

    private static Host line(String line, String where) {
        String[] words = line.replaceAll("\\s*=\\s*", "=").split("\\s+");
        Host host = host(words[0], where);
        int most = Integer.MAX_VALUE;
        for (int i = 1; i < words.length; i++) {
            String[] word = words[i].split("=", 2);
            String value = word.length == 2 ? word[1] : "";
            switch (word[0]) {
                case "slots", "count", "cpu", "cpus" -> host = new Host(host.name(), number(value, where));
                case "max-slots", "max_slots", "slots-max", "slots_max", "maxprocs" -> most = number(value, where);
                case "user", "username", "user-name", "user_name" -> host =
                    new Host(name(value + "@" + withoutUser(host.name()), where), host.slots());
                default -> throw new ConfigException(where + ": '" + words[i] + "' is not known"
                    + INSTEAD.getOrDefault(word[0], "; a line is 'name slots=4' or 'name:4'"));
            }
        }
        if (host.slots() == 0 && most < Integer.MAX_VALUE) {
            return new Host(host.name(), 1); // more would have to be said
        }
        if (host.slots() > most) {
            throw new ConfigException(where + ": " + host.name() + " has " + host.slots() + " slots, and at most "
                + most);
        }
        return host;
    }

    private static Host host(String text, String where) {
        int colon = text.lastIndexOf(':');
        boolean hasSlots = colon > text.lastIndexOf(']') && (text.contains("]") || text.indexOf(':') == colon);
        String name = hasSlots ? text.substring(0, colon) : text;
        return new Host(name(name.replaceAll("[\\[\\]]", ""), where),
            hasSlots ? number(text.substring(colon + 1), where) : 0);
    }

    private static String name(String name, String where) {
        if (!name.matches("[A-Za-z0-9_.@:%-]+") || name.startsWith("-") || name.startsWith("@")) {
            throw new ConfigException(where + ": '" + name + "' is no name of a host");
        }
        return name;
    }

    private static int number(String digits, String where) {
        try {
            int number = Integer.parseInt(digits);
            if (number > 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new ConfigException(where + ": '" + digits + "' is no number of ranks");
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
            int times = parts.length == 1 ? 1 : number(parts[1], "SLURM_TASKS_PER_NODE");
            for (int i = 0; i < times && tasks.size() < nodes; i++) {
                tasks.add(number(parts[0], "SLURM_TASKS_PER_NODE"));
            }
        }
        return IntStream.range(0, nodes).map(i -> i < tasks.size() ? tasks.get(i) : 0).toArray();
    }

    /** Hosts of the PBS allocation that this process runs in, whose file has a line a rank; empty outside of one. */
    public static Optional<List<Host>> ofPbs(Map<String, String> environment) {
        return Optional.ofNullable(environment.get("PBS_NODEFILE")).map(file -> file(Path.of(file)).stream()
            .map(host -> new Host(host.name(), Math.max(1, host.slots()))).toList());
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
        return count > hosts.size() ? tooMany(hosts, "--nodes " + nodes)
            : fit(Topology.of(hosts.stream().limit(count)
                .mapToInt(host -> ranksPerNode != null ? ranksPerNode : Math.max(1, host.slots())).toArray()), hosts,
                source);
    }

    /** The same with a layout that the user has given. */
    public static Fitted fit(Topology topology, List<Host> hosts, HostSource source) {
        return topology.nodeCount() > hosts.size()
            ? tooMany(hosts, topology.shortened() + " has " + topology.nodeCount() + " nodes")
            : new Fitted(topology, IntStream.range(0, topology.nodeCount())
                .filter(node -> hosts.get(node).slots() > 0 && topology.rankCount(node) > hosts.get(node).slots())
                .mapToObj(node -> tooFew(hosts.get(node), topology, topology.rankCount(node), source)).toList());
    }

    private static Fitted tooMany(List<Host> hosts, String wanted) {
        return new Fitted(Topology.uniform(hosts.size(), 1), List.of(wanted + ", and there"
            + (hosts.size() == 1 ? " is 1 host" : " are " + hosts.size() + " hosts")));
    }

    private static String tooFew(Host host, Topology topology, int wanted, HostSource source) {
        return "host " + host.name() + " may have " + host.slots() + (host.slots() == 1 ? " rank" : " ranks")
            + ", and " + topology.shortened() + " wants " + wanted + "; allow more with "
            + source.remedy(host.name(), wanted);
    }

    /** {@code me@a} without {@code me@}. */
    static String withoutUser(String name) {
        return name.substring(name.indexOf('@') + 1);
    }

    private static List<Host> hosts(Map<String, Integer> slots, Set<String> problems) {
        if (!problems.isEmpty()) {
            throw new ConfigException(List.copyOf(problems));
        }
        return slots.entrySet().stream().map(entry -> new Host(entry.getKey(), entry.getValue())).toList();
    }
}

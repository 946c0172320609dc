package org.tributary.launcher.bind;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The processors that a process may use, by core and NUMA node, as Linux tells them in {@code /sys/devices/system}.
 *
 * @param cores in the order of their NUMA nodes
 * @param load  processes that ran or wanted to, on average over the last minute
 */
record Processors(List<Core> cores, double load) {
    private static final String ALLOWED = "Cpus_allowed_list:";

    /** Hardware threads that share a core; {@code numaNode} is 0 on machines that have one. */
    record Core(BitSet threads, int numaNode) {
    }

    /** Of this process; {@code root} is {@code /} but for tests. */
    static Processors read(Path root) throws IOException {
        BitSet allowed = Files.readAllLines(root.resolve("proc/self/status")).stream()
            .filter(line -> line.startsWith(ALLOWED)).findFirst()
            .map(line -> parse(line.substring(ALLOWED.length()))).orElseThrow(() -> new IOException("no " + ALLOWED));
        Path system = root.resolve("sys/devices/system");
        Map<Integer, BitSet> numaNodes = numaNodes(system.resolve("node"));
        Map<BitSet, Core> cores = new LinkedHashMap<>();
        for (int cpu = allowed.nextSetBit(0); cpu >= 0; cpu = allowed.nextSetBit(cpu + 1)) {
            BitSet threads = siblings(system.resolve("cpu/cpu" + cpu + "/topology"), cpu);
            threads.and(allowed);
            int number = cpu;
            int numaNode = numaNodes.entrySet().stream().filter(node -> node.getValue().get(number))
                .map(Map.Entry::getKey).findFirst().orElse(0);
            cores.putIfAbsent(threads, new Core(threads, numaNode));
        }
        double load = Double.parseDouble(Files.readString(root.resolve("proc/loadavg")).split(" ")[0]);
        List<Core> sorted = new ArrayList<>(cores.values());
        sorted.sort((a, b) -> Integer.compare(a.numaNode, b.numaNode)); // stable
        return new Processors(sorted, load);
    }

    private static BitSet siblings(Path topology, int cpu) throws IOException {
        Path list = topology.resolve("thread_siblings_list");
        if (Files.exists(list)) {
            return parse(Files.readString(list));
        }
        BitSet alone = new BitSet(); // a virtual machine may tell nothing
        alone.set(cpu);
        return alone;
    }

    private static Map<Integer, BitSet> numaNodes(Path nodes) throws IOException {
        Map<Integer, BitSet> found = new LinkedHashMap<>();
        if (Files.isDirectory(nodes)) {
            try (var entries = Files.newDirectoryStream(nodes, "node[0-9]*")) {
                for (Path node : entries) {
                    found.put(Integer.valueOf(node.getFileName().toString().substring("node".length())),
                        parse(Files.readString(node.resolve("cpulist"))));
                }
            }
        }
        return found;
    }

    int numaNodeCount() {
        return (int) cores.stream().mapToInt(Core::numaNode).distinct().count();
    }

    /** {@code 0-3,8}, as in cpuset(7). */
    static BitSet parse(String list) {
        BitSet cpus = new BitSet();
        for (String item : list.strip().split(",")) {
            if (!item.isEmpty()) {
                String[] ends = item.split("-");
                cpus.set(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]) + 1);
            }
        }
        return cpus;
    }

    /** The inverse of {@link #parse}. */
    static String format(BitSet cpus) {
        StringBuilder list = new StringBuilder();
        for (int first = cpus.nextSetBit(0); first >= 0;) {
            int end = cpus.nextClearBit(first);
            list.append(list.isEmpty() ? "" : ",").append(first).append(end - first == 1 ? "" : "-" + (end - 1));
            first = cpus.nextSetBit(end);
        }
        return list.toString();
    }
}

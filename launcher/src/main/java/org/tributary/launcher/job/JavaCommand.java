package org.tributary.launcher.job;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.tributary.config.JvmOptions;
import org.tributary.config.Topology;

/**
 * Command lines that start servers, launchers and Java ranks with the JDK of the launcher itself. In the distribution a
 * server or launcher is its jar, whose manifest has the options that others need on the command
 * line, and starts from a cache of loaded and linked classes (JEP 483, 515) if there is one that fits.
 */
public final class JavaCommand {
    private static final String MAIN = "org.tributary.launcher.Main";
    /** The JDK whose options this class knows. */
    private static final int JDK = 25;
    private static final String HEAP_OPTION = "-Xmx";
    private static final long SMALLEST_HEAP_MIB = 128;
    /** Without connections. */
    private static final long HEAP_MIB = 64;
    /** Several times what one takes, so that the heap is collected rarely. */
    private static final long HEAP_KIB_PER_CONNECTION = 32;

    /** Arguments that make this program a server of a launcher, or of libarmci. */
    public static final List<String> SUPERVISED_SERVER = List.of("server", "--supervised");
    /** Arguments that make this program an agent of a launcher. */
    public static final List<String> AGENT = List.of("agent");
    /** Caches of loaded and linked classes, in the distribution's folder. */
    public static final String SERVER_CACHE = "server.aot";
    public static final String LAUNCHER_CACHE = "launcher.aot";
    public static final String AGENT_CACHE = "agent.aot";
    public static final String RANK_CACHE = "rank.aot";

    /** C code of libraries, beside their jars. */
    private static final String NATIVE = "native";

    private JavaCommand() {
    }

    /** A server of such a job, supervised by this launcher; everything else it learns from its environment. */
    public static List<String> server(Topology topology) {
        List<String> command = java();
        command.addAll(lines("server-jvm-options"));
        command.add(HEAP_OPTION + serverHeapMiB(topology) + "m"); // the last one counts
        if (Libraries.launcher() != null) {
            command.add("-Djava.library.path=" + Libraries.launcher().resolveSibling(NATIVE));
        }
        command.addAll(program(SERVER_CACHE));
        command.addAll(SUPERVISED_SERVER);
        return command;
    }

    /** A server of one node of a job, as {@link #server} has it, for the nodes from one up to another. */
    static List<String> ofNodes(List<String> server, Topology topology, int first, int end) {
        List<String> command = new ArrayList<>(server);
        if (end - first > 1) {
            for (int word = command.size() - 1; word > 0; word--) {
                if (command.get(word).startsWith(HEAP_OPTION)) {
                    command.set(word, HEAP_OPTION + serverHeapMiB(topology, first, end) + "m");
                    break;
                }
            }
            command.add(Integer.toString(end - first)); // behind SUPERVISED_SERVER
        }
        return command;
    }

    /** Whether a command line is that of a supervised server. */
    public static boolean isSupervisedServer(List<String> words) {
        int own = SUPERVISED_SERVER.size();
        return words.size() >= own && words.size() <= own + 1 && words.subList(0, own).equals(SUPERVISED_SERVER);
    }

    /** How many nodes a supervised server of that command line serves. */
    public static int nodesOf(List<String> words) {
        return words.size() == SUPERVISED_SERVER.size() ? 1 : Integer.parseInt(words.getLast());
    }

    /** A launcher, or any other command; its arguments are to follow. */
    public static List<String> launcher() {
        return launcher(LAUNCHER_CACHE);
    }

    /** An agent of a launcher. It does what no launcher does, and starts sooner without what launchers do. */
    public static List<String> agent() {
        List<String> command = launcher(AGENT_CACHE);
        command.addAll(AGENT);
        return command;
    }

    private static List<String> launcher(String cache) {
        List<String> command = java();
        command.addAll(lines("launcher-jvm-options"));
        command.addAll(program(cache));
        return command;
    }

    private static List<String> program(String cache) {
        Path jar = Libraries.launcher();
        if (jar == null) {
            return join(JvmOptions.required(), List.of("-cp", Libraries.ALL.jars(), MAIN));
        }
        return join(from(jar, cache), List.of("-jar", jar.toString()));
    }

    private static List<String> from(Path jar, String cache) {
        Path file = jar.getParent().resolveSibling(cache);
        // Without it, or with another JDK, everything works: nobody needs to know.
        return Files.isReadable(file) ? List.of("-XX:AOTCache=" + file, "-Xlog:aot*=off") : List.of();
    }

    /**
     * How much a server's heap may grow to, in MiB: by the connections that it may have at a time, from every rank,
     * twice from those of its node, and from every other server. Data is not on the heap.
     */
    static long serverHeapMiB(Topology topology) {
        long mostRanksOfANode = 0;
        for (int node = 0; node < topology.nodeCount(); node++) {
            mostRanksOfANode = Math.max(mostRanksOfANode, topology.rankCount(node));
        }
        return heapMiB(topology.rankCount() + mostRanksOfANode + topology.nodeCount());
    }

    /** The same for one that serves all of these nodes. */
    static long serverHeapMiB(Topology topology, int first, int end) {
        long connections = 0;
        for (int node = first; node < end; node++) {
            connections += topology.rankCount() + topology.rankCount(node) + topology.nodeCount();
        }
        return heapMiB(connections);
    }

    private static long heapMiB(long connections) {
        return Math.max(SMALLEST_HEAP_MIB, HEAP_MIB + connections * HEAP_KIB_PER_CONNECTION / 1024);
    }

    /** A rank that runs {@code mainClass}; {@code userOptions} come last and so win. */
    public static List<String> rank(Libraries libraries, String mainClass, String userClassPath,
                                    List<String> userOptions) {
        List<String> command = java();
        command.addAll(rankOptions());
        if (userOptions.stream().anyMatch(option -> option.matches("-XX:\\+Use\\w+GC"))) {
            command.removeIf(option -> option.equals("-XX:+UseSerialGC"));
        }
        command.addAll(userOptions);
        String whole = userClassPath.isEmpty() ? libraries.jars() : libraries.jars() + ":" + userClassPath;
        command.addAll(List.of("-cp", whole, mainClass));
        return command;
    }

    /** JVM options that a rank cannot do without, and those that make many ranks start fast on one machine. */
    public static List<String> rankOptions() {
        Path jar = Libraries.launcher();
        List<String> own = Runtime.version().feature() == JDK ? lines("rank-jvm-options-25") : List.of();
        return join(join(JvmOptions.required(), join(lines("rank-jvm-options"), own)), jar == null ? List.of()
            : from(jar, RANK_CACHE));
    }

    public static List<String> serverOptions() {
        return join(JvmOptions.required(), lines("server-jvm-options"));
    }

    private static List<String> java() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        return command;
    }

    private static List<String> join(List<String> first, List<String> second) {
        List<String> both = new ArrayList<>(first);
        both.addAll(second);
        return both;
    }

    private static List<String> lines(String resource) {
        return JvmOptions.read(JavaCommand.class, resource);
    }
}

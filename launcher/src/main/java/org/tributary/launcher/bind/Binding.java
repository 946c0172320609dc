package org.tributary.launcher.bind;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.function.IntUnaryOperator;
import org.tributary.config.Shortage;

/**
 * On which processors each rank of a machine runs, and its servers, and how many event loops these have. Each loop has
 * a core that no rank has as long as there are cores to spare; otherwise it runs wherever there is room. Immutable.
 */
public final class Binding {
    private final List<BitSet> ranks;
    private final BitSet servers;
    private final int loops;
    private final boolean isComplete;
    private final String explanation;

    private Binding(List<BitSet> ranks, BitSet servers, int loops, boolean isComplete, String explanation) {
        this.ranks = ranks;
        this.servers = servers;
        this.loops = loops;
        this.isComplete = isComplete;
        this.explanation = loops == 1 ? explanation : explanation + ", each server has " + loops + " event loops";
    }

    /**
     * Of so many ranks and servers on this machine.
     *
     * @param loops how many event loops each server has where they and ranks have so many cores
     */
    public static Binding of(BindPolicy policy, int ranks, int servers, IntUnaryOperator loops) {
        try {
            return of(policy, ranks, servers, cores -> loops.applyAsInt(Math.min(cores, quota())),
                Processors.read(Path.of("/")));
        } catch (IOException | NumberFormatException e) {
            return none(loops.applyAsInt(quota()), policy == BindPolicy.NONE ? "as asked"
                : "the processors of this machine are not known: " + Shortage.describe(e));
        }
    }

    static Binding of(BindPolicy policy, int ranks, int servers, IntUnaryOperator loopsOn, Processors machine) {
        int cores = machine.cores().size();
        int loops = loopsOn.applyAsInt(cores);
        BindPolicy chosen = policy;
        if (policy == BindPolicy.NONE) {
            return none(loops, "as asked");
        }
        if (policy == BindPolicy.AUTO) {
            if (machine.numaNodeCount() < 2) {
                return none(loops, "the machine has one NUMA node");
            }
            if (ranks + servers > cores) {
                return none(loops, ranks + " ranks and " + servers + " servers have " + cores + " cores");
            }
            if (ranks + machine.load() > cores) {
                return none(loops, String.format(Locale.ROOT, "others use %.1f of %d cores", machine.load(), cores));
            }
            chosen = BindPolicy.NUMA;
        }
        if (ranks > cores) {
            return none(loops, ranks + " ranks have " + cores + " cores");
        }
        long allLoops = (long) servers * loops;
        boolean isComplete = cores - ranks >= allLoops;
        return chosen == BindPolicy.CORE ? cores(ranks, loops, isComplete, machine)
            : numaNodes(ranks, (int) Math.min(cores - ranks, allLoops), loops, isComplete, machine);
    }

    private static Binding none(int loops, String why) {
        return new Binding(List.of(), new BitSet(), loops, false, "ranks are not bound: " + why);
    }

    /** Cores that this process may use, as far as that is known. */
    public static int coresHere() {
        try {
            return Math.min(Processors.read(Path.of("/")).cores().size(), quota());
        } catch (IOException | NumberFormatException e) {
            return quota();
        }
    }

    /** A container may have fewer than its processes may use one after another. */
    private static int quota() {
        return Runtime.getRuntime().availableProcessors();
    }

    /** The last cores are left to servers. */
    private static Binding cores(int ranks, int loops, boolean isComplete, Processors machine) {
        List<BitSet> each = machine.cores().stream().limit(ranks).map(Processors.Core::threads).toList();
        BitSet rest = new BitSet();
        machine.cores().stream().skip(ranks).forEach(core -> rest.or(core.threads()));
        return new Binding(each, rest, loops, isComplete, "each rank is bound to a core" + servers(rest, isComplete));
    }

    /** Ranks next to each other share a NUMA node; the last cores of all are the servers'. */
    private static Binding numaNodes(int ranks, int forServers, int loops, boolean isComplete, Processors machine) {
        List<Processors.Core> cores = machine.cores();
        int forRanks = cores.size() - forServers;
        BitSet rest = new BitSet();
        cores.stream().skip(forRanks).forEach(core -> rest.or(core.threads()));
        List<BitSet> each = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            int numaNode = cores.get((int) ((long) rank * forRanks / ranks)).numaNode();
            BitSet threads = new BitSet();
            cores.stream().limit(forRanks).filter(core -> core.numaNode() == numaNode)
                .forEach(core -> threads.or(core.threads()));
            each.add(threads);
        }
        return new Binding(each, rest, loops, isComplete,
            "each rank is bound to a NUMA node" + servers(rest, isComplete));
    }

    private static String servers(BitSet rest, boolean isComplete) {
        return rest.isEmpty() ? "; no core is left for servers alone" : ", servers to processors "
            + Processors.format(rest) + (isComplete ? "" : ", which are too few for a core for each event loop");
    }

    /** Whether it leaves out what a user has asked for, to bind ranks and to keep a core for each event loop. */
    public boolean isLessThan(BindPolicy asked) {
        return !isComplete && (asked == BindPolicy.CORE || asked == BindPolicy.NUMA);
    }

    /** One clause that tells what is bound to what, and why. */
    public String explanation() {
        return explanation;
    }

    /** Of the rank with that index on this machine; empty for all processors. */
    public BitSet rank(int index) {
        return ranks.isEmpty() ? new BitSet() : ranks.get(index);
    }

    /** How many event loops each server has. */
    public int loops() {
        return loops;
    }

    /** Of all servers on this machine together; empty for all processors. */
    public BitSet servers() {
        return servers;
    }
}

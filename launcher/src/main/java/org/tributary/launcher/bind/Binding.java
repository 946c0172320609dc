package org.tributary.launcher.bind;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import org.tributary.config.Shortage;

/**
 * On which processors each rank of a machine runs, and its servers. A server has a core that no rank has as long as
 * there is one to spare; otherwise it runs wherever there is room. Immutable.
 */
public final class Binding {
    private final List<BitSet> ranks;
    private final BitSet servers;
    private final String explanation;

    private Binding(List<BitSet> ranks, BitSet servers, String explanation) {
        this.ranks = ranks;
        this.servers = servers;
        this.explanation = explanation;
    }

    /** Of so many ranks and servers on this machine. */
    public static Binding of(BindPolicy policy, int ranks, int servers) {
        if (policy == BindPolicy.NONE) {
            return none("as asked");
        }
        try {
            return of(policy, ranks, servers, Processors.read(Path.of("/")));
        } catch (IOException | NumberFormatException e) {
            return none("the processors of this machine are not known: " + Shortage.describe(e));
        }
    }

    static Binding of(BindPolicy policy, int ranks, int servers, Processors machine) {
        int cores = machine.cores().size();
        BindPolicy chosen = policy;
        if (policy == BindPolicy.AUTO) {
            if (machine.numaNodeCount() < 2) {
                return none("the machine has one NUMA node");
            }
            if (ranks + servers > cores) {
                return none(ranks + " ranks and " + servers + " servers have " + cores + " cores");
            }
            if (ranks + machine.load() > cores) {
                return none(String.format(Locale.ROOT, "others use %.1f of %d cores", machine.load(), cores));
            }
            chosen = BindPolicy.NUMA;
        }
        if (ranks > cores) {
            return none(ranks + " ranks have " + cores + " cores");
        }
        return chosen == BindPolicy.CORE ? cores(ranks, machine) : numaNodes(ranks, machine);
    }

    private static Binding none(String why) {
        return new Binding(List.of(), new BitSet(), "ranks are not bound: " + why);
    }

    /** The last cores are left to servers. */
    private static Binding cores(int ranks, Processors machine) {
        List<BitSet> each = machine.cores().stream().limit(ranks).map(Processors.Core::threads).toList();
        BitSet rest = new BitSet();
        machine.cores().stream().skip(ranks).forEach(core -> rest.or(core.threads()));
        return new Binding(each, rest, "each rank is bound to a core" + servers(rest));
    }

    /** Ranks next to each other share a NUMA node; the last core of all is the servers', if it can be spared. */
    private static Binding numaNodes(int ranks, Processors machine) {
        List<Processors.Core> cores = machine.cores();
        int forRanks = ranks < cores.size() ? cores.size() - 1 : cores.size();
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
        return new Binding(each, rest, "each rank is bound to a NUMA node" + servers(rest));
    }

    private static String servers(BitSet rest) {
        return rest.isEmpty() ? "; no core is left for servers alone" : ", servers to processors "
            + Processors.format(rest);
    }

    /** Whether it leaves out what a user has asked for, to bind ranks and to keep a core for servers. */
    public boolean isLessThan(BindPolicy asked) {
        return (ranks.isEmpty() || servers.isEmpty()) && (asked == BindPolicy.CORE || asked == BindPolicy.NUMA);
    }

    /** One clause that tells what is bound to what, and why. */
    public String explanation() {
        return explanation;
    }

    /** Of the rank with that index on this machine; empty for all processors. */
    public BitSet rank(int index) {
        return ranks.isEmpty() ? new BitSet() : ranks.get(index);
    }

    /** Of every server on this machine; empty for all processors. */
    public BitSet servers() {
        return servers;
    }
}

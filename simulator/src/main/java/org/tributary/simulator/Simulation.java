package org.tributary.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;
import org.agrona.collections.Int2ObjectHashMap;
import org.tributary.config.CooperationMode;
import org.tributary.config.Topology;
import org.tributary.cooperation.CooperationOptions;
import org.tributary.cooperation.Routes;

/**
 * One run of a simulated job. Servers, connections and ranks that do nothing take no memory. Not thread-safe; the same
 * arguments give the same run.
 */
public final class Simulation {
    private static final long MAX_EVENTS = 2_000_000_000L;

    private final Conditions conditions;
    private final Events events = new Events();
    private final Program program;
    private final Int2ObjectHashMap<SimulatedServer> servers = new Int2ObjectHashMap<>();
    private final Int2ObjectHashMap<SimulatedRank> ranks = new Int2ObjectHashMap<>();
    private final List<Op> history;

    /**
     * A job whose servers have one event loop each.
     *
     * @param keepsHistory whether {@link #history} is to be kept
     */
    public Simulation(Topology topology, CooperationOptions options, Costs costs, Faults faults, Program program,
        long seed, boolean keepsHistory) {
        this(topology, options, 1, costs, faults, program, seed, keepsHistory);
    }

    /** A job whose servers have so many event loops; one where nodes cooperate, as in a real job. */
    public Simulation(Topology topology, CooperationOptions options, int loops, Costs costs, Faults faults,
        Program program, long seed, boolean keepsHistory) {
        if (loops < 1 || loops > 1 && options.mode() != CooperationMode.NONE) {
            throw new IllegalArgumentException(loops + " event loops with cooperation " + options.mode());
        }
        this.program = program;
        conditions = new Conditions(topology, options, loops, new Routes(options, topology), costs, faults, events,
            new SplittableRandom(seed));
        history = keepsHistory ? new ArrayList<>() : null;
    }

    /** Runs the program on the ranks that take part, until nothing happens any more. */
    public Simulation run(IntPredicate takesPart) {
        for (int rank = 0; rank < conditions.topology().rankCount(); rank++) {
            if (takesPart.test(rank)) {
                SimulatedRank added = new SimulatedRank(conditions, rank, program, this::record, this::server);
                ranks.put(rank, added);
                events.at(0, added::step);
            }
        }
        if (conditions.losesServer()) {
            events.at(conditions.faults().lostAtNs(), () -> lose(conditions.faults().lostNode()));
        }
        events.run(MAX_EVENTS);
        return this;
    }

    private void lose(int node) {
        Topology topology = conditions.topology();
        server(node).die();
        for (int i = 0; i < topology.rankCount(node); i++) {
            SimulatedRank rank = ranks.get(topology.rankAt(node, i));
            if (rank != null) {
                rank.die();
            }
        }
    }

    /** All operations that were begun, in the order of beginning. */
    public List<Op> history() {
        return history;
    }

    public long word(int node, long word) {
        return server(node).memory.word(word);
    }

    /** The time of the last event. */
    public long endNs() {
        return events.nowNs();
    }

    public long eventCount() {
        return events.executed();
    }

    /** Requests that became one with another. */
    public long combined() {
        return servers.values().stream().mapToLong(server -> server.forwarder.combined()).sum();
    }

    /** How many servers something was sent to. */
    public int serverCount() {
        return servers.size();
    }

    /** Throws when requests still wait somewhere. */
    void checkNothingWaits() {
        servers.values().forEach(server -> {
            if (server.waiting() > 0) {
                throw new AssertionError(server.waiting() + " requests wait for ever at node " + server.node);
            }
        });
    }

    private void record(Op op) {
        if (history != null) {
            history.add(op);
        }
    }

    private SimulatedServer server(int node) {
        SimulatedServer server = servers.get(node);
        if (server == null) {
            server = new SimulatedServer(conditions, node, this::server);
            servers.put(node, server);
        }
        return server;
    }
}

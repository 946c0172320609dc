package org.tributary.benchmarks.cooperation;

import java.util.SplittableRandom;
import org.tributary.config.Topology;
import org.tributary.simulator.Costs;
import org.tributary.simulator.Faults;
import org.tributary.simulator.Op;
import org.tributary.simulator.Program;
import org.tributary.simulator.RankSteps;
import org.tributary.simulator.Simulation;

/**
 * Figure 10 of the paper, an iteration of a self-consistent field as NWChem does it: ranks draw tasks from one shared
 * counter (nxtval); for each they get blocks of the density matrix, compute, and accumulate to blocks of the Fock
 * matrix, which lie anywhere.
 */
final class FockBuild implements Program {
    private static final int TASKS_PER_RANK = 6;
    private static final int BLOCKS = 2;
    private static final int BLOCK_BYTES = 512;
    private static final long COUNTER = 0;
    private static final long MATRIX = 1;

    private final Topology topology;
    private final long meanTaskNs;
    private final long tasks;
    private final Op[] drawn;
    private final boolean[] hasBlocks;
    private final SplittableRandom[] randoms;

    private FockBuild(Topology topology, long meanTaskNs) {
        this.topology = topology;
        this.meanTaskNs = meanTaskNs;
        tasks = (long) TASKS_PER_RANK * topology.rankCount();
        drawn = new Op[topology.rankCount()];
        hasBlocks = new boolean[topology.rankCount()];
        randoms = new SplittableRandom[topology.rankCount()];
    }

    /** How long it takes, from its first task to when the last rank has finished. */
    static long run(Topology topology, Variant variant, Costs costs, long meanTaskNs) {
        return new Simulation(topology, variant.options(topology), costs, Faults.NONE,
            new FockBuild(topology, meanTaskNs), 1, false).run(rank -> true).endNs();
    }

    @Override
    public void step(RankSteps rank) {
        int number = rank.rank();
        Op draw = drawn[number];
        if (draw == null) {
            randoms[number] = randoms[number] == null ? new SplittableRandom(number) : randoms[number];
            drawn[number] = rank.begin(Op.Kind.FETCH_AND_ADD, 0, COUNTER, 1, Long.BYTES);
            rank.await(drawn[number]);
            return;
        }
        if (draw.value() >= tasks) {
            return;
        }
        SplittableRandom random = randoms[number];
        if (!hasBlocks[number]) {
            hasBlocks[number] = true;
            for (int i = 0; i < BLOCKS; i++) {
                rank.begin(Op.Kind.GET, random.nextInt(topology.nodeCount()), MATRIX, 0, BLOCK_BYTES);
            }
            rank.awaitAll();
            return;
        }
        rank.compute(meanTaskNs / 2 + random.nextLong(meanTaskNs));
        for (int i = 0; i < BLOCKS; i++) {
            rank.begin(Op.Kind.ACCUMULATE, random.nextInt(topology.nodeCount()), MATRIX, 1, BLOCK_BYTES);
        }
        rank.awaitAll();
        hasBlocks[number] = false;
        drawn[number] = null;
    }
}

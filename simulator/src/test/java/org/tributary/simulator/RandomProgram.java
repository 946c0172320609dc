package org.tributary.simulator;

import java.util.SplittableRandom;
import org.agrona.collections.Int2IntHashMap;
import org.agrona.collections.Int2ObjectHashMap;
import org.tributary.config.Topology;
import org.tributary.simulator.Op.Kind;

/** Ranks that do anything, several operations at a time, to few words of few nodes. */
final class RandomProgram implements Program {
    static final int ATOMIC_WORDS = 0;
    static final int SUM_WORDS = 10;
    static final int OWN_WORDS = 100;
    static final int MUTEX = 50;
    private static final int WORDS = 2;

    private final Topology topology;
    private final int steps;
    private final boolean locks;
    private final long seed;
    private final Int2ObjectHashMap<SplittableRandom> randoms = new Int2ObjectHashMap<>();
    /** Accumulates so far to each node and word: each adds a bit of its own, so that a sum tells what is in it. */
    private final Int2IntHashMap added = new Int2IntHashMap(0);
    private final Int2ObjectHashMap<Op> held = new Int2ObjectHashMap<>();

    RandomProgram(Topology topology, int steps, boolean locks, long seed) {
        this.topology = topology;
        this.steps = steps;
        this.locks = locks;
        this.seed = seed;
    }

    @Override
    public void step(RankSteps rank) {
        int number = rank.rank();
        SplittableRandom random = randoms.computeIfAbsent(number, r -> new SplittableRandom(seed * 1_000_003 + r));
        Op lock = held.remove(number);
        if (lock != null && lock.failedAt < 0) {
            rank.begin(Kind.UNLOCK, lock.targetNode, MUTEX, 0, 0);
            return;
        }
        if (rank.stepsMade() >= steps) {
            if (rank.stepsMade() == steps) {
                rank.awaitAll();
            }
            return;
        }
        int target = random.nextInt(3) == 0 ? random.nextInt(topology.nodeCount()) : 0;
        Op last = null;
        for (int i = random.nextInt(3); i >= 0; i--) {
            last = operation(rank, random, target);
        }
        switch (random.nextInt(6)) {
            case 0, 1 -> rank.await(last);
            case 2 -> rank.awaitAll();
            case 3 -> rank.compute(random.nextInt(30_000));
            default -> { }
        }
        if (locks && random.nextInt(8) == 0) {
            rank.await(held.computeIfAbsent(number, r -> rank.begin(Kind.LOCK, target, MUTEX, 0, 0)));
        }
    }

    private Op operation(RankSteps rank, SplittableRandom random, int target) {
        long operand = 1 + random.nextInt(1000);
        long word = random.nextInt(WORDS);
        return switch (random.nextInt(9)) {
            case 0, 1, 2 -> rank.begin(Kind.FETCH_AND_ADD, target, ATOMIC_WORDS + word, operand, 8);
            case 3 -> rank.begin(Kind.SWAP, target, ATOMIC_WORDS + word, operand, 8);
            case 4 -> rank.begin(Kind.GET, target, ATOMIC_WORDS + word, 0, 8);
            case 5, 6 -> sum(rank, random, target, (int) word);
            case 7 -> rank.begin(Kind.PUT, target, OWN_WORDS + rank.rank(), operand, random.nextInt(20_000));
            default -> rank.begin(Kind.GET, target, OWN_WORDS + rank.rank(), 0, random.nextInt(20_000));
        };
    }

    private Op sum(RankSteps rank, SplittableRandom random, int target, int word) {
        int bit = added.get(WORDS * target + word);
        if (bit == Long.SIZE - 1 || random.nextInt(4) == 0) {
            return rank.begin(Kind.GET, target, SUM_WORDS + word, 0, 8);
        }
        added.put(WORDS * target + word, bit + 1);
        return rank.begin(Kind.ACCUMULATE, target, SUM_WORDS + word, 1L << bit, 8);
    }
}

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
    /** Changed under the mutex only, by ranks that hold it for a time and by operations that take it for themselves. */
    static final int GUARDED = 50;
    static final long MUTEX = Op.LOCKED_BY;
    private static final int LONGEST_LOCKED = 16 * 1024;
    private static final int WORDS = 2;

    private final Topology topology;
    private final int steps;
    private final boolean locks;
    private final long seed;
    private final Int2ObjectHashMap<SplittableRandom> randoms = new Int2ObjectHashMap<>();
    /** Accumulates so far to each node and word: each adds a bit of its own, so that a sum tells what is in it. */
    private final Int2IntHashMap added = new Int2IntHashMap(0);
    private final Int2ObjectHashMap<Op> held = new Int2ObjectHashMap<>();
    /** What a rank has read of the guarded word since it holds the mutex. */
    private final Int2ObjectHashMap<Op> read = new Int2ObjectHashMap<>();

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
        Op lock = held.get(number);
        if (lock != null) {
            workUnder(rank, lock);
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
        if (random.nextInt(8) == 0) {
            // What may wait has no order with what the rank does next: as a real one does, it waits for that.
            rank.await(rank.begin(Kind.LOCKED_PUT, target, OWN_WORDS + number, 1 + random.nextInt(1000),
                random.nextInt(LONGEST_LOCKED)));
        } else if (locks && random.nextInt(8) == 0) {
            rank.await(held.computeIfAbsent(number, r -> rank.begin(Kind.LOCK, target, MUTEX, 0, 0)));
        }
    }

    /** Adds a bit of its own to the guarded word by reading and writing it; both in one only by the mutex. */
    private void workUnder(RankSteps rank, Op lock) {
        int bit = added.get(guarded(lock.targetNode));
        Op before = read.remove(rank.rank());
        if (before == null && bit < Long.SIZE - 1) {
            added.put(guarded(lock.targetNode), bit + 1);
            Op get = rank.begin(Kind.GET, lock.targetNode, GUARDED, 1L << bit, 8);
            read.put(rank.rank(), get);
            rank.await(get);
            return;
        }
        held.remove(rank.rank());
        if (before != null) {
            rank.begin(Kind.PUT, lock.targetNode, GUARDED, before.value | before.operand, 8);
        }
        rank.begin(Kind.UNLOCK, lock.targetNode, MUTEX, 0, 0);
    }

    private static int guarded(int node) {
        return -1 - node;
    }

    private Op locked(RankSteps rank, SplittableRandom random, int target) {
        int bit = added.get(guarded(target));
        if (bit == Long.SIZE - 1 || random.nextBoolean()) {
            return rank.begin(Kind.LOCKED_GET, target, GUARDED, 0, random.nextInt(LONGEST_LOCKED));
        }
        added.put(guarded(target), bit + 1);
        return rank.begin(Kind.LOCKED_ACCUMULATE, target, GUARDED, 1L << bit, random.nextInt(LONGEST_LOCKED));
    }

    private Op operation(RankSteps rank, SplittableRandom random, int target) {
        long operand = 1 + random.nextInt(1000);
        long word = random.nextInt(WORDS);
        return switch (random.nextInt(11)) {
            case 0, 1, 2 -> rank.begin(Kind.FETCH_AND_ADD, target, ATOMIC_WORDS + word, operand, 8);
            case 3 -> rank.begin(Kind.SWAP, target, ATOMIC_WORDS + word, operand, 8);
            case 4 -> rank.begin(Kind.GET, target, ATOMIC_WORDS + word, 0, 8);
            case 5, 6 -> sum(rank, random, target, (int) word);
            case 7, 8 -> locked(rank, random, target);
            case 9 -> rank.begin(Kind.PUT, target, OWN_WORDS + rank.rank(), operand, random.nextInt(20_000));
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

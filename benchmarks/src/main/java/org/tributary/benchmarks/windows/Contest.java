package org.tributary.benchmarks.windows;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.tributary.benchmarks.measure.Repeatable;
import org.tributary.benchmarks.measure.Settling;
import org.tributary.client.Gas;
import org.tributary.client.Group;
import org.tributary.client.remote.Traffic;
import org.tributary.wire.shape.ReduceOp;

/**
 * Measures several contestants in turn, a block of iterations each, round after round, so that whatever disturbs the
 * machine disturbs all alike. The group's first member says before each round whether there is another, and so all
 * members go through the same iterations.
 *
 * <p>Each block begins with a barrier and an iteration that does not count; then the first member's clock runs until
 * its last iteration has ended. A time is the mean of a block.
 */
final class Contest {
    private static final int MOST_ROUNDS = 2_000;
    private static final int FEWEST_IN_BLOCK = 5;
    private static final int MOST_IN_BLOCK = 1 << 16;
    /** Long beside the clock's resolution, short beside a time slice. */
    private static final long BLOCK_NS = 200_000;

    private final Gas gas;
    private final Group group;
    private final Effort effort;
    private final Repeatable[] contestants;
    private final long[][] blocksNs;
    private final long[] requests;
    private final long[] answers;
    private final boolean first;
    private int perBlock = 1;

    private Contest(Gas gas, Group group, Effort effort, List<Repeatable> contestants) {
        this.gas = gas;
        this.group = group;
        this.effort = effort;
        this.contestants = contestants.toArray(Repeatable[]::new);
        blocksNs = new long[this.contestants.length][MOST_ROUNDS];
        requests = new long[this.contestants.length];
        answers = new long[this.contestants.length];
        first = group.rank() == 0;
    }

    /**
     * Collective over the group, with as many contestants on each member.
     *
     * @return outcomes in the order of the contestants; none on members other than the group's first
     */
    static List<Outcome> run(Gas gas, Group group, Effort effort, List<Repeatable> contestants) throws IOException {
        Contest contest = new Contest(gas, group, effort, contestants);
        contest.warmUp();
        return contest.outcomes(contest.measure());
    }

    /** Until no contestant becomes faster. Doubles the length of blocks until the fastest contestant's is enough. */
    private void warmUp() throws IOException {
        Settling settling = new Settling(contestants.length, effort.warmUpNs());
        long start = System.nanoTime();
        long[] state = {1, perBlock};
        while (agree(state)) {
            perBlock = (int) state[1];
            long fastestNs = Long.MAX_VALUE;
            for (int i = 0; i < contestants.length; i++) {
                long ns = block(i);
                settling.add(i, (double) ns / perBlock);
                fastestNs = Math.min(fastestNs, ns);
            }
            boolean enough = settling.isEnough(System.nanoTime() - start);
            state[0] = enough ? 0 : 1;
            state[1] = nextBlock(perBlock, fastestNs, enough);
        }
        perBlock = (int) state[1];
        Arrays.fill(requests, 0);
        Arrays.fill(answers, 0);
    }

    /** Between rounds of warm-up at most twice as many; in the end as many as a block shall have. */
    static int nextBlock(int before, long fastestNs, boolean last) {
        long fitting = Math.clamp(BLOCK_NS * before / Math.max(fastestNs, 1), FEWEST_IN_BLOCK, MOST_IN_BLOCK);
        return (int) (last ? fitting : Math.min(2L * before, fitting));
    }

    private int measure() throws IOException {
        long start = System.nanoTime();
        long[] state = {1};
        int rounds = 0;
        while (agree(state)) {
            for (int i = 0; i < contestants.length; i++) {
                int contestant = (i + rounds) % contestants.length; // nobody comes always after the same one
                blocksNs[contestant][rounds] = block(contestant);
            }
            rounds++;
            boolean enough = rounds >= MOST_ROUNDS
                || rounds >= effort.fewestRounds() && System.nanoTime() - start >= effort.timedNs();
            state[0] = enough ? 0 : 1;
        }
        return rounds;
    }

    private boolean agree(long[] state) {
        group.broadcast(0, state);
        return state[0] != 0;
    }

    private long block(int contestant) throws IOException {
        Repeatable body = contestants[contestant];
        group.barrier();
        body.once();
        Traffic before = gas.traffic();
        long start = System.nanoTime();
        for (int i = 0; i < perBlock; i++) {
            body.once();
        }
        long ns = System.nanoTime() - start;
        Traffic sent = gas.traffic().since(before);
        requests[contestant] += sent.requests();
        answers[contestant] += sent.answers();
        return ns;
    }

    private List<Outcome> outcomes(int rounds) {
        group.allreduce(ReduceOp.SUM, requests);
        group.allreduce(ReduceOp.SUM, answers);
        List<Outcome> outcomes = new ArrayList<>();
        for (int i = 0; i < contestants.length && first; i++) {
            outcomes.add(Outcome.of(blocksNs[i], rounds, perBlock, requests[i], answers[i]));
        }
        return outcomes;
    }
}

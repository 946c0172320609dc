package org.tributary.benchmarks.windows;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.tributary.benchmarks.measure.Computation;
import org.tributary.benchmarks.measure.Repeatable;
import org.tributary.client.Gas;
import org.tributary.client.Group;
import org.tributary.config.Topology;
import org.tributary.miniapps.Progress;

/** Context of all parts: the job, how long contests last, computation, and where results go. */
final class Bench {
    /** Of a whole contest: parts are measured in thirds of one. */
    static final int CONTEST = 3;

    private static final int ORIGIN = 0;
    private static final int MOST_MEMBERS = 16;
    private static final int TRIALS = 200;

    private final Gas gas;
    private final Effort effort;
    private final Consumer<Result> sink;
    private Progress progress = Progress.of("windows", 0, false);
    private long thirdsDone;
    private final Computation computation = new Computation(TRIALS, 0);

    /** {@code sink} gets the results, on rank 0. */
    Bench(Gas gas, Effort effort, Consumer<Result> sink) {
        this.gas = gas;
        this.effort = effort;
        this.sink = sink;
    }

    Gas gas() {
        return gas;
    }

    Computation computation() {
        return computation;
    }

    boolean isOrigin() {
        return gas.rank() == ORIGIN;
    }

    void add(Result result) {
        sink.accept(result);
    }

    /** See {@link Contest#run}. */
    List<Outcome> contest(Group group, List<Repeatable> contestants) throws IOException {
        return contest(group, CONTEST, contestants);
    }

    /** The same, of some thirds of the length: 1 or all. */
    List<Outcome> contest(Group group, int thirds, List<Repeatable> contestants) throws IOException {
        List<Outcome> outcomes = Contest.run(gas, group, effort.dividedBy(CONTEST / thirds), contestants);
        thirdsDone += thirds;
        progress.at(thirdsDone);
        return outcomes;
    }

    /** From now on contests are told to this. */
    void tell(Progress of) {
        progress = of;
    }

    /** How far this rank is, as {@link Experiment#thirds} counts. */
    long thirdsDone() {
        return thirdsDone;
    }

    /** Work of each member of a group. */
    interface Work {
        void run(Group group) throws IOException;
    }

    /** A group of that many ranks, rank 0 first, on as many nodes as there are, works; collective over all ranks. */
    void inGroup(int members, Work work) throws IOException {
        Group group = gas.world().create(spread(gas.topology(), members));
        if (group.isMember()) {
            work.run(group);
        }
        group.close();
    }

    /** Of a group. */
    int mostMembers() {
        return Math.min(MOST_MEMBERS, gas.rankCount());
    }

    /** How many those of {@link #inGroups} are. */
    int groups() {
        return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(mostMembers());
    }

    /** Groups of 2, 4, 8 and so on to 16 or the number of ranks work, one after the other. */
    void inGroups(Work work) throws IOException {
        for (int members = 2; members <= mostMembers(); members *= 2) {
            inGroup(members, work);
        }
    }

    /** The first rank of each node, the second of each, and so on; nodes in the order of their first ranks. */
    static int[] spread(Topology topology, int members) {
        int most = IntStream.range(0, topology.nodeCount()).map(topology::rankCount).max().orElseThrow();
        int[] nodes = IntStream.range(0, topology.nodeCount()).map(topology::firstRank).sorted().map(topology::nodeOf)
            .toArray();
        return IntStream.range(0, most).boxed().flatMapToInt(index -> Arrays.stream(nodes)
            .filter(node -> index < topology.rankCount(node)).map(node -> topology.rankAt(node, index)))
            .limit(members).toArray();
    }
}

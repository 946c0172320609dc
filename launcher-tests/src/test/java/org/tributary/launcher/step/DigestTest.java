package org.tributary.launcher.step;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.tributary.wire.RankState;
import org.tributary.wire.shm.CallLayout;
import org.tributary.wire.shm.WaitKind;
import org.tributary.wire.status.CallDescription;
import org.tributary.wire.status.JobStatus;
import org.tributary.wire.status.NodeDetails;
import org.tributary.wire.status.NodeDetails.Lock;
import org.tributary.wire.status.NodeDetails.LockName;
import org.tributary.wire.status.NodeDetails.Member;
import org.tributary.wire.status.NodeSnapshot;
import org.tributary.wire.status.NodeStatus;
import org.tributary.wire.status.NodeStatus.Rank;
import org.tributary.wire.status.NodeStatus.Wait;
import org.tributary.wire.status.Party;
import org.tributary.wire.status.ProcessState;
import org.tributary.wire.status.Words;

/** Sums of the nodes of large jobs. */
class DigestTest {
    private static final int NODES = 200;
    private static final int RANKS = 4;
    private static final long LONG_NS = 3_000_000_000L;
    private static final long CALL = 7;
    private static final int MUTATIONS = 3_000;
    private static final Set<View> VIEWS = Set.of(View.ALL);

    /** What a rank of the job waits for. */
    private interface Waits {
        List<Wait> of(int rank);
    }

    /** What the page knows in the second step: only then it asks for what ranks wait for. */
    private static JobStatus seen(Waits waits, Set<Integer> deadServers, Lock... locks) {
        Collection<NodeStatus> known = List.of();
        JobStatus seen = null;
        for (int step = 0; step < 2; step++) {
            Asked asked = Asked.of(Asked.of("page", Digest.longest(known, 64), VIEWS).text());
            Digest all = Digest.of("big", IntStream.range(0, NODES).mapToObj(node -> sent(new NodeSteps()
                .sum(node(node, waits, deadServers, locks), NODES + "*" + RANKS, asked).orElseThrow())).toList());
            all.reduce(asked, 64);
            known = all.nodes();
            seen = new JobStatus(known, List.of(all.details()));
        }
        return seen;
    }

    private static Digest sent(Digest digest) {
        return DigestBytes.decode(DigestBytes.encode(digest));
    }

    private static NodeSnapshot node(int node, Waits waits, Set<Integer> deadServers, Lock... locks) {
        NodeSnapshot stub = new StubNodes(NODES, RANKS, 0).node(node, 1);
        List<Rank> ranks = new ArrayList<>();
        List<Member> members = new ArrayList<>();
        for (int rank = node * RANKS; rank < (node + 1) * RANKS; rank++) {
            List<Wait> its = waits.of(rank);
            ranks.add(new Rank(rank, RankState.ATTACHED, 1, ProcessState.RUNS, 1, 1, its, false));
            long call = its.stream().anyMatch(wait -> wait.kind() == WaitKind.COLLECTIVE) ? CALL : CALL - 1;
            members.add(new Member(0, rank, new CallDescription(call, CallDescription.keyOf(CallLayout.BARRIER, 0, 0,
                call), CallLayout.BARRIER, 0, 0, "")));
        }
        NodeStatus status = stub.status();
        return new NodeSnapshot(new NodeStatus("big", node, status.layout(), status.jobRanks(), NODES, 1, 1,
            deadServers.contains(node) ? ProcessState.STOPPED : ProcessState.RUNS, ranks), new NodeDetails(members,
            List.of(locks).stream().filter(lock -> lock.name().rank() / RANKS == node).toList()), stub.counts(),
            stub.latencies());
    }

    /** One that waits, and one that has left while its server still has requests of it. */
    @Test
    void shouldCountARankAsLeftWhenRequestsOfItWait() {
        NodeSnapshot stub = new StubNodes(NODES, RANKS, 0).node(0, 1);
        Wait wait = new Wait(WaitKind.COLLECTIVE, 1, 0, CALL, LONG_NS);
        NodeStatus status = new NodeStatus("big", 0, stub.status().layout(), NODES * RANKS, NODES, 1, 1,
            ProcessState.RUNS, List.of(
            new Rank(0, RankState.ATTACHED, 1, ProcessState.RUNS, 1, 1, List.of(wait), false),
            new Rank(1, RankState.LEAVING, 1, ProcessState.GONE, -1, 1, List.of(), false)));
        Sums sums = sent(new NodeSteps().sum(new NodeSnapshot(status, stub.details(), stub.counts(),
            stub.latencies()), NODES + "*" + RANKS, Asked.of("page", List.of(), VIEWS)).orElseThrow()).sums();
        assertEquals(List.of(1L, 1L, 0L, 0L), Stream.of(RankDoes.WAITS, RankDoes.LEFT, RankDoes.DIED,
            RankDoes.COMPUTES).map(sums::ranks).toList());
        assertEquals(LONG_NS, sums.standsStillNs());
    }

    private static Rank longest(JobStatus job) {
        return Digest.longest(job.nodes(), 1).getFirst();
    }

    @Test
    void shouldNameMembersThatHaveNotCalledWhenAllOthersWaitForThem() {
        JobStatus job = seen(rank -> rank == 5 || rank == 790 ? List.of()
            : List.of(new Wait(WaitKind.COLLECTIVE, (rank + 1) % (NODES * RANKS), 0, CALL, LONG_NS)), Set.of());
        assertTrue(Digest.longest(job.nodes(), NODES * RANKS).size() >= 64);
        for (Rank rank : Digest.longest(job.nodes(), 64)) {
            assertEquals(Set.of(Party.rank(5), Party.rank(790)), job.waitsFor(rank));
            String words = Words.sentence(job, rank);
            assertTrue(words.contains("in barrier, call 7 of all ranks"), words);
        }
    }

    /** All others have come there, wherever they are now. */
    @Test
    void shouldNameMembersThatHoldUpAFenceWhenAllOthersHaveEndedIt() {
        JobStatus job = seen(rank -> rank == 5 ? List.of() : List.of(rank == 100
            ? new Wait(WaitKind.WINDOW_FENCE, -1, 0, CALL, 2 * LONG_NS)
            : new Wait(WaitKind.COLLECTIVE, 0, 1, 1, LONG_NS)), Set.of());
        assertEquals(100, longest(job).rank());
        assertEquals(Set.of(Party.rank(5)), job.waitsFor(longest(job)));
    }

    /** As many as are answered. */
    @Test
    void shouldAskForSomeCallsWhenRanksWaitInVeryManyGroups() {
        List<Wait> waits = IntStream.range(0, 1000)
            .mapToObj(group -> new Wait(WaitKind.COLLECTIVE, 1, group, CALL, LONG_NS)).toList();
        Asked asked = Asked.of("page", List.of(new Rank(0, RankState.ATTACHED, 1, ProcessState.RUNS, 1, 1, waits,
            false)), VIEWS);
        assertEquals(128, Asked.of(asked.text()).calls().size());
    }

    @Test
    void shouldAddUpInJobsOfManyNodesAndOfRanksThatHaveAnOrder() {
        assertFalse(Digest.isLarge(64, 64));
        assertTrue(Digest.isLarge(65, 65));
        assertTrue(Digest.isLarge(1000, 1 << 20));
        assertFalse(Digest.isLarge(1000, (1 << 20) + 1));
    }

    @Test
    void shouldNameNobodyWhenAllAreInTheCall() {
        JobStatus job = seen(rank -> List.of(new Wait(WaitKind.COLLECTIVE, (rank + 400) % (NODES * RANKS), 0, CALL,
            LONG_NS)), Set.of());
        Digest.longest(job.nodes(), 64).forEach(rank -> assertEquals(Set.of(), job.waitsFor(rank)));
    }

    @Test
    void shouldNameHolderServerAndNeighbourWhenRanksWaitForThem() {
        Lock lock = new Lock(new LockName(9, 402, 3), 17, 0);
        JobStatus mutex = seen(rank -> rank == 100 ? List.of(new Wait(WaitKind.MUTEX, 402, 9, 3, LONG_NS))
            : List.of(), Set.of(), lock, new Lock(new LockName(9, 403, 3), 18, 0));
        assertEquals(100, longest(mutex).rank());
        assertEquals(Set.of(Party.rank(17)), mutex.waitsFor(longest(mutex)));
        assertEquals(lock, mutex.lockOf(JobStatus.waitOf(longest(mutex))));
        JobStatus stopped = seen(rank -> rank == 100 ? List.of(new Wait(WaitKind.MUTEX, 402, 9, 3, LONG_NS))
            : List.of(), Set.of(100), lock);
        assertEquals(Set.of(Party.rank(17), Party.server(100)), stopped.waitsFor(longest(stopped)));
        JobStatus token = seen(rank -> rank == 101 ? List.of(new Wait(WaitKind.ACCUMULATE, 3, 0, 0, LONG_NS))
            : List.of(), Set.of());
        assertEquals(Set.of(Party.rank(102)), token.waitsFor(longest(token)), "the third of its node");
    }

    @Test
    void shouldKeepTheLongestWaitsAndAllWhoseServerDoesNotRunWhenReduced() {
        Asked asked = Asked.first("page");
        Digest all = Digest.of("big", IntStream.range(0, NODES).mapToObj(node -> new NodeSteps().sum(node(node,
            rank -> List.of(new Wait(WaitKind.ANSWER, 0, 0, 0, LONG_NS + rank)), Set.of(3, 99)), NODES + "*" + RANKS,
            asked).orElseThrow()).toList());
        all.reduce(asked, Digest.LINES);
        assertEquals(IntStream.range(0, Digest.LINES).mapToObj(i -> NODES * RANKS - 1 - i).toList(),
            Digest.longest(all.nodes(), NODES).stream().map(Rank::rank).toList());
        assertEquals(NODES * RANKS, all.sums().longWaits());
        assertEquals(LONG_NS, all.sums().standsStillNs());
        assertEquals(List.of(3, 99), all.lines().stream().map(NodeLine::node).limit(2).toList());
        assertEquals(Digest.LINES, all.lines().size());
    }

    @Test
    void shouldRefuseOrKeepItsBoundsWhenBytesHaveChanged() {
        byte[] genuine = DigestBytes.encode(new NodeSteps().sum(node(7, rank -> List.of(new Wait(WaitKind.COLLECTIVE,
            0, 0, CALL, LONG_NS)), Set.of()), NODES + "*" + RANKS, Asked.first("page")).orElseThrow());
        int read = 0;
        for (int seed = 0; seed < MUTATIONS; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] changed = genuine.clone();
            for (int change = random.nextInt(4); change >= 0; change--) {
                changed[random.nextInt(changed.length)] = (byte) random.nextInt();
            }
            try {
                Digest digest = DigestBytes.decode(changed);
                Digest.of("big", List.of(digest, digest)).reduce(Asked.first("page"), Digest.LINES);
                assertTrue(digest.states().keySet().stream().allMatch(rank -> rank < digest.jobRanks()));
                digest.details();
                read++;
            } catch (IllegalArgumentException e) {
                assertTrue(!e.getMessage().isEmpty());
            } catch (RuntimeException | Error e) {
                throw new AssertionError("seed " + seed + ": " + e, e);
            }
        }
        assertTrue(read > 0, "some make sense");
        assertThrows(IllegalArgumentException.class, DigestBytes::decode);
    }
}

package org.tributary.launcher.inquiry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.tributary.launcher.link.Inquiry;
import org.tributary.launcher.link.Question;
import org.tributary.launcher.status.BusiestPairs;
import org.tributary.launcher.status.JobReading;
import org.tributary.launcher.status.JobStep;
import org.tributary.launcher.status.WhyReport;
import org.tributary.launcher.step.Asked;
import org.tributary.launcher.step.View;
import org.tributary.wire.RankState;
import org.tributary.wire.shm.CallLayout;
import org.tributary.wire.shm.Latencies;
import org.tributary.wire.shm.WaitKind;
import org.tributary.wire.status.CallDescription;
import org.tributary.wire.status.NodeDetails;
import org.tributary.wire.status.NodeDetails.Questions;
import org.tributary.wire.status.NodeSnapshot;
import org.tributary.wire.status.NodeStatus;
import org.tributary.wire.status.NodeStatus.Rank;
import org.tributary.wire.status.NodeStatus.Wait;
import org.tributary.wire.status.NodeText;
import org.tributary.wire.status.ProcessState;
import org.tributary.wire.status.ServerCounts;
import org.tributary.wire.status.ServerCounts.Pair;

/** What a page gets of a job on many hosts, whose agents are stubs. */
class HostsViewTest {
    private static final int HOSTS = 1000;
    private static final int RANKS = 8;
    private static final int PEERS = 20;
    /** Of the answers of all hosts in a step: 8 KB of each. */
    private static final long MOST_BYTES = HOSTS * 8_000L;

    private static NodeSnapshot snapshot(int node, int peers) {
        List<Rank> ranks = new ArrayList<>();
        List<Pair> pairs = new ArrayList<>();
        for (int rank = node * RANKS; rank < (node + 1) * RANKS; rank++) {
            ranks.add(new Rank(rank, RankState.ATTACHED, 1000 + rank, ProcessState.RUNS, 1, 1, List.of(), false));
            for (int peer = 0; peer < peers; peer++) {
                pairs.add(new Pair((rank + 13 * peer) % (HOSTS * RANKS), rank, 1 << 20, 1L << 40));
            }
        }
        return new NodeSnapshot(new NodeStatus("big", node, HOSTS + "*" + RANKS, HOSTS * RANKS, HOSTS, 1, 7 + node,
            ProcessState.RUNS, ranks), new NodeDetails(List.of(), List.of()),
            new ServerCounts(5, List.of(), List.of(), pairs), new int[Latencies.BYTES / Integer.BYTES]);
    }

    private static String text(NodeSnapshot snapshot) {
        return Base64.getEncoder().encodeToString(snapshot.encode());
    }

    @Test
    void shouldGetAllNodesInOneBoundedRoundWhenThereAreAThousand() throws Exception {
        List<Inquiry> asked = new ArrayList<>();
        Asked question = new Asked("page", new Questions(Set.of(5L), Set.of(), Set.of()), Set.of(7), Map.of(5L, 3L),
            Set.of(View.ALL));
        long[] bytes = {0};
        List<NodeSnapshot> nodes = new HostsView("big", (inquiry, taker) -> {
            asked.add(inquiry);
            for (int node = 0; node < HOSTS; node++) {
                bytes[0] += tell(taker, node, PEERS);
            }
            return List.of();
        }).step(question).nodes();
        assertEquals(HOSTS, nodes.size());
        assertEquals(1, asked.size(), "one message goes down the tree");
        assertEquals(question, Asked.of(asked.getFirst().text()));
        assertTrue(bytes[0] <= MOST_BYTES, bytes[0] + " bytes a step");
        assertEquals(RANKS, nodes.getLast().status().ranks().size());
    }

    /** Tells what an agent would, and returns how many bytes that takes. */
    private static long tell(Inquiry.Taker taker, int node, int peers) throws IOException {
        String text = text(new BusiestPairs().of(snapshot(node, peers)));
        taker.take(node, text);
        return text.length();
    }

    @Test
    void shouldFitTheHeapOfALauncherWhenEachOfAThousandServersTellsAllItsPairs() throws Exception {
        long[] bytes = {0};
        JobStep step = new HostsView("big", (inquiry, taker) -> {
            for (int node = 0; node < HOSTS; node++) {
                bytes[0] += tell(taker, node, ServerCounts.MAX_PAIRS / RANKS);
            }
            return List.of();
        }).step(Asked.first("page"));
        assertTrue(bytes[0] <= MOST_BYTES, bytes[0] + " bytes a step");
        long pairs = step.nodes().stream().mapToLong(node -> node.counts().pairs().size()).sum();
        assertTrue(pairs <= BusiestPairs.MOST_OF_JOB + HOSTS, pairs + " pairs");
        ServerCounts last = step.nodes().getLast().counts();
        assertEquals((long) ServerCounts.MAX_PAIRS << 20, last.pairs().stream().mapToLong(Pair::requests).sum(),
            "nothing is lost, but summed");
    }

    /** A rank on each of two hosts: one is in a barrier, the other in a broadcast. */
    @Test
    void shouldNameBothCallsWhenCollectivesOfTwoHostsDoNotMatch() throws Exception {
        JobReading reading = new HostsView("two", (inquiry, taker) -> {
            for (int node = 0; node < 2; node++) {
                Wait wait = new Wait(WaitKind.COLLECTIVE, 1 - node, 0, 4, 1L << 40);
                int call = node == 0 ? CallLayout.BARRIER : CallLayout.BROADCAST;
                NodeStatus status = new NodeStatus("two", node, "2*1", 2, 2, 1, 7, ProcessState.RUNS, List.of(new Rank(
                    node, RankState.ATTACHED, 9, ProcessState.RUNS, 1, 1, List.of(wait), false)));
                NodeDetails details = new NodeDetails(List.of(new NodeDetails.Member(0, node, new CallDescription(4,
                    CallDescription.keyOf(call, 0, 0, 4), call, 0, 0, ""))), List.of());
                taker.take(node, inquiry.question() == Question.STATUS ? NodeText.of(status) : NodeText.of(details));
            }
            return List.of();
        }).read();
        List<String> reasons = new WhyReport(reading, null).reasons();
        assertTrue(reasons.getFirst().startsWith("collective calls do not match in all ranks: rank 0 is in barrier,"
            + " call 4; rank 1 in broadcast of 0 bytes "), reasons::toString);
    }

    @Test
    void shouldGoOnWithTheOthersWhenAHostDoesNotAnswer() throws Exception {
        JobStep step = new HostsView("big", (inquiry, taker) -> {
            tell(taker, 3, PEERS);
            return List.of("host x (node 4): no answer within 1 s");
        }).step(Asked.first("page"));
        assertEquals(List.of(3), step.nodes().stream().map(node -> node.status().node()).toList());
        assertEquals(List.of("host x (node 4): no answer within 1 s"), step.problems());
    }

    @Test
    void shouldGoOnWithTheOthersWhenAnAnswerMakesNoSense() throws Exception {
        List<String> nonsense = List.of("?", "", "AAAA", text(snapshot(7, PEERS)));
        JobStep step = new HostsView("big", (inquiry, taker) -> {
            for (int node = 0; node < nonsense.size(); node++) {
                taker.take(node, nonsense.get(node));
            }
            tell(taker, nonsense.size(), PEERS);
            return List.of();
        }).step(Asked.first("page"));
        assertEquals(List.of(nonsense.size()), step.nodes().stream().map(node -> node.status().node()).toList());
        assertEquals(nonsense.size(), step.problems().size());
        assertEquals("node 3: its answer makes no sense: tells of node 7 of job big", step.problems().getLast());
    }
}

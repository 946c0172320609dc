package org.tributary.launcher.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.tributary.wire.RankState;
import org.tributary.wire.shm.Latencies;
import org.tributary.wire.status.NodeDetails;
import org.tributary.wire.status.NodeDetails.Questions;
import org.tributary.wire.status.NodeSnapshot;
import org.tributary.wire.status.NodeStatus;
import org.tributary.wire.status.NodeStatus.Rank;
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

    private static NodeSnapshot snapshot(int node) {
        List<Rank> ranks = new ArrayList<>();
        List<Pair> pairs = new ArrayList<>();
        for (int rank = node * RANKS; rank < (node + 1) * RANKS; rank++) {
            ranks.add(new Rank(rank, RankState.ATTACHED, 1000 + rank, ProcessState.RUNS, 1, 1, List.of(), false));
            for (int peer = 0; peer < PEERS; peer++) {
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
        Map<Integer, String> answers = new HashMap<>();
        for (int node = 0; node < HOSTS; node++) {
            answers.put(node, text(snapshot(node)));
        }
        List<Inquiry> asked = new ArrayList<>();
        Questions questions = new Questions(Set.of(5L), Set.of(), Set.of());
        List<NodeSnapshot> nodes = new HostsView("big", inquiry -> {
            asked.add(inquiry);
            return new Inquiry.Answers(answers, List.of());
        }).snapshots(questions);
        assertEquals(HOSTS, nodes.size());
        assertEquals(1, asked.size(), "one message goes down the tree");
        assertEquals(questions, NodeText.questions(asked.getFirst().text()));
        long bytes = answers.values().stream().mapToLong(String::length).sum();
        assertTrue(bytes <= MOST_BYTES, bytes + " bytes a second");
        NodeSnapshot last = nodes.stream().filter(node -> node.status().node() == HOSTS - 1).findAny().orElseThrow();
        assertEquals(snapshot(HOSTS - 1).counts(), last.counts());
    }

    @Test
    void shouldGoOnWithTheOthersWhenAHostDoesNotAnswer() throws Exception {
        List<NodeSnapshot> nodes = new HostsView("big", inquiry ->
            new Inquiry.Answers(Map.of(3, text(snapshot(3))), List.of("host x (node 4): no answer within 1 s")))
            .snapshots(new Questions(Set.of(), Set.of(), Set.of()));
        assertEquals(List.of(3), nodes.stream().map(node -> node.status().node()).toList());
    }

    @Test
    void shouldFailWhenAnAnswerMakesNoSense() {
        for (String nonsense : List.of("?", "", "AAAA")) {
            assertThrows(IOException.class, () -> new HostsView("big", inquiry ->
                new Inquiry.Answers(Map.of(0, nonsense), List.of()))
                .snapshots(new Questions(Set.of(), Set.of(), Set.of())));
        }
    }
}

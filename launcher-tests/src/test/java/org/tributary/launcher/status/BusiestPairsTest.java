package org.tributary.launcher.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tributary.wire.shm.Latencies;
import org.tributary.wire.status.NodeDetails;
import org.tributary.wire.status.NodeSnapshot;
import org.tributary.wire.status.NodeStatus;
import org.tributary.wire.status.ProcessState;
import org.tributary.wire.status.ServerCounts;
import org.tributary.wire.status.ServerCounts.Pair;

/** What a node of a large job tells of who asks whom. */
class BusiestPairsTest {
    private static final int NODES = 1000;
    private static final int LIMIT = BusiestPairs.limit(NODES);

    private static NodeSnapshot node(int jobNodes, long atNs, List<Pair> pairs) {
        return new NodeSnapshot(new NodeStatus("big", 0, "", jobNodes, jobNodes, 1, 1, ProcessState.RUNS, List.of()),
            new NodeDetails(List.of(), List.of()), new ServerCounts(atNs, List.of(), List.of(), pairs),
            new int[Latencies.BYTES / Integer.BYTES]);
    }

    /** Pair {@code i} has so many requests more than in the step before. */
    private static List<Pair> pairs(int... requests) {
        List<Pair> pairs = new ArrayList<>();
        for (int i = 0; i < requests.length; i++) {
            pairs.add(new Pair(i, 5, requests[i], 8L * requests[i]));
        }
        return pairs;
    }

    @Test
    void shouldTellAllPairsWhenNodesAreFew() {
        NodeSnapshot node = node(2, 1, pairs(new int[ServerCounts.MAX_PAIRS]));
        assertSame(node, new BusiestPairs().of(node));
    }

    @Test
    void shouldTellNoMoreThanTheLauncherHoldsWhenNodesAreMany() {
        for (int nodes : new int[] {1, 16, 100, 1000, 5000}) {
            assertTrue((long) nodes * BusiestPairs.limit(nodes) <= BusiestPairs.MOST_OF_JOB, nodes + " nodes");
        }
        assertTrue(BusiestPairs.limit(Integer.MAX_VALUE) > 0);
    }

    @Test
    void shouldTellThoseThatAreBusyNowWhenOthersWereBefore() {
        int[] first = new int[ServerCounts.MAX_PAIRS];
        int[] second = new int[first.length];
        for (int i = 0; i < first.length; i++) {
            first[i] = i < LIMIT ? 1_000_000 : 1;
            second[i] = first[i] + (i >= first.length - LIMIT ? 10 : 0);
        }
        BusiestPairs busiest = new BusiestPairs();
        List<Pair> before = busiest.of(node(NODES, 1, pairs(first))).counts().pairs();
        assertEquals(LIMIT + 1, before.size());
        assertEquals(0, before.getFirst().requester());
        for (int again = 0; again < 2; again++) { // two pages look at the same
            List<Pair> now = busiest.of(node(NODES, 2, pairs(second))).counts().pairs();
            assertEquals(first.length - LIMIT, now.getFirst().requester());
            assertEquals(LIMIT + 1, now.size());
        }
    }

    @Test
    void shouldSumTheOthersWhenTheyAreNotTold() {
        int[] requests = new int[1000];
        long sum = 0;
        for (int i = 0; i < requests.length; i++) {
            requests[i] = i;
            sum += i;
        }
        List<Pair> pairs = new ArrayList<>(pairs(requests));
        pairs.add(new Pair(-1, -1, 77, 99)); // the server's own rest
        List<Pair> told = new BusiestPairs().of(node(NODES, 1, pairs)).counts().pairs();
        assertEquals(sum + 77, told.stream().mapToLong(Pair::requests).sum());
        assertEquals(8 * sum + 99, told.stream().mapToLong(Pair::bytes).sum());
        assertEquals(-1, told.getLast().requester());
        assertEquals(1, told.stream().filter(pair -> pair.requester() < 0).count());
    }
}

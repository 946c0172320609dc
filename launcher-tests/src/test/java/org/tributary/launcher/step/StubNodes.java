package org.tributary.launcher.step;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.tributary.wire.RankState;
import org.tributary.wire.shm.Latencies;
import org.tributary.wire.shm.LatencyKind;
import org.tributary.wire.shm.WaitKind;
import org.tributary.wire.status.NodeDetails;
import org.tributary.wire.status.NodeSnapshot;
import org.tributary.wire.status.NodeStatus;
import org.tributary.wire.status.NodeStatus.Rank;
import org.tributary.wire.status.NodeStatus.Wait;
import org.tributary.wire.status.ProcessState;
import org.tributary.wire.status.ServerCounts;
import org.tributary.wire.status.ServerCounts.Count;
import org.tributary.wire.status.ServerCounts.Pair;
import org.tributary.wire.status.ServerGauge;
import org.tributary.wire.status.ServerOperation;

/** Nodes of a job that does not exist: each rank asks some of those behind it, ten times a second each. */
public final class StubNodes {
    public static final int ASKED_EACH = 10;
    private static final int BYTES = 8;

    private final int nodes;
    private final int ranksPerNode;
    private final int peers;

    /** Each rank asks so many peers. */
    public StubNodes(int nodes, int ranksPerNode, int peers) {
        this.nodes = nodes;
        this.ranksPerNode = ranksPerNode;
        this.peers = peers;
    }

    /** All nodes after so many seconds. */
    public List<NodeSnapshot> after(long seconds) {
        return IntStream.range(0, nodes).mapToObj(node -> node(node, seconds)).toList();
    }

    public NodeSnapshot node(int node, long seconds) {
        int job = nodes * ranksPerNode;
        List<Rank> ranks = new ArrayList<>();
        List<Pair> pairs = new ArrayList<>();
        long requests = 0;
        for (int i = 0; i < ranksPerNode; i++) {
            int rank = node * ranksPerNode + i;
            ranks.add(new Rank(rank, RankState.ATTACHED, 1000 + rank, ProcessState.RUNS, 1, 1,
                i == 0 ? List.of(new Wait(WaitKind.ANSWER, (node + 1) % nodes, 0, 0, 5_000_000_000L)) : List.of(),
                false));
            for (int peer = 1; peer <= peers; peer++) {
                pairs.add(new Pair(Math.floorMod(rank - peer * ranksPerNode, job), rank, ASKED_EACH * seconds,
                    BYTES * ASKED_EACH * seconds));
                requests += ASKED_EACH * seconds;
            }
        }
        List<Count> operations = new ArrayList<>();
        for (ServerOperation operation : ServerOperation.values()) {
            operations.add(operation == ServerOperation.GET ? new Count(requests, BYTES * requests) : new Count(0, 0));
        }
        int[] latencies = new int[Latencies.BYTES / Integer.BYTES];
        latencies[LatencyKind.GET.ordinal() * Latencies.BUCKETS + Latencies.bucket(20_000)] = (int) (seconds * 100);
        return new NodeSnapshot(new NodeStatus("stub", node, nodes + "*" + ranksPerNode, job, nodes,
            seconds * 1_000_000_000L, 7000 + node, ProcessState.RUNS, ranks), new NodeDetails(List.of(), List.of()),
            new ServerCounts(seconds * 1_000_000_000L + node, operations,
                IntStream.range(0, ServerGauge.values().length).mapToObj(Long::valueOf).toList(), pairs), latencies);
    }
}

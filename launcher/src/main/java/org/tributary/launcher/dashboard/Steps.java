package org.tributary.launcher.dashboard;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.tributary.launcher.status.JobStep;
import org.tributary.wire.shm.Latencies;
import org.tributary.wire.status.JobStatus;
import org.tributary.wire.status.NodeDetails.Questions;
import org.tributary.wire.status.NodeSnapshot;

/**
 * Makes steps of snapshots: rates of counts, and what all nodes have in common. Remembers of each node what it told
 * last, so that a node that misses a step shows its last rates. Owned by the thread that takes steps.
 */
final class Steps {
    private final String jobId;
    private final Map<Integer, NodeSnapshot> last = new HashMap<>();
    private final Map<Integer, NodeRates> rates = new HashMap<>();
    private final LatencyWindow latencies = new LatencyWindow();
    private Questions questions = new Questions(Set.of(), Set.of(), Set.of());
    private Step latest;

    Steps(String jobId) {
        this.jobId = jobId;
        this.latest = new Step(0, jobId, List.of(), Map.of(), new JobStatus(List.of(), List.of()), Map.of(),
            List.of());
    }

    /** What is to be asked for the next step: what ranks waited for in the last. */
    Questions questions() {
        return questions;
    }

    /** The step of these nodes. */
    Step next(long timeMs, JobStep job) {
        long[] calls = new long[Latencies.BYTES / Integer.BYTES];
        Map<Integer, NodeSnapshot> byNode = new TreeMap<>();
        for (NodeSnapshot node : job.nodes()) {
            int number = node.status().node();
            byNode.put(number, node);
            NodeSnapshot before = last.put(number, node);
            boolean isSameServer = before != null && before.status().serverPid() == node.status().serverPid();
            if (!isSameServer) {
                rates.put(number, NodeRates.NONE);
                continue;
            }
            addNew(before.latencies(), node.latencies(), calls);
            if (before.counts().atNs() != node.counts().atNs()) {
                rates.put(number, NodeRates.between(before.counts(), node.counts()));
            }
        }
        last.keySet().retainAll(byNode.keySet());
        rates.keySet().retainAll(byNode.keySet());
        latencies.add(calls);
        JobStatus status = new JobStatus(byNode.values().stream().map(NodeSnapshot::status).toList(),
            byNode.values().stream().map(NodeSnapshot::details).toList());
        questions = JobStatus.questions(status.nodes());
        latest = new Step(timeMs, jobId, List.copyOf(byNode.values()), Map.copyOf(rates), status,
            latencies.histograms(), job.problems());
        return latest;
    }

    /** The last step again, when there could be no other for a reason. */
    Step again(long timeMs, String why) {
        return new Step(timeMs, jobId, latest.nodes(), latest.rates(), latest.status(), latest.latencies(),
            List.of(why));
    }

    /** Counts wrap around; one that goes back was overwritten. */
    private static void addNew(int[] before, int[] now, long... sum) {
        for (int i = 0; i < sum.length; i++) {
            int more = now[i] - before[i];
            sum[i] += Math.max(0, more);
        }
    }
}

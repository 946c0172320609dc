package org.tributary.launcher.dashboard;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tributary.launcher.status.JobStep;
import org.tributary.launcher.step.Asked;
import org.tributary.launcher.step.Digest;
import org.tributary.launcher.step.NodeSteps;
import org.tributary.launcher.step.View;
import org.tributary.wire.status.JobStatus;
import org.tributary.wire.status.NodeStatus;
import org.tributary.wire.status.NodeStatus.Rank;

/** Makes steps of what nodes tell, one by one or already summed. Owned by the thread that takes steps. */
final class Steps {
    private final String jobId;
    /** Of this page among all that look at the job. */
    private final String page = Long.toHexString(new SecureRandom().nextLong());
    private final NodeSteps nodes = new NodeSteps();
    private final LatencyWindow latencies = new LatencyWindow();
    private Asked asked;
    private Step latest;

    Steps(String jobId) {
        this.jobId = jobId;
        this.asked = Asked.first(page);
        this.latest = new Step(0, Digest.none(jobId), new JobStatus(List.of(), List.of()), Map.of(), List.of());
    }

    /** Questions for the next step: these views, and the objects that ranks waited for in the last. */
    Asked asked(Set<View> views) {
        asked = Asked.of(page, waiting(latest.digest()), views);
        return asked;
    }

    /** In a large job those that are shown. */
    private static Collection<Rank> waiting(Digest digest) {
        Collection<NodeStatus> known = digest.nodes();
        return Digest.isLarge(digest.jobNodes(), digest.jobRanks()) ? Digest.longest(known, StepJson.MOST_LINES)
            : known.stream().flatMap(node -> node.ranks().stream()).toList();
    }

    /** The step of these nodes. */
    Step next(long timeMs, JobStep job) {
        Digest all = nodes.next(jobId, job.nodes());
        if (!job.digests().isEmpty()) {
            List<Digest> digests = new ArrayList<>(job.digests());
            digests.add(all);
            all = Digest.of(jobId, digests);
            all.reduce(asked, StepJson.MOST_LINES);
        }
        latencies.add(all.sums().latencies());
        List<String> problems = new ArrayList<>(job.problems());
        problems.addAll(nodes.silent());
        latest = new Step(timeMs, all, new JobStatus(all.nodes(), List.of(all.details())), latencies.histograms(),
            problems);
        return latest;
    }

    /** The last step again, when there could be no other for a reason. */
    Step again(long timeMs, String why) {
        return new Step(timeMs, latest.digest(), latest.status(), latest.latencies(), List.of(why));
    }
}
